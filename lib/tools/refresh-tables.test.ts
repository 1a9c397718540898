import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACTION_ADVISORIES, type ActionAdvisory } from '#lib/data/generated/action-advisories.ts';
import { ACTION_INTERFACES } from '#lib/data/generated/action-interfaces.ts';
import { ACTION_RUNTIMES } from '#lib/data/generated/action-runtimes.ts';
import { ARCHIVED_ACTIONS } from '#lib/data/generated/archived-actions.ts';
import { MOVED_ACTIONS } from '#lib/data/generated/moved-actions.ts';
import { Client, onlyToken } from '#lib/hosts/code-host/client.ts';
import { octokitFor } from '#lib/hosts/code-host/octokit.ts';
import { type CodeHostForTests, startCodeHost } from '../../tests/support/code-host.ts';
import {
  type AdvisoryRecord,
  mergeAdvisories,
  mergeArchived,
  mergeMoved,
  readAdvisories,
  readStates,
  withRows,
} from './refresh-tables.ts';

let host: CodeHostForTests;
let client: Client;

beforeAll(async () => {
  host = await startCodeHost();
  const octokit = new (octokitFor(host.apiUrl))();
  client = new Client({ octokit, graphqlUrl: host.graphqlUrl, tokens: onlyToken(host.publicToken) });
});
afterAll(() => host.stop());

const record = (changes: Partial<AdvisoryRecord> = {}): AdvisoryRecord => ({
  ghsa_id: 'GHSA-aaaa-bbbb-cccc',
  cve_id: null,
  summary: 'Acme deploy\n runs  what it is told',
  severity: 'medium',
  withdrawn_at: null,
  vulnerabilities: [affected('Acme/Deploy', '>= 1.0.0, < 1.2.0', '1.2.0')],
  ...changes,
});
const affected = (name: string, range: string, fixed: string | null) => ({
  package: { ecosystem: 'actions', name },
  vulnerable_version_range: range,
  first_patched_version: fixed,
});
const ROW: ActionAdvisory = {
  ghsa: 'GHSA-aaaa-bbbb-cccc',
  cve: null,
  action: 'acme/deploy',
  severity: 'LOW',
  vulnerable: '< 1.1.0',
  fixed: '1.1.0',
  summary: 'Written by hand.',
  sink: { input: ['command'] },
};

describe('advisories', () => {
  it('are read from the code host', async () => {
    const now = '2026-11-01T00:00:00Z';
    host.world.advisories.push({
      ...record(),
      vulnerabilities: [{ ...affected('acme/deploy', '< 2', '2.0.0'), vulnerable_functions: [] }],
      url: 'x',
      html_url: 'https://github.com/advisories/GHSA-aaaa-bbbb-cccc',
      repository_advisory_url: null,
      description: 'x',
      type: 'reviewed',
      source_code_location: null,
      identifiers: [],
      references: [],
      published_at: now,
      updated_at: now,
      github_reviewed_at: now,
      nvd_published_at: null,
      cvss: null,
      cwes: [],
      credits: [],
    });
    const octokit = new (octokitFor(host.apiUrl))({ auth: host.publicToken });
    const found = await readAdvisories(octokit);
    expect(found).toMatchObject([
      { ghsa_id: 'GHSA-aaaa-bbbb-cccc', vulnerabilities: [{ first_patched_version: '2.0.0' }] },
    ]);
  });

  it('get a row for each action, with several ranges in one', () => {
    const vulnerabilities = [
      affected('Acme/Deploy', '>= 1.0.0, < 1.2.0', '1.2.0'),
      affected('acme/deploy', '= 2.0.0', '2.0.1'),
      affected('acme/other', '<= 1.0.0', null),
    ];
    expect(mergeAdvisories([], [record({ vulnerabilities })])).toEqual({
      rows: [
        {
          ghsa: 'GHSA-aaaa-bbbb-cccc',
          cve: null,
          action: 'acme/deploy',
          severity: 'MODERATE',
          vulnerable: ['>= 1.0.0, < 1.2.0', '= 2.0.0'],
          fixed: '2.0.1',
          summary: 'Acme deploy runs what it is told.',
        },
        expect.objectContaining({ action: 'acme/other', vulnerable: '<= 1.0.0', fixed: null }),
      ],
      added: ['acme/deploy GHSA-aaaa-bbbb-cccc', 'acme/other GHSA-aaaa-bbbb-cccc'],
      changed: [],
      removed: [],
      notes: [],
    });
  });

  it('keep hand-written summaries and unpublished rows', () => {
    const own: ActionAdvisory = { ...ROW, ghsa: 'GHSA-zzzz-zzzz-zzzz' };
    const { rows, changed } = mergeAdvisories([ROW, own], [record()]);
    expect(rows).toEqual([{ ...ROW, severity: 'MODERATE', vulnerable: '>= 1.0.0, < 1.2.0', fixed: '1.2.0' }, own]);
    expect(changed).toEqual(['acme/deploy GHSA-aaaa-bbbb-cccc']);
    expect(mergeAdvisories(rows, [record()])).toMatchObject({ rows, added: [], changed: [], removed: [] });
  });

  it('are removed when withdrawn and reported when unreadable', () => {
    expect(mergeAdvisories([ROW], [record({ withdrawn_at: '2026-11-01T00:00:00Z' })])).toMatchObject({
      rows: [],
      removed: ['acme/deploy GHSA-aaaa-bbbb-cccc'],
    });
    const odd = [affected("acme/de'ploy", '< 1', null), affected('acme/deploy', 'all of them', null)];
    const { rows, notes } = mergeAdvisories([], [record({ vulnerabilities: odd })]);
    expect(rows).toEqual([]);
    expect(notes).toHaveLength(2);
  });
});

describe('archived actions', () => {
  it('are added, removed when no longer archived, and keep their successors', async () => {
    await host.addRepository({ fullName: 'acme/archived', archived: true, files: { a: 'a' } });
    await host.addRepository({ fullName: 'acme/back', files: { a: 'a' } });
    await host.addRepository({ fullName: 'acme/new', formerNames: ['acme/old'], archived: true, files: { a: 'a' } });
    const before = [
      { action: 'acme/back', successor: null },
      { action: 'acme/gone', successor: 'acme/back' },
      { action: 'acme/old', successor: 'acme/back' },
    ];
    const states = await readStates(client, ['acme/archived', 'acme/back', 'acme/gone', 'acme/old']);
    expect(mergeArchived(before, states)).toEqual({
      rows: [{ action: 'acme/archived', successor: null }, before[1], before[2]],
      added: ['acme/archived'],
      changed: [],
      removed: ['acme/back'],
      notes: ['acme/gone is not there any more'],
    });
  });
});

describe('moved actions', () => {
  it('follow renames, and report an old name that is in use again', async () => {
    await host.addRepository({ fullName: 'acme/There', formerNames: ['acme/moved', 'acme/twice'], files: { a: 'a' } });
    await host.addRepository({ fullName: 'acme/taken', files: { a: 'a' } });
    const before = [
      { action: 'acme/lost', to: 'acme/nowhere' },
      { action: 'acme/taken', to: 'acme/There' },
      { action: 'acme/twice', to: 'acme/then' },
    ];
    const states = await readStates(client, ['acme/moved', 'acme/there', ...before.map(({ action }) => action)]);
    expect(mergeMoved(before, states)).toEqual({
      rows: [before[0], { action: 'acme/moved', to: 'acme/There' }, { action: 'acme/twice', to: 'acme/There' }],
      added: ['acme/moved: acme/There'],
      changed: ['acme/twice: acme/There'],
      removed: ['acme/taken'],
      notes: [
        'acme/lost no longer leads to acme/nowhere: whoever takes the name is run',
        'acme/taken is a repository of its own again, no longer acme/There: see who made it',
      ],
    });
    const hostile = new Map([['acme/x', { fullName: "acme/'}, {", archived: false }]]);
    expect(mergeMoved([], hostile).rows).toEqual([]);
  });
});

describe('a table', () => {
  it.each([
    ['action-advisories.ts', 'ACTION_ADVISORIES', ACTION_ADVISORIES],
    ['archived-actions.ts', 'ARCHIVED_ACTIONS', ARCHIVED_ACTIONS],
    ['action-runtimes.ts', 'ACTION_RUNTIMES', ACTION_RUNTIMES],
    ['action-interfaces.ts', 'ACTION_INTERFACES', ACTION_INTERFACES],
    ['moved-actions.ts', 'MOVED_ACTIONS', MOVED_ACTIONS],
  ] as const)('%s is found in its file, and nothing else changes', (file, name, rows) => {
    const text = readFileSync(`lib/data/generated/${file}`, 'utf8');
    const written = withRows(text, name, rows);
    expect(withRows(written, name, rows)).toBe(written);
    expect(withRows(written, name, []).length).toBeLessThan(text.length / 2);
    expect(written.slice(0, written.indexOf('= ['))).toBe(text.slice(0, text.indexOf('= [')));
    expect(() => withRows(text, 'OTHER', rows)).toThrow('OTHER');
  });
});
