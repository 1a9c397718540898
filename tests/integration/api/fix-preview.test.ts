import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Company,
  type ConnectedService,
  SLOPPY,
  sloppyFiles,
  startConnectedService,
} from '../../support/connected-service.ts';
import type { TestUser } from '../../support/service.ts';

let service: ConnectedService;
let acme: Company;
let other: Company;

beforeAll(async () => {
  service = await startConnectedService();
  acme = await service.company('acme');
  other = await service.company('globex');
});
afterAll(() => service?.stop());

let repositories = 0;
async function newRepository(files: Readonly<Record<string, string>> = sloppyFiles()) {
  const fullName = `acme/p${(repositories += 1)}`;
  const made = await service.host.addRepository({ fullName, files, visibility: 'private' });
  return { id: (await service.connect(acme)).get(fullName) ?? '', fullName, made };
}
const preview = (repoId: string, body: object = {}, as: TestUser = acme.admin) =>
  service.call('POST /api/repositories/{repo_id}/fix-preview', { as, params: { repo_id: repoId }, body });
interface Shown {
  readonly file: string;
  readonly changed: boolean;
  readonly diff: string;
  readonly fixes: readonly { rule_id: string; line: number; description: string }[];
  readonly refused: readonly { rule_id: string; line: number; reason: string }[];
}
const filesOf = ({ json }: { readonly json: Readonly<Record<string, unknown>> }) => json['files'] as readonly Shown[];
const FILE = '.github/workflows/greet.yml';

describe('POST /api/repositories/{repo_id}/fix-preview', () => {
  it('returns diffs at the head of the default branch that apply to it, with what was fixed and refused', async () => {
    const { id, made } = await newRepository();
    const answer = await preview(id);
    expect(answer.status).toBe(200);
    const head = await service.host.world.git(made).object('HEAD');
    expect(answer.json['commit_sha']).toBe(head?.oid);
    const [file] = filesOf(answer);
    expect(file).toMatchObject({ file: FILE, changed: true });
    expect(file?.fixes.map(({ rule_id }) => rule_id)).toContain('template-injection');
    expect(file?.refused.length).toBeGreaterThan(0);
    const folder = mkdtempSync(join(tmpdir(), 'chainbreak-preview-'));
    try {
      writeFileSync(join(folder, 'greet.yml'), SLOPPY);
      execFileSync('patch', ['greet.yml'], { cwd: folder, input: file?.diff ?? '' });
      expect(readFileSync(join(folder, 'greet.yml'), 'utf8')).not.toContain('echo "${{');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('is restricted to a file, rules and a ruleset', async () => {
    const second = '.github/workflows/second.yml';
    const { id } = await newRepository({ ...sloppyFiles(), [second]: SLOPPY });
    expect(filesOf(await preview(id)).map(({ file }) => file)).toEqual([FILE, second]);
    expect(filesOf(await preview(id, { file: second })).map(({ file }) => file)).toEqual([second]);
    const [byRule] = filesOf(await preview(id, { rule_ids: ['template-injection'] }));
    expect(new Set([...(byRule?.fixes ?? []), ...(byRule?.refused ?? [])].map(({ rule_id }) => rule_id))).toEqual(
      new Set(['template-injection']),
    );
    const hygiene = (files: readonly Shown[]) => files.flatMap(({ fixes }) => fixes).map(({ rule_id }) => rule_id);
    const review = { include_review: true };
    expect(hygiene(filesOf(await preview(id, review)))).toContain('missing-timeout');
    expect(hygiene(filesOf(await preview(id, { ...review, ruleset: 'owasp' })))).not.toContain('missing-timeout');
  });

  it('contains fixes that need a person’s eye only on request', async () => {
    const { id } = await newRepository();
    const count = (files: readonly Shown[]) => files.flatMap(({ fixes }) => fixes).length;
    const [safe, all] = [await preview(id), await preview(id, { include_review: true })];
    expect(count(filesOf(all))).toBeGreaterThan(count(filesOf(safe)));
  });

  it('leaves out disabled rules and triaged findings', async () => {
    const { id } = await newRepository();
    const all = { include_review: true };
    const rulesIn = async () =>
      filesOf(await preview(id, all)).flatMap(({ fixes }) => fixes.map(({ rule_id }) => rule_id));
    expect(await rulesIn()).toEqual(expect.arrayContaining(['template-injection', 'missing-timeout']));
    await service.call('PUT /api/repositories/{repo_id}/rule-overrides/{rule_id}', {
      as: acme.admin,
      params: { repo_id: id, rule_id: 'missing-timeout' },
      body: { enabled: false },
    });
    await service.call('POST /api/scan', { as: acme.admin, body: { repo_id: id } });
    const [found] = await service.database.sql<{ fingerprint: string }>(
      `select fingerprint from public.finding_ledger where repo_id = $1 and rule_id = 'template-injection'`,
      [id],
    );
    await service.call('PUT /api/repositories/{repo_id}/findings/{fingerprint}/status', {
      as: acme.admin,
      params: { repo_id: id, fingerprint: found?.fingerprint ?? '' },
      body: { status: 'false_positive' },
    });
    const after = await rulesIn();
    expect(after).not.toContain('missing-timeout');
    expect(after).not.toContain('template-injection');
    expect(after.length).toBeGreaterThan(0);
  });

  it('stores and writes nothing', async () => {
    const { id } = await newRepository();
    await service.host.log();
    const counts = async () => {
      const tables = ['scans', 'findings', 'finding_ledger', 'fix_pull_requests', 'code_host_writes', 'action_uses'];
      return Promise.all(tables.map((table) => service.database.sql(`select count(*) from public.${table}`)));
    };
    const before = await counts();
    await preview(id);
    expect(await counts()).toEqual(before);
    const written = (await service.host.log()).filter(({ token }) =>
      Object.values(token?.permissions ?? {}).includes('write'),
    );
    expect(written).toEqual([]);
  });

  it('answers null and no file for an empty repository', async () => {
    const fullName = `acme/p${(repositories += 1)}`;
    await service.host.addRepository({ fullName, visibility: 'private' });
    const id = (await service.connect(acme)).get(fullName) ?? '';
    expect((await preview(id)).json).toEqual({ commit_sha: null, files: [] });
  });

  it('is 404 for a repository of another organization, as for an unknown one', async () => {
    const { id } = await newRepository();
    const [foreign, unknown, malformed] = await Promise.all([
      preview(id, {}, other.admin),
      preview('00000000-0000-4000-8000-000000000000', {}, other.admin),
      preview('none', {}, other.admin),
    ]);
    expect([foreign.status, unknown.status, malformed.status]).toEqual([404, 404, 404]);
    expect(foreign.json['detail']).toBe(unknown.json['detail']);
  });

  it.each([
    [{ rule_ids: ['no-such-rule'] }, 'rule_ids.0'],
    [{ rule_ids: [] }, 'rule_ids'],
    [{ ruleset: 'mine' }, 'ruleset'],
    [{ file: '' }, 'file'],
    [{ files: ['a'] }, ''],
  ])('is 400 for %j', async (body, path) => {
    const { id } = await newRepository();
    const { status, json } = await preview(id, body);
    expect(status).toBe(400);
    expect(JSON.stringify(json['errors'])).toContain(path);
  });

  it('is 502 if the code host fails', async () => {
    const { id } = await newRepository();
    await service.host.fault({ match: 'POST */graphql', times: 2, effect: { kind: 'status', status: 502 } });
    const { status, json } = await preview(id);
    service.host.clearFaults();
    expect({ status, code: json['code'] }).toEqual({ status: 502, code: 'scm-unreachable' });
  });
});
