import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Repository } from '#lib/simulator/model.ts';
import { type Company, type ConnectedService, startConnectedService } from '../../support/connected-service.ts';

const RULE = 'tag-drift-observed';
const PATH = '.github/workflows/release.yml';

let service: ConnectedService;
let acme: Company;

beforeAll(async () => {
  service = await startConnectedService();
  acme = await service.company('acme');
});
afterAll(() => service?.stop());

let made = 0;
async function newAction(): Promise<{ name: string; repository: Repository; first: string; second: string }> {
  const name = `acme/tool${(made += 1)}`;
  const repository = await service.host.addRepository({
    fullName: name,
    files: { 'action.yml': 'name: x\n' },
    visibility: 'private',
  });
  const { after: first } = await service.host.push(name, { files: { 'action.yml': 'name: y\n' } });
  const { after: second } = await service.host.push(name, { files: { 'action.yml': 'name: z\n' } });
  await service.host.world.tag(repository, 'v1.0.0', first);
  return { name, repository, first, second };
}

const workflow = (refs: readonly string[], comment = 'x') =>
  `# ${comment}\non: push\npermissions: {}\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n${refs
    .map((ref) => `      - uses: ${ref}\n`)
    .join('')}`;

async function newRepository(text: string) {
  const fullName = `acme/user${(made += 1)}`;
  await service.host.addRepository({ fullName, files: { [PATH]: text }, visibility: 'private' });
  const id = (await service.connect(acme)).get(fullName) ?? '';
  return { id, fullName };
}

async function scan(id: string, as = acme.admin) {
  const { status, json, text } = await service.call('POST /api/scan', { as, body: { repo_id: id } });
  expect(status, text).toBe(200);
  const findings = await service.database.sql<{ severity: string; description: string }>(
    'select severity, description from public.findings where scan_id = $1 and rule_id = $2',
    [json['scan_id'], RULE],
  );
  const [rules] = await service.database.sql<{ completed: string[]; not_assessed: { rule_id: string }[] }>(
    'select completed, not_assessed from public.scan_rules where scan_id = $1',
    [json['scan_id']],
  );
  return {
    findings,
    completed: rules?.completed.includes(RULE),
    reason: rules?.not_assessed.find(({ rule_id }) => rule_id === RULE),
  };
}

const change = (fullName: string, text: string) => service.host.push(fullName, { files: { [PATH]: text } });
const stored = () => service.database.sql('select repo_id, tag from public.observed_tags');

describe('observed release tags', () => {
  it('report a moved tag at every scan until it is no longer used', async () => {
    const { name, repository, first, second } = await newAction();
    const uses = [`${name}@v1.0.0`];
    const { id, fullName } = await newRepository(workflow(uses));
    expect(await scan(id)).toMatchObject({ findings: [], completed: true, reason: undefined });
    await service.host.world.tag(repository, 'v1.0.0', second);
    const drifted = { severity: 'HIGH', description: expect.stringContaining(first.slice(0, 12)) as string };
    for (const comment of ['two', 'three']) {
      await change(fullName, workflow(uses, comment));
      expect(await scan(id)).toMatchObject({ findings: [drifted], completed: true });
    }
    expect(await scan(id)).toMatchObject({ findings: [drifted], completed: true });
    await change(fullName, workflow([`${name}@${first} # v1.0.0`]));
    expect((await scan(id)).findings).toEqual([]);
  });

  it('cost no further request', async () => {
    const { name } = await newAction();
    const { id, fullName } = await newRepository(workflow([`${name}@v1.0.0`]));
    const count = async () => {
      await service.host.log();
      await scan(id);
      return (await service.host.log()).map(({ method, path, operation }) => `${method} ${path} ${operation}`).sort();
    };
    const first = await count();
    expect(first.filter((line) => line.endsWith(' Actions'))).toHaveLength(1);
    await change(fullName, workflow([`${name}@v1.0.0`], 'again'));
    const second = await count();
    expect(second.length).toBeLessThanOrEqual(first.length + 1);
    expect(second.filter((line) => line.endsWith(' Actions'))).toHaveLength(1);
  });

  it('are kept per organization, also for scans after a push', async () => {
    const { name, repository, second } = await newAction();
    const uses = [`${name}@v1.0.0`];
    const { id, fullName } = await newRepository(workflow(uses));
    await scan(id);
    await service.host.world.tag(repository, 'v1.0.0', second);
    const other = await service.call('POST /api/orgs', { as: acme.admin, body: { name: 'Late' } });
    const org = String(other.json['id']);
    const query = `?installation_id=${acme.installation.id}&org=${org}`;
    expect((await service.call('GET /api/scm/callback', { as: acme.admin, query })).status).toBe(200);
    const { json } = await service.call('GET /api/repos', { as: acme.admin, query: `?org=${org}` });
    const late = (json['repositories'] as { id: string; full_name: string }[]).find(
      ({ full_name }) => full_name === fullName,
    );
    expect((await scan(late?.id ?? '')).findings).toEqual([]);
    for (const repo_id of [id, late?.id ?? '']) {
      const call = { as: acme.admin, params: { repo_id }, body: { monitored: true } };
      expect((await service.call('PUT /api/repositories/{repo_id}/monitor', call)).status).toBe(200);
    }
    await change(fullName, workflow(uses, 'pushed'));
    const found = await service.database.sql<{ repo_id: string; drifted: string }>(
      `select s.repo_id, count(f.id)::text as drifted from public.repositories r join public.scans s on s.id = r.last_scan_id
         left join public.findings f on f.scan_id = s.id and f.rule_id = $2
       where r.full_name = $1 and s.trigger = 'push' group by 1`,
      [fullName, RULE],
    );
    expect(Object.fromEntries(found.map((row) => [row.repo_id, row.drifted]))).toEqual({
      [id]: '1',
      [late?.id ?? '']: '0',
    });
  });

  it('beyond a thousand leave the rule not assessed, and are not stored', async () => {
    const { name } = await newAction();
    const all = Array.from({ length: 1_001 }, (_, n) => `${name}@v1.0.${n}`);
    const { id, fullName } = await newRepository(workflow(all));
    const before = await stored();
    expect(await scan(id)).toMatchObject({ completed: false, reason: { reason: 'rate_limited' } });
    expect(await stored()).toEqual(before);
    await change(fullName, workflow(all.slice(0, 1)));
    expect(await scan(id)).toMatchObject({ completed: true });
    expect(await stored()).toHaveLength(before.length + 1);
  });

  it('are not stored for a visitor’s scan', async () => {
    const fullName = `acme/open${(made += 1)}`;
    await service.host.addRepository({ fullName, files: { [PATH]: workflow(['actions/checkout@v4.2.2']) } });
    const before = await stored();
    const { status, json } = await service.call('POST /api/public-scan', { body: { repo: fullName } });
    expect(status).toBe(200);
    expect(json['not_assessed']).toContainEqual({ rule_id: RULE, reason: 'offline' });
    expect(await stored()).toEqual(before);
  });
});
