import * as organizations from '#lib/db/queries/organizations.ts';
import type { PrGate } from '#lib/db/shapes/organizations.ts';
import type { Services } from '../context.ts';

/** The caller's organizations; the personal one is made when there is none yet. */
export async function listOrgs({ adminDb }: Services, user: organizations.Caller) {
  return { orgs: await organizations.list(adminDb(), user) };
}

/** A team organization with the caller as its admin. */
export function createOrg({ adminDb }: Services, user: organizations.Caller, name: string) {
  return organizations.create(adminDb(), user, name);
}

/** Refuses a member (`forbidden`) and a stranger (`not-found`), as everything below that an admin is needed for. */
export function renameOrg({ adminDb }: Services, user: organizations.Caller, orgId: string, name: string) {
  return organizations.rename(adminDb(), user.id, orgId, name);
}

/** What makes the check of a pull request fail. */
export function getPrGate({ adminDb }: Services, user: organizations.Caller, orgId: string) {
  return organizations.getPrGate(adminDb(), user.id, orgId);
}

export function putPrGate({ adminDb }: Services, user: organizations.Caller, orgId: string, gate: PrGate) {
  return organizations.putPrGate(adminDb(), user.id, orgId, gate);
}

export async function listMembers({ adminDb }: Services, user: organizations.Caller, orgId: string) {
  return { members: await organizations.listMembers(adminDb(), user.id, orgId) };
}

/** `last-admin` when nobody could look after the organization any more. */
export function setMemberRole(
  { adminDb }: Services,
  user: organizations.Caller,
  member: Parameters<typeof organizations.setMemberRole>[2],
) {
  return organizations.setMemberRole(adminDb(), user.id, member);
}

/** By an admin, or by the member themselves. */
export function removeMember({ adminDb }: Services, user: organizations.Caller, orgId: string, userId: string) {
  return organizations.removeMember(adminDb(), user.id, orgId, userId);
}
