import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../../support/service.ts';
import { createTeam } from '../../support/teams.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service?.stop());

const UUID = expect.stringMatching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('GET /api/orgs', () => {
  it('creates the personal organization on the first call, and keeps it', async () => {
    const alice = service.user();
    const first = await service.call('GET /api/orgs', { as: alice });
    const personal = { id: UUID, name: 'Personal', personal: true, role: 'admin', created_at: TIME };
    expect([first.status, first.json]).toEqual([200, { orgs: [personal] }]);
    expect((await service.call('GET /api/orgs', { as: alice })).json).toEqual(first.json);
  });

  it('creates one for concurrent first calls', async () => {
    const alice = service.user();
    const answers = await Promise.all(Array.from({ length: 20 }, () => service.call('GET /api/orgs', { as: alice })));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    const rows = await service.database.sql(
      `select o.personal, m.role from public.organizations o join public.org_members m on m.org_id = o.id
       where o.created_by = $1`,
      [alice.id],
    );
    expect(rows).toEqual([{ personal: true, role: 'admin' }]);
  });

  it('lists the personal organization, then teams by name, with roles, and no others', async () => {
    const [alice, bob] = [service.user(), service.user()];
    const team = await createTeam(service, bob, alice);
    const own = await service.call('POST /api/orgs', { as: alice, body: { name: 'Aardvark' } });
    await createTeam(service, bob);
    const { json } = await service.call('GET /api/orgs', { as: alice });
    expect(json['orgs']).toMatchObject([
      { name: 'Personal', role: 'admin' },
      { id: own.json['id'], name: 'Aardvark', personal: false, role: 'admin' },
      { id: team, name: 'Acme', personal: false, role: 'member' },
    ]);
  });

  it('supports a token without an address', async () => {
    const { status, json } = await service.call('GET /api/orgs', { as: service.user({ email: null }) });
    expect([status, (json['orgs'] as unknown[]).length]).toEqual([200, 1]);
  });
});

describe('POST /api/orgs', () => {
  const create = (body: unknown, as = service.user()) => service.call('POST /api/orgs', { as, body });

  it('creates a team with the caller as its admin: 201', async () => {
    const alice = service.user();
    const { status, json } = await create({ name: 'Acme' }, alice);
    expect([status, json]).toEqual([201, { id: UUID, name: 'Acme', personal: false, role: 'admin', created_at: TIME }]);
    const members = await service.call('GET /api/orgs/{org_id}/members', {
      as: alice,
      params: { org_id: String(json['id']) },
    });
    expect(members.json['members']).toMatchObject([{ user_id: alice.id, email: alice.email, role: 'admin' }]);
  });

  it('also creates the personal organization', async () => {
    const alice = service.user();
    await create({ name: 'Acme' }, alice);
    const personal = 'select from public.organizations where personal and created_by = $1';
    expect(await service.database.sql(personal, [alice.id])).toHaveLength(1);
  });

  it('allows two organizations with the same name', async () => {
    const alice = service.user();
    const [one, other] = [await create({ name: 'Acme' }, alice), await create({ name: 'Acme' }, alice)];
    expect([one.status, other.status, one.json['id'] === other.json['id']]).toEqual([201, 201, false]);
  });

  it.each([
    ['  Acme \t\n', 'Acme'],
    ['\u00A0Acme\uFEFF', 'Acme'],
    ['x', 'x'],
    ['🙂'.repeat(100), '🙂'.repeat(100)],
    [` ${'x'.repeat(100)} `, 'x'.repeat(100)],
    ['<b>"&\'', '<b>"&\''],
  ])('trims the name %.20j to %.20j', async (name, stored) => {
    const { status, json } = await create({ name });
    expect([status, json['name']]).toEqual([201, stored]);
  });

  it.each([
    [{ name: '' }],
    [{ name: ' \t\u3000 ' }],
    [{ name: 'x'.repeat(101) }],
    [{ name: '🙂'.repeat(101) }],
    [{ name: 7 }],
    [{ name: null }],
    [{ name: 'a\0b' }],
    [{ name: 'a\uD800' }],
    [{}],
    [{ name: 'Acme', personal: true }],
    [[]],
    [null],
  ])('refuses %j: 400', async (body) => {
    const before = await service.database.sql('select from public.organizations');
    const { status, json } = await create(body);
    expect([status, json['code']]).toEqual([400, 'validation-failed']);
    expect(json['errors']).not.toEqual([]);
    expect(await service.database.sql('select from public.organizations')).toHaveLength(before.length);
  });
});
