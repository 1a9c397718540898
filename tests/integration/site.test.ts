import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { parseEnv } from '#lib/env.ts';
import { describeSite } from '#lib/services/pages/site.ts';
import type { SharedReport } from '#lib/services/public-scans/shared-report.ts';
import { Verdict } from '../../app/components/report/verdict.tsx';
import { verdictOf } from '../../app/components/report/verdict-sentences.ts';

const APP = {
  SCM_APP_ID: '1',
  SCM_APP_SLUG: 'chainbreak',
  SCM_APP_PRIVATE_KEY: '-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----',
  SCM_CLIENT_ID: 'id',
  SCM_CLIENT_SECRET: 'secret',
};
const DEMO = { DEMO_USER_ID: '11111111-1111-4111-8111-111111111111', SCM_WEB_URL: 'http://127.0.0.1:4000' };

interface Scanned {
  readonly counts?: readonly [high: number, medium: number, low: number, info: number];
  readonly files?: number;
  readonly branch?: string;
  readonly open?: number;
  readonly paths?: readonly (readonly ['CRITICAL' | 'HIGH' | 'MEDIUM', number])[];
  readonly fixes?: number | null;
}

function sharedWith({ counts = [0, 0, 0, 0], files = 2, branch = 'main', open = 0, paths = [], fixes = 0 }: Scanned) {
  const [HIGH, MEDIUM, LOW, INFO] = counts;
  return {
    report: {
      slug: 'x',
      repo: 'octo/web',
      default_branch: branch,
      workflow_files: files,
      findings: HIGH + MEDIUM + LOW + INFO,
      counts: { HIGH, MEDIUM, LOW, INFO },
      top_findings: [],
      locked_findings: 0,
      cached: true,
      scanned_at: '2026-11-20T10:00:00.000Z',
      ...(files === 0 ? { no_workflows: true } : {}),
      not_assessed: Array.from({ length: open }, () => ({ rule_id: 'impostor-commit', reason: 'offline' })),
    },
    badge: null,
    outlook: {
      paths: paths.map(([severity, count]) => ({ id: 'a', severity, count, title: '', impact: '', stages: [] })),
      fixes,
      checks: [{ category: 'CICD-SEC-4', passed: 90, run: 90 }],
    },
    commit: null,
    engineVersion: null,
    freshFrom: '2026-11-20T11:00:00.000Z',
    isRescannable: true,
    outdated: false,
    oldData: undefined,
  } satisfies SharedReport;
}

const siteOf = (variables: Record<string, string>) => describeSite({ env: parseEnv(variables) });

describe('the pages mention of other servers', () => {
  it('only the name, and well-known repositories of github.com', () => {
    expect(siteOf({})).toMatchObject({ codeHost: 'github.com', codeHostUrl: 'https://github.com', connectUrl: null });
    expect(siteOf({}).examples.length).toBeGreaterThan(0);
    expect(siteOf({ SCM_WEB_URL: 'https://git.example.com' })).toMatchObject({
      codeHost: 'git.example.com',
      examples: [],
    });
  });

  it('the demo’s repositories, and its app on the local code host', () => {
    const { codeHost, examples, connectUrl } = siteOf({ ...DEMO, ...APP });
    expect([codeHost, examples[0]]).toEqual(['the local code host', 'acme/storefront']);
    expect(connectUrl).toBe('http://127.0.0.1:4000/apps/chainbreak/installations/new');
  });

  it('that registries can see image names, if lookups are on', () => {
    expect(siteOf({}).asksRegistries).toBe(true);
    expect(siteOf({ IMAGE_LOOKUP: 'off' }).asksRegistries).toBe(false);
  });

  it('the installation page of the app, if there is one', () => {
    const { connectUrl } = siteOf(APP);
    expect(connectUrl).toBe('https://github.com/apps/chainbreak/installations/new');
    const draw = (url: string | null) =>
      renderToStaticMarkup(createElement(Verdict, { connectUrl: url, shared: sharedWith({ counts: [2, 0, 0, 1] }) }));
    expect(draw(connectUrl)).toContain(`href="${connectUrl}"`);
    expect(draw(null)).not.toContain('<a ');
  });
});

describe('the verdict of a report', () => {
  const cases: readonly (readonly [string, Scanned, tone: string, title: string, sentences: readonly string[]])[] = [
    [
      'says that an outsider can take over, and how few fixes prevent it',
      {
        counts: [4, 0, 0, 28],
        paths: [
          ['CRITICAL', 1],
          ['CRITICAL', 1],
        ],
        fixes: 1,
      },
      'bad',
      'An outsider can take over what this repository’s workflows hold',
      ['2 attack paths. Fixing 1 finding breaks both.', '32 findings in 2 workflow files.'],
    ],
    [
      'counts the critical ones among others',
      {
        counts: [4, 0, 0, 0],
        paths: [
          ['CRITICAL', 1],
          ['HIGH', 2],
        ],
        fixes: 2,
      },
      'bad',
      'An outsider can take over what this repository’s workflows hold',
      ['3 attack paths, 1 of them critical. Fixing 2 findings breaks them all.', '4 findings in 2 workflow files.'],
    ],
    [
      'promises nothing if no fix ends a path',
      { counts: [1, 0, 0, 0], paths: [['HIGH', 1]], fixes: null },
      'bad',
      'Weaknesses here combine into an attack',
      ['1 attack path.', '1 finding in 2 workflow files.'],
    ],
    [
      'is no alarm without a complete path or a serious weakness',
      { counts: [0, 1, 1, 0], files: 1 },
      'fair',
      'No attack path found',
      ['2 findings in 1 workflow file.'],
    ],
    [
      'names serious weaknesses without a complete path',
      { counts: [2, 0, 0, 0] },
      'bad',
      'No complete attack path, but 2 serious weaknesses',
      ['2 findings in 2 workflow files.'],
    ],
    [
      'is a success if all that ran passed, and says what did not run',
      { open: 35 },
      'good',
      'No findings in 2 workflow files',
      ['All 90 checks that ran passed. 35 more need access that an anonymous scan does not have.'],
    ],
    [
      'judges nothing where there is nothing',
      { files: 0, open: 35 },
      'none',
      'No workflows',
      ['The default branch has no files in .github/workflows. Scan it again once it has one.'],
    ],
    [
      'judges no empty repository',
      { files: 0, branch: '' },
      'none',
      'The repository is empty',
      ['It has no commits. Scan it again once it has a workflow.'],
    ],
  ];

  it.each(cases)('%s', (_, scanned, tone, title, sentences) => {
    expect(verdictOf(sharedWith(scanned))).toEqual({ tone, title, sentences });
  });
});
