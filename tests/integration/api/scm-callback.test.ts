import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Company, type ConnectedService, startConnectedService } from '../../support/connected-service.ts';
import type { TestUser } from '../../support/service.ts';

let service: ConnectedService;
let acme: Company;

beforeAll(async () => {
  service = await startConnectedService();
  acme = await service.company('acme');
  await service.host.addRepository({ fullName: 'acme/shop' });
});
afterAll(() => service?.stop());

const callback = (as: TestUser, query: string) => service.call('GET /api/scm/callback', { as, query });
const installedAt = (orgId: string) =>
  service.database.sql<{ account: string; removed_at: string | null }>(
    'select account, removed_at from public.installations where org_id = $1',
    [orgId],
  );
const personalOrgOf = async (as: TestUser) => {
  const [row] = await service.database.sql<{ id: string }>(
    'select id from public.organizations where personal and created_by = $1',
    [as.id],
  );
  return row?.id ?? '';
};

describe('GET /api/scm/callback', () => {
  it('links an installation if the caller administers its organization', async () => {
    const { status, json } = await callback(
      acme.admin,
      `?installation_id=${acme.installation.id}&setup_action=install`,
    );
    expect([status, json]).toEqual([
      200,
      { installation_id: acme.installation.id, account: 'acme', account_type: 'Organization' },
    ]);
    expect(await installedAt(await personalOrgOf(acme.admin))).toEqual([{ account: 'acme', removed_at: null }]);
  });

  it('is idempotent', async () => {
    const query = `?installation_id=${acme.installation.id}`;
    expect((await callback(acme.admin, query)).status).toBe(200);
    expect((await callback(acme.admin, query)).status).toBe(200);
    expect(await installedAt(await personalOrgOf(acme.admin))).toHaveLength(1);
  });

  it("links the installation on the caller's own account", async () => {
    const ann = await service.person('ann');
    const { permissions } = acme.installation;
    const { id } = service.host.world.addInstallation({ accountId: ann.account.id, permissions });
    const { json } = await callback(ann, `?installation_id=${id}`);
    expect(json).toEqual({ installation_id: id, account: 'ann', account_type: 'User' });
  });

  it('answers the same for a foreign and an unknown installation', async () => {
    const stranger = await service.person('stranger');
    const taken = await callback(stranger, `?installation_id=${acme.installation.id}`);
    const missing = await callback(stranger, '?installation_id=999999999');
    expect([taken.status, missing.status]).toEqual([404, 404]);
    const blank = (text: string) => text.replace(/"request_id":"[^"]*"/, '');
    expect(blank(taken.text)).toBe(blank(missing.text));
    expect(await installedAt(await personalOrgOf(stranger))).toEqual([]);
  });

  it('requires an admin of the organization: a member can only see the installation', async () => {
    const member = await service.person('member');
    service.host.world.addMember(acme.account, member.account, 'member');
    expect((await callback(member, `?installation_id=${acme.installation.id}`)).status).toBe(404);
  });

  it('ignores claims of the token about the person, except their identity', async () => {
    const liar = service.user({
      claims: { user_metadata: { provider_id: String(acme.admin.account.id), user_name: 'acme-admin' } },
    });
    expect((await callback(liar, `?installation_id=${acme.installation.id}`)).status).toBe(404);
  });

  it('accepts the sign-in of the same redirect as proof without a stored account', async () => {
    const unknown = service.user();
    const { world } = service.host;
    const code = await service.authorizationCodeOf(acme.admin.account.login);
    expect((await callback(unknown, `?installation_id=${acme.installation.id}&code=${code}`)).status).toBe(200);
    const again = await callback(service.user(), `?installation_id=${acme.installation.id}&code=${code}`);
    expect(again.status).toBe(404);
    const outsider = world.addAccount({ login: 'outsider', type: 'User' });
    const weak = await service.authorizationCodeOf(outsider.login);
    expect((await callback(service.user(), `?installation_id=${acme.installation.id}&code=${weak}`)).status).toBe(404);
  });

  it("refuses another person's sign-in if an account is stored", async () => {
    const victim = await service.person('victim');
    const code = await service.authorizationCodeOf(acme.admin.account.login);
    expect((await callback(victim, `?installation_id=${acme.installation.id}&code=${code}`)).status).toBe(404);
  });

  it('links to a team for its admin; 403 for members, strangers and unknown teams', async () => {
    const { json } = await service.call('POST /api/orgs', { as: acme.admin, body: { name: 'Team' } });
    const org = String(json['id']);
    const query = `?installation_id=${acme.installation.id}&org=`;
    expect((await callback(acme.admin, query + org)).status).toBe(200);
    expect(await installedAt(org)).toHaveLength(1);
    const member = await service.person('colleague');
    await service.database.sql(`insert into public.org_members (org_id, user_id, role) values ($1, $2, 'member')`, [
      org,
      member.id,
    ]);
    expect((await callback(member, query + org)).status).toBe(403);
    expect((await callback(await service.person('nosy'), query + org)).status).toBe(403);
    expect((await callback(acme.admin, query + randomUUID())).status).toBe(403);
    expect((await callback(acme.admin, `${query}team`)).status).toBe(400);
  });

  it.each([
    '',
    '?installation_id=',
    '?installation_id=abc',
    '?installation_id=-1',
    '?installation_id=1.5',
    '?installation_id=0',
  ])('refuses the query "%s" with 400', async (query) => {
    const { status, json } = await callback(acme.admin, query);
    expect([status, json['code']]).toEqual([400, 'validation-failed']);
  });

  it('answers 502 if the code host is down, and links nothing', async () => {
    const late = await service.company('late');
    await service.host.fault({
      match: 'GET /app/installations/*',
      times: 5,
      effect: { kind: 'status', status: 502 },
    });
    const { status, json } = await callback(late.admin, `?installation_id=${late.installation.id}`);
    expect([status, json['code']]).toEqual([502, 'scm-unreachable']);
    expect(await installedAt(await personalOrgOf(late.admin))).toEqual([]);
  });

  it('needs a token: 401', async () => {
    const { status } = await service.call('GET /api/scm/callback', { query: '?installation_id=1' });
    expect(status).toBe(401);
  });
});
