import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Company,
  type ConnectedService,
  QUIET,
  SLOPPY,
  sloppyFiles,
  startConnectedService,
} from '../../support/connected-service.ts';
import type { TestUser } from '../../support/service.ts';

let service: ConnectedService;
let acme: Company;

beforeAll(async () => {
  service = await startConnectedService();
  acme = await service.company('acme');
});
afterAll(() => service?.stop());
beforeEach(() => service.host.log());

let repositories = 0;
async function newRepository(files: Readonly<Record<string, string>> = sloppyFiles()) {
  const fullName = `acme/r${(repositories += 1)}`;
  const made = await service.host.addRepository({ fullName, files, visibility: 'private' });
  const id = (await service.connect(acme)).get(fullName) ?? '';
  await service.host.log();
  return { id, fullName, made };
}

const scan = (repoId: string, body: object = {}, as: TestUser = acme.admin) =>
  service.call('POST /api/scan', { as, body: { repo_id: repoId, ...body } });
const rows = <Row = Record<string, unknown>>(text: string, ...parameters: unknown[]) =>
  service.database.sql<Row>(text, parameters);
const scansOf = async (id: string) =>
  Number((await rows<{ n: string }>('select count(*)::text as n from public.scans where repo_id = $1', id))[0]?.n);
const findingsOf = (scanId: unknown) =>
  rows<{ rule_id: string; fingerprint: string; severity: string }>(
    'select rule_id, fingerprint, severity from public.findings where scan_id = $1 order by fingerprint',
    scanId,
  );
const workOf = async () =>
  (await service.host.log()).filter(({ path }) => !path.endsWith('/access_tokens')).map(({ path }) => path);

describe('POST /api/scan', () => {
  it('returns the stored scan, with counts of open findings by lower-case severity', async () => {
    const { id } = await newRepository();
    const { status, json } = await scan(id);
    expect(status).toBe(200);
    const found = await findingsOf(json['scan_id']);
    expect(found.length).toBeGreaterThan(3);
    const count = (severity: string) => found.filter((finding) => finding.severity === severity).length;
    expect(json).toEqual({
      scan_id: expect.any(String),
      repo_id: id,
      workflow_files: 1,
      counts: { high: count('HIGH'), medium: count('MEDIUM'), low: count('LOW'), info: count('INFO') },
      findings: found.length,
      new_findings: found.length,
    });
    expect(count('HIGH')).toBeGreaterThan(0);
  });

  it('stores trigger, ruleset, commit, user and times', async () => {
    const { id, made } = await newRepository();
    const { json } = await scan(id);
    const [row] = await rows('select * from public.scans where id = $1', json['scan_id']);
    expect(row).toMatchObject({ trigger: 'manual', ruleset: 'all', user_id: acme.admin.id, suppressed: 0 });
    expect(row?.['commit_sha']).toMatch(/^[0-9a-f]{40}$/);
    const [repository] = await rows('select * from public.repositories where id = $1', id);
    expect(repository).toMatchObject({
      last_scan_id: json['scan_id'],
      scm_id: String(made.id),
      default_branch: 'main',
    });
  });

  it('stores what it could not assess and the first 20 things wrong with the files', async () => {
    const broken = Object.fromEntries(
      Array.from({ length: 25 }, (_, n) => [`.github/workflows/broken-${10 + n}.yml`, 'on: push\njobs: 1\n']),
    );
    const { id } = await newRepository({ ...sloppyFiles(), ...broken });
    const { json } = await scan(id);
    const [row] = await rows<{ not_assessed: unknown[]; diagnostics: { count: number; first: object[] } }>(
      'select s.not_assessed, s.diagnostics from public.scans s where s.id = $1',
      json['scan_id'],
    );
    expect(row?.not_assessed).toContainEqual({ rule_id: expect.any(String), reason: expect.any(String) });
    expect(row?.diagnostics.count).toBeGreaterThanOrEqual(25);
    expect(row?.diagnostics.first).toHaveLength(20);
    const named = row?.diagnostics.first.filter((each) =>
      Object.values(each).includes('.github/workflows/broken-10.yml'),
    );
    expect(named?.[0]).toMatchObject({ line: 2, severity: 'warning', message: expect.any(String) });
    expect(Object.keys(named?.[0] ?? {}).sort()).toEqual(['column', 'file', 'line', 'message', 'severity']);
    const again = await scan(id);
    const [copy] = await rows('select diagnostics from public.scans where id = $1', again.json['scan_id']);
    expect(copy?.['diagnostics']).toEqual(row?.diagnostics);
  });

  it('finds nothing new the second time, and downloads no unchanged file', async () => {
    const { id } = await newRepository();
    const first = await scan(id);
    expect((await workOf()).filter((path) => path.endsWith('/graphql')).length).toBeLessThanOrEqual(3);
    const second = await scan(id);
    const asked = await workOf();
    expect(asked.filter((path) => path.endsWith('/graphql'))).toHaveLength(2);
    expect(asked).toHaveLength(8);
    expect(second.json).toMatchObject({
      counts: first.json['counts'],
      findings: first.json['findings'],
      new_findings: 0,
    });
    expect(second.json['scan_id']).not.toBe(first.json['scan_id']);
    const [before, after] = await Promise.all([findingsOf(first.json['scan_id']), findingsOf(second.json['scan_id'])]);
    expect(after).toEqual(before);
    const ledger = await rows('select distinct last_scan_id from public.finding_ledger where repo_id = $1', id);
    expect(ledger).toEqual([{ last_scan_id: second.json['scan_id'] }]);
  });

  it('counts new findings after a push, resolves missing ones and reopens returning ones', async () => {
    const { id, fullName } = await newRepository();
    await scan(id);
    const push = (files: Readonly<Record<string, string>>) => service.host.push(fullName, { files });
    await push({ '.github/workflows/greet.yml': QUIET });
    const quiet = await scan(id);
    expect(quiet.json).toMatchObject({ counts: { high: 0, medium: 0, low: 0 }, new_findings: 0 });
    const ofSettings = Number(quiet.json['findings']);
    const resolved = await rows(
      'select fingerprint from public.finding_ledger where repo_id = $1 and resolved_at is not null',
      id,
    );
    expect(resolved.length).toBeGreaterThan(3);
    await push({ '.github/workflows/greet.yml': SLOPPY, '.github/workflows/more.yml': SLOPPY });
    const { json } = await scan(id);
    expect(json['new_findings']).toBeGreaterThan(3);
    expect(json['findings']).toBe(resolved.length + Number(json['new_findings']) + ofSettings);
    expect(
      await rows('select 1 from public.finding_ledger where repo_id = $1 and resolved_at is not null', id),
    ).toEqual([]);
  });

  it('does not store findings of a disabled rule; repository overrides win', async () => {
    const { id } = await newRepository();
    const put = (operation: `PUT /api/${string}`, enabled: boolean) =>
      service.call(operation, {
        as: acme.admin,
        params: { rule_id: 'template-injection', repo_id: id },
        body: { enabled },
      });
    const found = async () => {
      const { json } = await scan(id);
      return (await findingsOf(json['scan_id'])).some(({ rule_id }) => rule_id === 'template-injection');
    };
    expect(await found()).toBe(true);
    await put('PUT /api/rule-settings/{rule_id}', false);
    expect(await found()).toBe(false);
    await put('PUT /api/repositories/{repo_id}/rule-overrides/{rule_id}', true);
    expect(await found()).toBe(true);
    await service.call('DELETE /api/rule-settings/{rule_id}', {
      as: acme.admin,
      params: { rule_id: 'template-injection' },
    });
    await put('PUT /api/repositories/{repo_id}/rule-overrides/{rule_id}', false);
    expect(await found()).toBe(false);
  });

  it('does not resolve a finding whose rule did not run', async () => {
    const { id } = await newRepository();
    await scan(id);
    await service.call('PUT /api/repositories/{repo_id}/rule-overrides/{rule_id}', {
      as: acme.admin,
      params: { rule_id: 'template-injection', repo_id: id },
      body: { enabled: false },
    });
    await scan(id);
    const ledger = await rows(
      `select status, resolved_at from public.finding_ledger where repo_id = $1 and rule_id = 'template-injection'`,
      id,
    );
    expect(ledger).toEqual([{ status: 'open', resolved_at: null }]);
  });

  it('runs only security rules under owasp, and all by default', async () => {
    const { id } = await newRepository();
    const all = await scan(id);
    const owasp = await scan(id, { ruleset: 'owasp' });
    expect(Number(owasp.json['findings'])).toBeLessThan(Number(all.json['findings']));
    const [row] = await rows('select ruleset from public.scans where id = $1', owasp.json['scan_id']);
    expect(row).toEqual({ ruleset: 'owasp' });
  });

  it('counts suppressed findings without storing them', async () => {
    const suppressed = SLOPPY.replace(
      '      - run: echo',
      '      # chainbreak: ignore[template-injection] shown only\n      - run: echo',
    );
    const { id } = await newRepository({ '.github/workflows/greet.yml': suppressed });
    const { json } = await scan(id);
    expect((await findingsOf(json['scan_id'])).some(({ rule_id }) => rule_id === 'template-injection')).toBe(false);
    const [row] = await rows('select suppressed from public.scans where id = $1', json['scan_id']);
    expect(row).toEqual({ suppressed: 1 });
  });

  it('looks up used actions with the installation, and not again while nothing changed', async () => {
    const text = 'on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n      - uses: tools/both@v1\n';
    await service.host.addRepository({ fullName: 'acme/user-of-both', files: { '.github/workflows/ci.yml': text } });
    const tool = await service.host.addRepository({ fullName: 'tools/both', files: { 'action.yml': 'name: x\n' } });
    const { after } = await service.host.push('tools/both', { branch: 'v1', files: { 'action.yml': 'name: y\n' } });
    await service.host.world.tag(tool, 'v1', after);
    const id = (await service.connect(acme)).get('acme/user-of-both') ?? '';
    const { json } = await scan(id);
    expect((await findingsOf(json['scan_id'])).map(({ rule_id }) => rule_id)).toContain('ref-confusion');
    const [said] = await rows<{ completed: string[] }>(
      'select completed from public.scan_rules where scan_id = $1',
      json['scan_id'],
    );
    expect(said?.completed).toContain('impostor-commit');
    await service.host.log();
    const again = await scan(id);
    expect(again.json['findings']).toBe(json['findings']);
    expect((await service.host.log()).map(({ operation }) => operation)).not.toContain('Actions');
  });

  it('reads settings once if permitted, else reports them as not assessed', async () => {
    const poor = await service.company('poor', {
      permissions: { metadata: 'read', contents: 'read', members: 'read' },
    });
    const files = sloppyFiles();
    await service.host.addRepository({ fullName: 'poor/app', files });
    const rich = await service.host.addRepository({
      fullName: 'acme/settings',
      files,
      workflowSettings: { defaultPermissions: 'write', canApprovePullRequests: true },
    });
    const poorId = (await service.connect(poor)).get('poor/app') ?? '';
    const richId = (await service.connect(acme)).get('acme/settings') ?? '';
    const unread = await scan(poorId, {}, poor.admin);
    const [said] = await rows('select not_assessed from public.scan_rules where scan_id = $1', unread.json['scan_id']);
    expect(said?.['not_assessed']).toContainEqual({ rule_id: 'default-workflow-token-write', reason: 'no_permission' });
    await service.host.log();
    const { json } = await scan(richId);
    expect((await workOf()).filter((path) => path.endsWith('/actions/permissions/workflow'))).toHaveLength(1);
    const [found] = await rows(
      `select file, line, "column", snippet from public.findings where scan_id = $1 and rule_id = 'default-workflow-token-write'`,
      json['scan_id'],
    );
    expect(found).toEqual({ file: null, line: null, column: null, snippet: null });
    service.host.world.updateRepository(rich, {
      workflowSettings: { defaultPermissions: 'read', canApprovePullRequests: false },
    });
    const after = await scan(richId);
    expect((await findingsOf(after.json['scan_id'])).map(({ rule_id }) => rule_id)).not.toContain(
      'default-workflow-token-write',
    );
  });

  it('scans empty, archived and renamed repositories, and those without workflows', async () => {
    const { host } = service;
    await host.addRepository({ fullName: 'acme/empty' });
    await host.addRepository({ fullName: 'acme/attic', archived: true, files: sloppyFiles() });
    await host.addRepository({ fullName: 'acme/prose', files: { 'README.md': '# Prose\n' } });
    const old = await host.addRepository({ fullName: 'acme/before', files: sloppyFiles() });
    const ids = await service.connect(acme);
    expect((await scan(ids.get('acme/empty') ?? '')).json).toMatchObject({ workflow_files: 0, findings: 0 });
    expect((await scan(ids.get('acme/prose') ?? '')).json).toMatchObject({ workflow_files: 0, findings: 0 });
    expect((await scan(ids.get('acme/attic') ?? '')).json).toMatchObject({ workflow_files: 1 });
    host.world.updateRepository(old, { name: 'after' });
    const renamed = await scan(ids.get('acme/before') ?? '');
    expect(renamed.json).toMatchObject({ workflow_files: 1 });
    const names = await rows('select full_name from public.repositories where id = $1', ids.get('acme/before'));
    expect(names).toEqual([{ full_name: 'acme/after' }]);
  });

  it('never confuses a repository with another that took its former name', async () => {
    const { host } = service;
    const mine = await host.addRepository({ fullName: 'acme/name', files: { 'README.md': '#\n' } });
    const id = (await service.connect(acme)).get('acme/name') ?? '';
    host.world.updateRepository(mine, { name: 'moved' });
    await host.addRepository({ fullName: 'acme/name', files: sloppyFiles() });
    expect((await scan(id)).json).toMatchObject({ workflow_files: 0, findings: 0 });
  });

  it('serializes concurrent scans of a repository, with each finding new once', async () => {
    const { id } = await newRepository();
    const answers = await Promise.all([scan(id), scan(id), scan(id)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const fresh = answers.map(({ json }) => Number(json['new_findings'])).sort((a, b) => b - a);
    expect(fresh.slice(1)).toEqual([0, 0]);
    expect(fresh[0]).toBeGreaterThan(0);
    expect(await scansOf(id)).toBe(3);
  });

  it('stores nothing if the code host fails: 502, and the next scan works', async () => {
    const { id } = await newRepository();
    await service.host.fault({ match: 'POST /api/graphql', times: 10, effect: { kind: 'status', status: 502 } });
    const { status, json } = await scan(id);
    expect([status, json['code']]).toEqual([502, 'scm-unreachable']);
    expect(await scansOf(id)).toBe(0);
    service.host.clearFaults();
    expect((await scan(id)).status).toBe(200);
  });

  it.each([
    ['a primary limit', { kind: 'primary-limit', status: 403, resetSeconds: 120 }, 60],
    ['a secondary limit with a time', { kind: 'secondary-limit', status: 429, retryAfterSeconds: 30 }, 30],
    ['a secondary limit without one', { kind: 'secondary-limit', status: 403 }, 60],
  ] as const)('answers 502 with the time to wait for %s', async (_, effect, least) => {
    const company = await service.company(`limited${(repositories += 1)}`);
    const login = company.account.login;
    await service.host.addRepository({ fullName: `${login}/app`, files: sloppyFiles() });
    const id = (await service.connect(company)).get(`${login}/app`) ?? '';
    await service.host.fault({ match: 'POST /api/graphql', effect });
    const { status, headers } = await scan(id, {}, company.admin);
    expect(status).toBe(502);
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(least);
  });

  it('answers 502 for a suspended installation and stores nothing', async () => {
    const company = await service.company('asleep');
    await service.host.addRepository({ fullName: 'asleep/app', files: sloppyFiles() });
    const id = (await service.connect(company)).get('asleep/app') ?? '';
    service.host.world.updateInstallation(company.installation, { suspendedAt: new Date().toISOString() });
    const { status, json } = await scan(id, {}, company.admin);
    expect([status, json['code']]).toEqual([502, 'scm-unreachable']);
    expect(await scansOf(id)).toBe(0);
  });

  it('answers 404 for a removed repository, now and later', async () => {
    const { id } = await newRepository();
    service.host.world.updateInstallation(acme.installation, { repositoryIds: [] });
    expect((await scan(id)).status).toBe(404);
    service.host.world.updateInstallation(acme.installation, { repositoryIds: null });
    expect((await scan(id)).status).toBe(404);
    await service.connect(acme);
    expect((await scan(id)).status).toBe(200);
  });

  it('answers the same 404 for a foreign and an unknown repository', async () => {
    const { id } = await newRepository();
    const stranger = service.user();
    const blank = (text: string) => text.replace(/"request_id":"[^"]*"/, '');
    const [theirs, missing] = [await scan(id, {}, stranger), await scan(randomUUID(), {}, stranger)];
    expect([theirs.status, missing.status]).toEqual([404, 404]);
    expect(blank(theirs.text)).toBe(blank(missing.text));
  });

  it.each([
    ['no repository', {}],
    ['no uuid', { repo_id: 'acme/web' }],
    ['an unknown ruleset', { repo_id: randomUUID(), ruleset: 'slsa' }],
    ['an unknown field', { repo_id: randomUUID(), branch: 'main' }],
  ])('refuses %s with 400', async (_, body) => {
    const { status, json } = await service.call('POST /api/scan', { as: acme.admin, body });
    expect([status, json['code']]).toEqual([400, 'validation-failed']);
  });

  it('needs a token: 401', async () => {
    expect((await service.call('POST /api/scan', { body: { repo_id: randomUUID() } })).status).toBe(401);
  });
});
