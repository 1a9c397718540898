import type { AdminDb } from '../clients.ts';
import { unwrap } from '../unwrap.ts';

export type Role = 'admin' | 'member';

/** Who calls: the subject of the token and the address in it. */
export interface Caller {
  readonly id: string;
  readonly email: string | null;
}

export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly personal: boolean;
  readonly role: Role;
  readonly created_at: string;
}

export interface Member {
  readonly user_id: string;
  readonly email: string | null;
  readonly role: Role;
  readonly joined_at: string;
}

export interface Invite {
  readonly invite_id: string;
  readonly email: string;
  readonly role: Role;
  readonly org_id: string;
  readonly org_name: string;
  readonly created_at: string;
}

export interface PrGate {
  readonly fail_on: 'never' | 'critical' | 'high' | 'medium' | 'low' | 'info';
  readonly new_only: boolean;
}

/** The organization named, else the personal one, which is made when first needed. `forbidden` for a non-member. */
export async function resolve(
  db: AdminDb,
  user: Caller,
  orgId: string | null,
): Promise<{ readonly id: string; readonly role: Role }> {
  return unwrap(await db.rpc('resolve_org', { p_user_id: user.id, p_email: user.email, p_org_id: orgId }));
}

export async function list(db: AdminDb, user: Caller): Promise<readonly Organization[]> {
  return unwrap(await db.rpc('list_orgs', { p_user_id: user.id, p_email: user.email }));
}

export async function create(db: AdminDb, user: Caller, name: string): Promise<Organization> {
  return unwrap(await db.rpc('create_org', { p_user_id: user.id, p_email: user.email, p_name: name }));
}

export async function rename(db: AdminDb, userId: string, orgId: string, name: string): Promise<Organization> {
  return unwrap(await db.rpc('rename_org', { p_user_id: userId, p_org_id: orgId, p_name: name }));
}

export async function getPrGate(db: AdminDb, userId: string, orgId: string): Promise<PrGate> {
  return unwrap(await db.rpc('get_pr_gate', { p_user_id: userId, p_org_id: orgId }));
}

export async function putPrGate(db: AdminDb, userId: string, orgId: string, gate: PrGate): Promise<PrGate> {
  const args = { p_user_id: userId, p_org_id: orgId, p_fail_on: gate.fail_on, p_new_only: gate.new_only };
  return unwrap(await db.rpc('put_pr_gate', args));
}

export async function listMembers(db: AdminDb, userId: string, orgId: string): Promise<readonly Member[]> {
  return unwrap(await db.rpc('list_members', { p_user_id: userId, p_org_id: orgId }));
}

export async function setMemberRole(
  db: AdminDb,
  actorId: string,
  member: { readonly orgId: string; readonly userId: string; readonly role: Role },
): Promise<{ readonly user_id: string; readonly role: Role }> {
  const args = { p_actor_id: actorId, p_org_id: member.orgId, p_user_id: member.userId, p_role: member.role };
  return unwrap(await db.rpc('set_member_role', args));
}

export async function removeMember(db: AdminDb, actorId: string, orgId: string, userId: string): Promise<void> {
  unwrap(await db.rpc('remove_member', { p_actor_id: actorId, p_org_id: orgId, p_user_id: userId }));
}

export async function listInvites(db: AdminDb, userId: string, orgId: string): Promise<readonly Invite[]> {
  return unwrap(await db.rpc('list_invites', { p_user_id: userId, p_org_id: orgId }));
}

export async function createInvite(
  db: AdminDb,
  actorId: string,
  invite: { readonly orgId: string; readonly email: string; readonly role: Role },
): Promise<Invite> {
  const args = { p_actor_id: actorId, p_org_id: invite.orgId, p_email: invite.email, p_role: invite.role };
  return unwrap(await db.rpc('create_invite', args));
}

export async function revokeInvite(db: AdminDb, actorId: string, orgId: string, inviteId: string): Promise<void> {
  unwrap(await db.rpc('revoke_invite', { p_actor_id: actorId, p_org_id: orgId, p_invite_id: inviteId }));
}

/** The open invites to an address; none without one. */
export async function listInvitesTo(db: AdminDb, email: string | null): Promise<readonly Invite[]> {
  return unwrap(await db.rpc('list_my_invites', { p_email: email }));
}

export async function acceptInvite(db: AdminDb, user: Caller, inviteId: string): Promise<Organization> {
  return unwrap(await db.rpc('accept_invite', { p_user_id: user.id, p_email: user.email, p_invite_id: inviteId }));
}
