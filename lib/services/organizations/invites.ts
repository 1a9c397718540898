import * as organizations from '#lib/db/queries/organizations.ts';
import type { Services } from '../context.ts';

/** The open invites of an organization, for its members. */
export async function listInvites({ adminDb }: Services, user: organizations.Caller, orgId: string) {
  return { invites: await organizations.listInvites(adminDb(), user.id, orgId) };
}

/** By an admin. `already-member` or `already-invited` when the address is known here, in whatever letter case. */
export function createInvite(
  { adminDb }: Services,
  user: organizations.Caller,
  invite: Parameters<typeof organizations.createInvite>[2],
) {
  return organizations.createInvite(adminDb(), user.id, invite);
}

export function revokeInvite({ adminDb }: Services, user: organizations.Caller, orgId: string, inviteId: string) {
  return organizations.revokeInvite(adminDb(), user.id, orgId, inviteId);
}

/** The open invites to the caller's address. */
export async function listMyInvites({ adminDb }: Services, user: organizations.Caller) {
  return { invites: await organizations.listInvitesTo(adminDb(), user.email) };
}

/** `not-found` when the invite is to another address. */
export function acceptInvite({ adminDb }: Services, user: organizations.Caller, inviteId: string) {
  return organizations.acceptInvite(adminDb(), user, inviteId);
}
