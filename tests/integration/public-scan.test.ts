import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { collectEvidence } from '#lib/combos/evidence.ts';
import { findPaths } from '#lib/combos/match.ts';
import { createAdminDb } from '#lib/db/clients.ts';
import { readStatistics } from '#lib/db/queries/public-scans.ts';
import { env } from '#lib/env.ts';
import { NO_FACTS } from '#lib/facts/facts.ts';
import { createCodeHost } from '#lib/hosts/code-host/github.ts';
import { PEER_HEADER, PEER_MARK } from '#lib/http/limits/client-address.ts';
import { log } from '#lib/log.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import type { Services } from '#lib/services/context.ts';
import { scanPublicRepository } from '#lib/services/public-scans/scan.ts';
import { readNewestReport, readSharedReport } from '#lib/services/public-scans/shared-report.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import * as badgeRoute from '../../app/api/badge/[owner]/[repo]/route.ts';
import * as replayRoute from '../../app/api/public-scan/[slug]/route.ts';
import * as scanRoute from '../../app/api/public-scan/route.ts';
import * as statsRoute from '../../app/api/public-stats/route.ts';
import { callRoute, type RouteAnswer } from '../support/call-route.ts';
import { type CodeHostForTests, startCodeHost } from '../support/code-host.ts';
import { emptyDatabase, type TestDatabase } from '../support/database.ts';
import { configure } from '../support/environment.ts';

const SLOPPY = {
  '.github/workflows/xyzzyq-release-train.yml': `name: xyzzyq release
on: [pull_request_target, issue_comment]
jobs:
  xyzzyqpublish:
    runs-on: ubuntu-latest
    steps:
      - uses: xyzzyqvendor/xyzzyqdeploy@v3
      - uses: xyzzyqvendor/xyzzyqnotify@main
      - run: echo "\${{ github.event.comment.body }}" > xyzzyq-notes.txt
      - run: echo "\${{ github.event.issue.title }}"
`,
  '.github/workflows/xyzzyq-nightly.yml': `on: issue_comment
jobs:
  xyzzyqsweep:
    runs-on: ubuntu-latest
    steps:
      - uses: xyzzyqvendor/xyzzyqsweeper@v1
      - run: echo "\${{ github.event.comment.body }}"
`,
};
const TAKEOVER = {
  '.github/workflows/xyzzyq-greet.yml': `on: issues
permissions: { contents: write }
jobs:
  xyzzyqgreet:
    runs-on: ubuntu-latest
    steps:
      - run: echo "\${{ github.event.issue.title }}"
`,
};
const QUIET = {
  '.github/workflows/ci.yml':
    'on: push\npermissions: {}\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    timeout-minutes: 5\n    steps:\n      - run: make\n',
};

let database: TestDatabase;
let host: CodeHostForTests;
const lines: string[] = [];

beforeAll(async () => {
  [database, host] = await Promise.all([emptyDatabase(), startCodeHost()]);
  configure({
    SUPABASE_URL: database.url,
    SUPABASE_PUBLISHABLE_KEY: database.publishableKey,
    SUPABASE_SECRET_KEY: database.secretKey,
    SCM_WEB_URL: host.webUrl,
    SCM_API_URL: host.apiUrl,
    SCM_GRAPHQL_URL: host.graphqlUrl,
    SCM_PUBLIC_TOKEN: host.publicToken,
  });
  Reflect.set(globalThis, PEER_MARK, true);
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
    lines.push(String(line));
    return true;
  });
});

afterAll(async () => {
  vi.restoreAllMocks();
  await Promise.all([host?.stop(), database?.stop()]);
});

beforeEach(async () => {
  await database.sql('delete from public.rate_limits');
  await host.log();
});

afterEach(async () => {
  expect(await database.sql('select repo_key from public.public_scan_claims')).toEqual([]);
});

let visitors = 0;
const visitor = () => `203.0.${Math.floor((visitors += 1) / 250)}.${(visitors % 250) + 1}`;

const post = (repo: unknown, address = visitor()): Promise<RouteAnswer> =>
  callRoute(scanRoute, { method: 'POST', body: { repo }, headers: { [PEER_HEADER]: address } });
const replay = (slug: unknown) => callRoute(replayRoute, { params: { slug: String(slug) } });
const badge = (owner: string, repo: string, query = '') => callRoute(badgeRoute, { params: { owner, repo }, query });
const requests = async () => (await host.log()).length;
const stored = () => database.sql('select * from public.public_scans');

async function repository(
  files: Readonly<Record<string, string>>,
  more: Record<string, unknown> = {},
): Promise<string> {
  const fullName = `Octo/Web-${randomUUID().slice(0, 8)}`;
  await host.addRepository({ fullName, files, ...more });
  return fullName;
}

describe('a public scan', () => {
  it('costs at most two requests, is cached for an hour in any spelling, and replayed by its slug', async () => {
    const name = await repository(SLOPPY);
    const first = await post(name);
    expect(first.status, first.text).toBe(200);
    expect(await requests()).toBeLessThanOrEqual(2);
    expect(first.json).toMatchObject({ repo: name, default_branch: 'main', workflow_files: 2, cached: false });
    expect(first.json).not.toHaveProperty('no_workflows');
    for (const spelling of [name.toLowerCase(), `${host.webUrl}/${name}/tree/main`, `${name}.git`]) {
      const again = await post(spelling);
      expect(again.json).toEqual({ ...first.json, cached: true });
    }
    const replayed = await replay(first.json['slug']);
    expect(replayed.json).toEqual({ ...first.json, cached: true });
    expect(replayed.headers.get('cache-control')).toBe('public, max-age=3600, immutable');
    expect(await requests()).toBe(0);
  });

  it('is repeated after an hour under a new slug, and the old one stays', async () => {
    const name = await repository(SLOPPY);
    const first = await post(name);
    await database.sql(`update public.public_scans set scanned_at = now() - interval '61 minutes' where slug = $1`, [
      first.json['slug'],
    ]);
    const second = await post(name);
    expect([second.json['cached'], second.json['slug'] === first.json['slug']]).toEqual([false, false]);
    expect((await replay(first.json['slug'])).status).toBe(200);
  });

  it('runs once for concurrent requests, one of which started it', async () => {
    const name = await repository(SLOPPY);
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(name)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ json }) => json['slug'])).size).toBe(1);
    expect(answers.filter(({ json }) => json['cached'] === false)).toHaveLength(1);
    expect(await requests()).toBeLessThanOrEqual(2);
  });

  it('waits for another instance’s scan', async () => {
    const name = await repository(SLOPPY);
    const claim = randomUUID();
    await database.sql(`insert into public.public_scan_claims values ($1, $2, now() + interval '1 minute')`, [
      name.toLowerCase(),
      claim,
    ]);
    const waiting = post(name);
    const other = await scanPublicRepository(elsewhere(), await repository(QUIET));
    expect(await requests()).toBeLessThanOrEqual(2);
    const { slug, scanned_at, findings } = other;
    await database.sql(
      `with one as (select * from public.public_scans where slug = $1)
       insert into public.public_scans (slug, repo_key, scm_id, repo, default_branch, workflow_files, high, medium, low, info, top_findings, not_assessed, rule_counts)
       select 'made-by-another-one', $2, scm_id, $3, default_branch, workflow_files, high, medium, low, info, top_findings, not_assessed, rule_counts from one`,
      [slug, name.toLowerCase(), name],
    );
    await database.sql('delete from public.public_scan_claims where claim = $1', [claim]);
    expect((await waiting).json).toMatchObject({ slug: 'made-by-another-one', cached: true, findings });
    expect(scanned_at).toMatch(/Z$/);
    expect(await requests()).toBe(0);
  });
});

describe('the public report', () => {
  it('never contains places or texts of findings, in any byte sent or stored', async () => {
    const name = await repository(SLOPPY);
    const inputs = Object.entries(SLOPPY).map(([path, text]) => ({ path, text }));
    const { findings } = scanRepository(createRepository(inputs));
    expect(findings.length).toBeGreaterThan(5);
    const scan = await post(name);
    const [owner = '', repo = ''] = name.split('/');
    const answers = [
      scan,
      await replay(scan.json['slug']),
      await callRoute(statsRoute),
      await badge(owner, repo),
      await badge(owner, `${repo}.svg`),
    ];
    const rows = JSON.stringify(await database.sql('select * from public.public_scans where repo = $1', [name]));
    const shown = scan.json['top_findings'] as { title: string; rule_id: string }[];
    const titles = new Set(shown.map(({ title }) => title));
    const rules = new Set(shown.map(({ rule_id }) => rule_id));
    const secrets = findings.flatMap(({ file, description, recommendation, snippet, fingerprint, title, ruleId }) => [
      file ?? '',
      (file ?? '').split('/').at(-1) ?? '',
      description,
      recommendation,
      ...(snippet ?? '').split('\n').map((line) => line.trim()),
      fingerprint,
      ...(titles.has(title) ? [] : [title]),
      ...(rules.has(ruleId) ? [] : [`"${ruleId}"`]),
    ]);
    for (const secret of new Set(secrets.filter((text) => text.length > 4))) {
      for (const { text } of answers.slice(0, 2)) expect(text).not.toContain(secret);
      expect(answers[3]?.text).not.toContain(secret);
      if (!secret.startsWith('"')) expect(rows).not.toContain(secret);
    }
    for (const { text } of answers)
      expect(text.toLowerCase()).not.toMatch(/xyzzyq|"line"|"column"|"file"|"description"|"snippet"/);
    expect(rows).not.toContain('xyzzyq');
    expect(scan.json['findings']).toBe(findings.length);
    expect(scan.json['locked_findings']).toBe(findings.length - shown.length);
    expect(Object.keys(shown[0] ?? {}).sort()).toEqual(['category', 'rule_id', 'severity', 'title']);
    expect(lines.join('')).not.toContain('xyzzyq');
  });

  it('stores attack paths by kind and checks by category for its page, and nothing else about them', async () => {
    const files = { ...SLOPPY, ...TAKEOVER };
    const sloppy = createRepository(Object.entries(files).map(([path, text]) => ({ path, text })));
    const name = await repository(files);
    const { json } = await post(name);
    expect(json).not.toHaveProperty('attack_paths');
    const [owner = '', repo = ''] = name.split('/');
    const shared = await readNewestReport(elsewhere(), { owner, name: repo.toUpperCase() });
    expect(shared?.report).toEqual({ ...json, cached: true });
    const found = findPaths(collectEvidence(sloppy, scanRepository(sloppy).findings, NO_FACTS)).filter(
      ({ severity }) => severity === 'CRITICAL',
    );
    const critical = shared?.outlook?.paths.filter(({ severity }) => severity === 'CRITICAL') ?? [];
    expect(found.length).toBeGreaterThan(0);
    expect(critical.reduce((sum, { count }) => sum + count, 0)).toBe(found.length);
    expect(critical[0]?.stages.filter(({ breaks }) => breaks)).toHaveLength(1);
    const run = shared?.outlook?.checks.reduce((sum, check) => sum + check.run, 0) ?? 0;
    const passed = shared?.outlook?.checks.reduce((sum, check) => sum + check.passed, 0) ?? 0;
    expect(run + (json['not_assessed'] as unknown[]).length).toBe(rules.length);
    const fired = new Set(scanRepository(sloppy).findings.map(({ ruleId }) => ruleId));
    expect(run - passed).toBe(fired.size);
    expect(JSON.stringify(shared)).not.toMatch(/xyzzyq|fingerprint/);
    expect(await readNewestReport(elsewhere(), { owner, name: 'never-scanned' })).toBeNull();
    expect(await readNewestReport(elsewhere(), { owner: '..', name: repo })).toBeNull();
  });

  it('leads from the badge to the newest scan, while its own link keeps the old one', async () => {
    const name = await repository(SLOPPY);
    const [owner = '', repo = ''] = name.split('/');
    const first = await post(name);
    await database.sql(`update public.public_scans set scanned_at = now() - interval '2 hours' where repo = $1`, [
      name,
    ]);
    const second = await post(name);
    const newest = await readNewestReport(elsewhere(), { owner, name: repo });
    expect(newest).toMatchObject({ report: { slug: second.json['slug'] }, outdated: false, isRescannable: false });
    const kept = await readSharedReport(elsewhere(), String(first.json['slug']));
    expect(kept).toMatchObject({ report: { slug: first.json['slug'] }, outdated: true, isRescannable: false });
  });

  it('shows the first three by severity, confidence and rule', async () => {
    const { json } = await post(await repository(SLOPPY));
    const order = ['HIGH', 'MEDIUM', 'LOW', 'INFO'];
    const shown = (json['top_findings'] as { severity: string }[]).map(({ severity }) => order.indexOf(severity));
    expect(shown).toHaveLength(3);
    expect(shown).toEqual([...shown].sort((a, b) => a - b));
    expect(shown[0]).toBe(0);
  });

  it('includes findings that the repository suppresses, also on the badge', async () => {
    const [path = '', text = ''] = Object.entries(SLOPPY)[0] ?? [];
    const rules = [...new Set(scanRepository(createRepository([{ path, text }])).findings.map(({ ruleId }) => ruleId))];
    const entries = rules.map((rule) => `  - { rule: ${rule}, reason: nothing to see }`);
    const comment = `# chainbreak: ignore[${rules.join(', ')}] fine\n`;
    const open = await post(await repository({ [path]: text }));
    expect(open.json['findings']).toBeGreaterThan(3);
    const { counts, findings, top_findings } = open.json;
    for (const files of [
      { [path]: text, '.github/chainbreak.yml': `ignore:\n${entries.join('\n')}\n` },
      { [path]: text.replace(/^ +- /gm, (step) => `${step.replace('- ', '')}${comment}${step}`) },
    ]) {
      const inputs = Object.entries(files).map(([path, text]) => ({ path, text }));
      expect(scanRepository(createRepository(inputs)).suppressed.length).toBeGreaterThan(2);
      const name = await repository(files);
      expect((await post(name)).json).toMatchObject({ counts, findings, top_findings });
      const [owner = '', repo = ''] = name.split('/');
      expect((await badge(owner, `${repo}.svg`)).text).toMatch(/<title>[^<]*\d high/i);
    }
  });

  it('counts all findings, even if a scan lists only some', async () => {
    const [path = '', text = ''] = Object.entries(SLOPPY)[0] ?? [];
    const few = await post(await repository({ [path]: text }));
    const many = await post(await repository({ [path]: `${text}${'      - uses: a/b@main\n'.repeat(300)}` }));
    expect(many.json['findings']).toBe(Number(few.json['findings']) + 300);
    expect(many.json['locked_findings']).toBe(Number(few.json['locked_findings']) + 300);
    expect(many.json['not_assessed']).toEqual(few.json['not_assessed']);
  });

  it('lists the rules that two requests cannot assess', async () => {
    const { json } = await post(await repository(SLOPPY));
    const open = json['not_assessed'] as { rule_id: string; reason: string }[];
    const { notAssessed } = scanRepository(createRepository([]));
    expect(open.map(({ rule_id }) => rule_id)).toEqual(notAssessed.map(({ ruleId }) => ruleId));
    const large = await post(await repository({ '.github/workflows/a.yml': `on: push # ${'x'.repeat(600_000)}` }));
    expect(large.json).toMatchObject({ workflow_files: 1, findings: 0 });
    expect(large.json['not_assessed']).toContainEqual({ rule_id: 'template-injection', reason: 'rate_limited' });
  });
});

describe('every kind of repository', () => {
  it('missing, private and internal ones get the same response', async () => {
    const before = await stored();
    const answers = [
      await post('octo/missing'),
      await post(await repository(SLOPPY, { visibility: 'private' })),
      await post(await repository(SLOPPY, { visibility: 'internal' })),
    ];
    const bodies = answers.map(({ text, json }) => text.replace(String(json['request_id']), ''));
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(new Set(bodies).size).toBe(1);
    expect(await stored()).toEqual(before);
  });

  it('the name of one that became private leads to no report once its scan is refused; links keep working', async () => {
    const [owner, name] = ['Octo', `Web-${randomUUID().slice(0, 8)}`];
    const added = await host.addRepository({ fullName: `${owner}/${name}`, files: SLOPPY });
    const first = await post(`${owner}/${name}`);
    const slug = String(first.json['slug']);
    const recent = async () => JSON.stringify((await readStatistics(elsewhere().adminDb())).recent);
    expect(await recent()).toContain(name);
    host.world.updateRepository(added, { visibility: 'private' });
    await database.sql(`update public.public_scans set scanned_at = now() - interval '61 minutes' where slug = $1`, [
      slug,
    ]);
    expect(await readNewestReport(elsewhere(), { owner, name })).not.toBeNull();

    expect((await post(`${owner}/${name}`)).status).toBe(404);
    expect(await readNewestReport(elsewhere(), { owner, name })).toBeNull();
    expect((await badge(owner, name)).text).toContain('not scanned');
    expect(await database.sql('select 1 from public.public_scans where slug = $1 and latest', [slug])).toEqual([]);
    expect((await replay(slug)).json).toEqual({ ...first.json, cached: true, scanned_at: expect.any(String) });

    host.world.updateRepository(added, { visibility: 'public' });
    const again = await post(`${owner}/${name}`);
    expect(again.json).toMatchObject({ repo: `${owner}/${name}`, cached: false });
    const newest = await readNewestReport(elsewhere(), { owner, name });
    expect(newest?.report.slug).toBe(again.json['slug']);
  });

  it('keeps its reports by name when the code host fails instead of answering', async () => {
    const name = await repository(SLOPPY);
    await post(name);
    await database.sql(`update public.public_scans set scanned_at = now() - interval '61 minutes' where repo = $1`, [
      name,
    ]);
    await host.fault({ match: 'POST /api/graphql', times: 2, effect: { kind: 'status', status: 502 } });
    expect((await post(name)).status).toBe(502);
    host.clearFaults();
    const [owner = '', repo = ''] = name.split('/');
    expect(await readNewestReport(elsewhere(), { owner, name: repo })).not.toBeNull();
  });

  it('a renamed one is scanned and stored under its new name', async () => {
    const former = `octo/old-${randomUUID().slice(0, 8)}`;
    const name = await repository(QUIET, { formerNames: [former] });
    const first = await post(former);
    expect(first.json).toMatchObject({ repo: name, cached: false });
    expect((await post(name)).json).toEqual({ ...first.json, cached: true });
    expect((await post(former)).json).toEqual({ ...first.json, cached: true });
  });

  it('empty ones and ones without workflows have no findings', async () => {
    const nothing = { findings: 0, locked_findings: 0, workflow_files: 0, no_workflows: true, top_findings: [] };
    expect((await post(await repository({}))).json).toMatchObject({ ...nothing, default_branch: '' });
    expect((await post(await repository({ 'README.md': '#' }))).json).toMatchObject({
      ...nothing,
      default_branch: 'main',
    });
  });

  it('an archived one is scanned like any other', async () => {
    expect((await post(await repository(SLOPPY, { archived: true }))).json).toMatchObject({ workflow_files: 2 });
  });

  it('a huge one takes two requests', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 300 }, (_, n) => [`.github/workflows/w${n}.yml`, Object.values(SLOPPY)[0] as string]),
    );
    const { status, json } = await post(await repository(files));
    expect([status, json['workflow_files']]).toEqual([200, 300]);
    expect(await requests()).toBeLessThanOrEqual(2);
  });

  it.each([
    null,
    1,
    '',
    'acme',
    'https://gitlab.com/a/b',
    'a/b/c',
    'a/..',
    `a/${'b'.repeat(600)}`,
    'a/b\u0000',
    'a b/c',
  ])('%j is rejected', async (input) => {
    const { status, json } = await post(input);
    expect([status, json['code']]).toEqual([400, 'validation-failed']);
    expect(json['errors']).toMatchObject([{ path: 'repo' }]);
    expect(await requests()).toBe(0);
  });
});

describe('when the code host fails', () => {
  const always = { match: 'POST /api/graphql', times: 2 };

  it.each([
    ['an outage', { kind: 'status', status: 502, body: '<html>upstream secret</html>' }, 2],
    ['a cut connection', { kind: 'reset' }, 2],
    ['refused credentials', { kind: 'status', status: 401, body: '{"message":"Bad credentials"}' }, 1],
  ] as const)('%s gives 502, leaves nothing half-written, and the next visitor is served', async (_, effect, used) => {
    const name = await repository(SLOPPY);
    const before = await stored();
    await host.fault({ ...always, times: used, effect });
    const failed = await post(name);
    expect([failed.status, failed.json['code']], failed.text).toEqual([502, 'scm-unreachable']);
    expect(failed.text).not.toContain('upstream');
    expect(await requests()).toBeLessThanOrEqual(2);
    expect(await stored()).toEqual(before);
    expect((await post(name)).json).toMatchObject({ cached: false, workflow_files: 2 });
  });

  it.each([200, 403, 429] as const)('a limit with status %i gives 502 and a retry time', async (status) => {
    const name = await repository(SLOPPY);
    const own = elsewhere();
    await host.fault({ ...always, times: 1, effect: { kind: 'primary-limit', status, resetSeconds: 77 } });
    const failure: unknown = await scanPublicRepository(own, name).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'scm-unreachable' });
    const { retryAfterSeconds } = failure as { retryAfterSeconds: number };
    expect(retryAfterSeconds).toBeGreaterThan(70);
    expect(retryAfterSeconds).toBeLessThanOrEqual(78);
  });

  it('a limit reaches the visitor as Retry-After', async () => {
    const name = await repository(SLOPPY);
    await host.fault({ ...always, times: 1, effect: { kind: 'secondary-limit', status: 403, retryAfterSeconds: 1 } });
    const { status, headers } = await post(name);
    expect([status, headers.get('retry-after')]).toEqual([502, '1']);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect((await post(name)).status).toBe(200);
  });

  it('a timeout gives 502', async () => {
    const name = await repository(SLOPPY);
    await host.fault({ ...always, effect: { kind: 'hang' } });
    await expect(scanPublicRepository(elsewhere(150), name)).rejects.toMatchObject({ code: 'scm-unreachable' });
    expect((await post(name)).status).toBe(200);
  });

  it('all waiting clients get the failure, and it counts as one attempt', async () => {
    const name = await repository(SLOPPY);
    await host.fault({ ...always, effect: { kind: 'status', status: 502 } });
    const own = elsewhere();
    const asked = Array.from({ length: 10 }, () => scanPublicRepository(own, name));
    const failures = (await Promise.allSettled(asked)).map(({ status, ...rest }) => [status, Object.values(rest)[0]]);
    expect(failures).toEqual(asked.map(() => ['rejected', expect.objectContaining({ code: 'scm-unreachable' })]));
    expect(await requests()).toBeLessThanOrEqual(2);
  });
});

describe('when the database fails', () => {
  it('the scan is answered without a share link', async () => {
    const nobody = createAdminDb({ url: 'http://127.0.0.1:9', publishableKey: 'p', secretKey: 's' });
    const report = await scanPublicRepository({ ...elsewhere(), adminDb: () => nobody }, await repository(SLOPPY));
    expect(report).toMatchObject({ workflow_files: 2, cached: false });
    expect(report).not.toHaveProperty('slug');
  });
});

describe('limits', () => {
  it('are five a minute per visitor, with any response, and report when to retry', async () => {
    const address = visitor();
    const name = await repository(QUIET);
    const statuses = [];
    for (const repo of [name, name, 'octo/missing', 'no repository', name])
      statuses.push((await post(repo, address)).status);
    expect(statuses).toEqual([200, 200, 404, 400, 200]);
    const { status, headers, json } = await post(name, address);
    expect([status, json['code']]).toEqual([429, 'rate-limited']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(50);
    expect((await post(name)).status).toBe(200);
  });

  it('are thirty a minute for everyone together', async () => {
    const name = await repository(QUIET);
    const answers = await Promise.all(Array.from({ length: 32 }, () => post(name)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(30);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2);
  });

  it('count an IPv6 network as one visitor, and store no address', async () => {
    const name = await repository(QUIET);
    for (let n = 1; n <= 5; n += 1) await post(name, `2001:db8:7:7::${n}`);
    expect((await post(name, '2001:db8:7:7:1::1')).status).toBe(429);
    expect((await post(name, '2001:db8:7:8::1')).status).toBe(200);
    expect(JSON.stringify(await database.sql('select * from public.rate_limits'))).not.toContain('2001');
  });
});

describe('what is stored', () => {
  it('an unknown slug is 404', async () => {
    for (const slug of ['nothing-of-this-name-here', '', 'a/b', '../x', 'x'.repeat(65)]) {
      expect((await replay(slug)).status, slug).toBe(404);
    }
  });

  it('the badge shows the newest scan of any age, and is always an image', async () => {
    const name = await repository(SLOPPY);
    const [owner = '', repo = ''] = name.split('/');
    const title = ({ text }: RouteAnswer) => /<title>(.*?)<\/title>/.exec(text)?.[1];
    expect(title(await badge(owner, repo))).toBe('chainbreak: not scanned');
    const { json } = await post(name);
    await database.sql(`update public.public_scans set scanned_at = now() - interval '30 days' where repo = $1`, [
      name,
    ]);
    const [nobody = '', nothing = ''] = (await repository({ 'README.md': '#' })).split('/');
    await post(`${nobody}/${nothing}`);
    expect(title(await badge(nobody, nothing))).toBe('chainbreak: no workflows');
    for (const answer of [await badge(owner.toLowerCase(), repo), await badge(owner, `${repo}.svg`)]) {
      expect(title(answer)).toBe(`chainbreak: ${(json['counts'] as { HIGH: number }).HIGH} high`);
      expect(answer.headers.get('cache-control')).toBe('public, max-age=14400, s-maxage=14400');
      expect(answer.headers.get('content-type')).toBe('image/svg+xml');
    }
    for (const [odd, name] of [
      ['..', 'x'],
      ['a b', '<svg>'],
      ['a', ''],
      ['\u0000', 'b'],
    ] as const) {
      const answer = await badge(odd, name, '?style=nope&label=%3Cscript%3E');
      expect([answer.status, title(answer)]).toEqual([200, '&lt;script&gt;: not scanned']);
    }
  });

  it('the statistics are coarse, list each repository once, and are cached for five minutes', async () => {
    const { json, headers } = await callRoute(statsRoute);
    expect(headers.get('cache-control')).toBe('public, max-age=0, s-maxage=300');
    for (const field of ['repositories_scanned', 'workflows_scanned', 'findings_found', 'actions_scored']) {
      expect(json[field]).toMatch(/^\d+k\+$/);
    }
    const recent = json['recent'] as { repo: string }[];
    expect(new Set(recent.map(({ repo }) => repo)).size).toBe(recent.length);
    expect(Object.keys(recent[0] ?? {}).sort()).toEqual(['counts', 'findings', 'repo', 'scanned_at']);
    await post(await repository(QUIET));
    expect((await callRoute(statsRoute)).json).toEqual(json);
  });
});

function elsewhere(timeoutMs = 10_000): Services {
  const admin = createAdminDb(database);
  const { apiUrl, graphqlUrl, publicToken: token } = host;
  const codeHost = createCodeHost({ apiUrl, graphqlUrl, token, timeoutMs });
  const codeHostApp = () => {
    throw new Error('An anonymous scan is none of the app.');
  };
  return { env: env(), log, adminDb: () => admin, publicCodeHost: () => codeHost, codeHostApp };
}
