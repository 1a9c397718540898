import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Company, type ConnectedService, startConnectedService } from '../../support/connected-service.ts';
import type { TestUser } from '../../support/service.ts';
import { ON_CLUSTER } from '../../support/topology.ts';

let service: ConnectedService;

beforeAll(async () => {
  service = await startConnectedService();
});
afterAll(() => service?.stop());
beforeEach(() => service.host.log());

let companies = 0;
async function linkedCompany(names: readonly string[]): Promise<{ company: Company; login: string }> {
  const login = `corp${(companies += 1)}`;
  const company = await service.company(login);
  await service.host.world.addRepositories(names.map((name) => ({ fullName: `${login}/${name}` })));
  await service.connect(company);
  await service.host.log();
  return { company, login };
}

const repos = (as: TestUser, query = '') => service.call('GET /api/repos', { as, query });
const namesOf = (json: Readonly<Record<string, unknown>>) =>
  (json['repositories'] as { full_name: string }[]).map(({ full_name }) => full_name);

describe('GET /api/repos', () => {
  it('returns no connection without an installation, and sends no request', async () => {
    const { status, json } = await repos(service.user());
    expect([status, json]).toEqual([200, { connected: false, repositories: [] }]);
    expect(await service.host.log()).toEqual([]);
  });

  it('returns the repositories by name, with exactly the specified fields', async () => {
    const { company, login } = await linkedCompany(['web', 'api']);
    await service.host.addRepository({ fullName: `${login}/hidden`, visibility: 'private' });
    const { json } = await repos(company.admin);
    expect(namesOf(json)).toEqual([`${login}/api`, `${login}/hidden`, `${login}/web`]);
    expect((json['repositories'] as unknown[])[1]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      full_name: `${login}/hidden`,
      private: true,
      html_url: `${service.host.webUrl}/${login}/hidden`,
    });
  });

  it('keeps ids across calls, renames and removals', async () => {
    const { company, login } = await linkedCompany(['web', 'api']);
    const { world } = service.host;
    const before = (await repos(company.admin)).json['repositories'] as { id: string }[];
    const web = world.repository(`${login}/web`);
    const api = world.repository(`${login}/api`);
    if (web === undefined || api === undefined) throw new Error('not made');
    world.updateInstallation(company.installation, { repositoryIds: [api.id] });
    expect(namesOf((await repos(company.admin)).json)).toEqual([`${login}/api`]);
    world.updateInstallation(company.installation, { repositoryIds: null });
    world.updateRepository(web, { name: 'shop' });
    const after = (await repos(company.admin)).json['repositories'] as { id: string; full_name: string }[];
    expect(after.map(({ full_name }) => full_name)).toEqual([`${login}/api`, `${login}/shop`]);
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  });

  it('marks repositories that left as removed and keeps their data', async () => {
    const { company, login } = await linkedCompany(['web', 'api']);
    const { world } = service.host;
    const api = world.repository(`${login}/api`);
    world.updateInstallation(company.installation, { repositoryIds: [api?.id ?? 0] });
    await repos(company.admin);
    const rows = await service.database.sql<{ full_name: string; gone: boolean }>(
      `select full_name, removed_at is not null as gone from public.repositories where full_name like '${login}/%' order by 1`,
    );
    expect(rows).toEqual([
      { full_name: `${login}/api`, gone: false },
      { full_name: `${login}/web`, gone: true },
    ]);
  });

  it('returns no connection if the only installation is suspended, and removes nothing', async () => {
    const { company, login } = await linkedCompany(['web']);
    const { world } = service.host;
    world.updateInstallation(company.installation, { suspendedAt: new Date().toISOString() });
    const suspended = async () =>
      service.database.sql(
        'select suspended_at is not null as yes from public.installations where installation_id = $1',
        [String(company.installation.id)],
      );
    expect((await repos(company.admin)).json).toEqual({ connected: false, repositories: [] });
    expect(await suspended()).toEqual([{ yes: true }]);
    world.updateInstallation(company.installation, { suspendedAt: null });
    expect(namesOf((await repos(company.admin)).json)).toEqual([`${login}/web`]);
    expect(await suspended()).toEqual([{ yes: false }]);
  });

  it('returns no connection after the installation was deleted; linking again restores everything', async () => {
    const { company } = await linkedCompany(['web']);
    service.host.world.removeInstallation(company.installation);
    expect((await repos(company.admin)).json).toEqual({ connected: false, repositories: [] });
    expect((await repos(company.admin)).json).toEqual({ connected: false, repositories: [] });
  });

  it('fails with 502 if one of two installations fails, and removes nothing', async () => {
    const { company, login } = await linkedCompany(['web', 'api']);
    const other = await service.company(`${login}-two`);
    service.host.world.addMember(other.account, company.admin.account, 'admin');
    await service.call('GET /api/scm/callback', {
      as: company.admin,
      query: `?installation_id=${other.installation.id}`,
    });
    const api = service.host.world.repository(`${login}/api`);
    service.host.world.updateInstallation(company.installation, { repositoryIds: [api?.id ?? 0] });
    service.host.revokeTokens(other.installation.id);
    await service.host.fault({
      match: `POST /app/installations/${other.installation.id}/access_tokens`,
      times: 5,
      effect: { kind: 'status', status: 500 },
    });
    const { status, json } = await repos(company.admin);
    service.host.clearFaults();
    expect([status, json['code']]).toEqual([502, 'scm-unreachable']);
    const gone = await service.database.sql(
      `select full_name from public.repositories where full_name like '${login}/%' and removed_at is not null`,
    );
    expect(gone).toEqual([]);
  });

  it('reports the code host’s limit and when to retry', async () => {
    const { company } = await linkedCompany(['web']);
    await service.host.fault({
      match: 'GET /installation/repositories',
      effect: { kind: 'primary-limit', status: 403, resetSeconds: 90 },
    });
    const { status, json, headers } = await repos(company.admin);
    expect([status, json['code']]).toEqual([502, 'scm-unreachable']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(60);
  });

  it('respects ?org: 403 for a stranger’s and an unknown one, 400 for an invalid id', async () => {
    const { company } = await linkedCompany(['web']);
    const { json } = await service.call('POST /api/orgs', { as: company.admin, body: { name: 'Team' } });
    const query = `?org=${String(json['id'])}`;
    expect((await repos(company.admin, query)).json).toEqual({ connected: false, repositories: [] });
    const refused = [await repos(service.user(), query), await repos(company.admin, `?org=${randomUUID()}`)];
    expect(refused.map(({ status }) => status)).toEqual([403, 403]);
    expect((await repos(company.admin, '?org=mine')).status).toBe(400);
  });

  it('returns a thousand repositories at once, reading pages in parallel', async () => {
    const { company } = await linkedCompany(Array.from({ length: 1_000 }, (_, index) => `r${index}`));
    const { json } = await repos(company.admin);
    expect(namesOf(json)).toHaveLength(1_000);
    // Each instance of a cluster asks for a token of its own.
    const asked = (await service.host.log()).filter(({ path }) => !ON_CLUSTER || !path.endsWith('/access_tokens'));
    expect(asked).toHaveLength(10);
  });

  it('needs a token: 401', async () => {
    expect((await service.call('GET /api/repos')).status).toBe(401);
  });
});
