import { randomInt } from 'node:crypto';
import { expect } from 'vitest';
import type { RouteAnswer } from './call-route.ts';
import type { TestService, TestUser } from './service.ts';

export async function createTeam(
  service: TestService,
  admin: TestUser,
  ...members: readonly TestUser[]
): Promise<string> {
  const { json } = await service.call('POST /api/orgs', { as: admin, body: { name: 'Acme' } });
  const orgId = String(json['id']);
  for (const member of members) await join(service, admin, orgId, member, 'member');
  return orgId;
}

export async function join(
  service: TestService,
  admin: TestUser,
  orgId: string,
  user: TestUser,
  role: 'admin' | 'member',
): Promise<void> {
  const body = { email: user.email, role };
  const invite = await service.call('POST /api/orgs/{org_id}/invites', { as: admin, params: { org_id: orgId }, body });
  const params = { invite_id: String(invite.json['invite_id']) };
  const { status, text } = await service.call('POST /api/invites/{invite_id}/accept', { as: user, params });
  expect(status, text).toBe(200);
}

export async function personalOrgOf(service: TestService, user: TestUser): Promise<string> {
  const { json } = await service.call('GET /api/orgs', { as: user });
  const orgs = json['orgs'] as readonly { readonly id: string; readonly personal: boolean }[];
  return orgs.find(({ personal }) => personal)?.id ?? '';
}

export async function addRepository({ database }: TestService, orgId: string, user: TestUser): Promise<string> {
  const scmId = randomInt(1, 2 ** 40);
  await database.sql(
    `insert into public.installations (org_id, user_id, installation_id, account, account_type)
     values ($1, $2, $3, 'acme', 'Organization')`,
    [orgId, user.id, scmId],
  );
  const [row] = await database.sql<{ id: string }>(
    `insert into public.repositories (org_id, user_id, installation_id, scm_id, full_name, private, html_url)
     values ($1, $2, $3::bigint, $3::text, 'acme/r' || $3::text, true, 'https://code.example/acme/r')
     returning id`,
    [orgId, user.id, String(scmId)],
  );
  return String(row?.id);
}

export function expectSameProblem(one: RouteAnswer, other: RouteAnswer): void {
  const { status, json } = one;
  expect({ status: other.status, json: other.json }).toEqual({
    status,
    json: { ...json, request_id: expect.any(String) },
  });
}
