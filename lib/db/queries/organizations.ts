import { call } from '../call.ts';
import type { AdminDb } from '../clients.ts';
import type { Invite, Member, MemberRole, Organization, PrGate, Role } from '../shapes/organizations.ts';

export interface Caller {
  readonly id: string;
  readonly email: string | null;
}

export async function resolve(
  db: AdminDb,
  user: Caller,
  orgId: string | null,
): Promise<Pick<Organization, 'id' | 'role'>> {
  return call(db, 'resolve_org', { p_user_id: user.id, p_email: user.email, p_org_id: orgId });
}

export async function list(db: AdminDb, user: Caller): Promise<readonly Organization[]> {
  return call(db, 'list_orgs', { p_user_id: user.id, p_email: user.email });
}

export async function create(db: AdminDb, user: Caller, name: string): Promise<Organization> {
  return call(db, 'create_org', { p_user_id: user.id, p_email: user.email, p_name: name });
}

export async function rename(db: AdminDb, userId: string, orgId: string, name: string): Promise<Organization> {
  return call(db, 'rename_org', { p_user_id: userId, p_org_id: orgId, p_name: name });
}

export async function getPrGate(db: AdminDb, userId: string, orgId: string): Promise<PrGate> {
  return call(db, 'get_pr_gate', { p_user_id: userId, p_org_id: orgId });
}

export async function putPrGate(db: AdminDb, userId: string, orgId: string, gate: PrGate): Promise<PrGate> {
  return call(db, 'put_pr_gate', {
    p_user_id: userId,
    p_org_id: orgId,
    p_fail_on: gate.fail_on,
    p_new_only: gate.new_only,
  });
}

export async function listMembers(db: AdminDb, userId: string, orgId: string): Promise<readonly Member[]> {
  return call(db, 'list_members', { p_user_id: userId, p_org_id: orgId });
}

export async function setMemberRole(
  db: AdminDb,
  actorId: string,
  member: { readonly orgId: string; readonly userId: string; readonly role: Role },
): Promise<MemberRole> {
  return call(db, 'set_member_role', {
    p_actor_id: actorId,
    p_org_id: member.orgId,
    p_user_id: member.userId,
    p_role: member.role,
  });
}

export async function removeMember(db: AdminDb, actorId: string, orgId: string, userId: string): Promise<void> {
  await call(db, 'remove_member', { p_actor_id: actorId, p_org_id: orgId, p_user_id: userId });
}

export async function listInvites(db: AdminDb, userId: string, orgId: string): Promise<readonly Invite[]> {
  return call(db, 'list_invites', { p_user_id: userId, p_org_id: orgId });
}

export async function createInvite(
  db: AdminDb,
  actorId: string,
  invite: { readonly orgId: string; readonly email: string; readonly role: Role },
): Promise<Invite> {
  return call(db, 'create_invite', {
    p_actor_id: actorId,
    p_org_id: invite.orgId,
    p_email: invite.email,
    p_role: invite.role,
  });
}

export async function revokeInvite(db: AdminDb, actorId: string, orgId: string, inviteId: string): Promise<void> {
  await call(db, 'revoke_invite', { p_actor_id: actorId, p_org_id: orgId, p_invite_id: inviteId });
}

export async function listInvitesTo(db: AdminDb, email: string | null): Promise<readonly Invite[]> {
  return call(db, 'list_my_invites', { p_email: email });
}

export async function acceptInvite(db: AdminDb, user: Caller, inviteId: string): Promise<Organization> {
  return call(db, 'accept_invite', { p_user_id: user.id, p_email: user.email, p_invite_id: inviteId });
}
