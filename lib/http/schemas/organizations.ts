import { z } from 'zod';
import { Member, MemberRole, Organization, PrGate, Role } from '#lib/db/shapes/organizations.ts';
import { defineOperation } from '../route/operation.ts';
import { PathId } from './common.ts';

const MAX_NAME_LENGTH = 100;

/** Counted in code points, as the database does. */
const OrganizationName = z
  .string()
  .trim()
  .refine((name) => name !== '' && Array.from(name).length <= MAX_NAME_LENGTH, `1 to ${MAX_NAME_LENGTH} characters`)
  .meta({ description: `1 to ${MAX_NAME_LENGTH} characters; white space around it is dropped` });

const NewName = z.strictObject({ name: OrganizationName }).meta({ id: 'OrganizationName' });

const OrgPath = z.object({ org_id: PathId });
const MemberPath = z.object({ org_id: PathId, user_id: PathId });

export const listOrgs = defineOperation({
  id: 'listOrgs',
  verb: 'GET',
  path: '/api/orgs',
  summary: 'The organizations of the caller',
  description: 'Makes the personal organization when there is none yet.',
  access: 'user',
  reply: z.strictObject({ orgs: z.array(Organization) }).meta({ id: 'Organizations' }),
  replyDescription: 'The personal organization first, then the others by name.',
});

export const createOrg = defineOperation({
  id: 'createOrg',
  verb: 'POST',
  path: '/api/orgs',
  summary: 'Create a team organization',
  access: 'user',
  body: NewName,
  reply: Organization,
  replyDescription: 'The new organization, with the caller as its admin.',
  status: 201,
  errors: ['invalid-json', 'validation-failed'],
});

export const renameOrg = defineOperation({
  id: 'renameOrg',
  verb: 'PATCH',
  path: '/api/orgs/{org_id}',
  summary: 'Rename an organization',
  description: 'For admins.',
  access: 'user',
  params: OrgPath,
  body: NewName,
  reply: Organization,
  replyDescription: 'The organization with its new name.',
  errors: ['invalid-json', 'validation-failed', 'forbidden', 'not-found'],
});

export const getPrGate = defineOperation({
  id: 'getPrGate',
  verb: 'GET',
  path: '/api/orgs/{org_id}/pr-gate',
  summary: 'The policy for pull requests',
  description: 'For members.',
  access: 'user',
  params: OrgPath,
  reply: PrGate,
  replyDescription: 'The policy. Until it is set: `high`, and only what is new.',
  errors: ['not-found'],
});

export const putPrGate = defineOperation({
  id: 'putPrGate',
  verb: 'PUT',
  path: '/api/orgs/{org_id}/pr-gate',
  summary: 'Set the policy for pull requests',
  description: 'For admins.',
  access: 'user',
  params: OrgPath,
  body: PrGate,
  reply: PrGate,
  replyDescription: 'The policy as it is now.',
  errors: ['invalid-json', 'validation-failed', 'forbidden', 'not-found'],
});

export const listMembers = defineOperation({
  id: 'listMembers',
  verb: 'GET',
  path: '/api/orgs/{org_id}/members',
  summary: 'The members of an organization',
  description: 'For members.',
  access: 'user',
  params: OrgPath,
  reply: z.strictObject({ members: z.array(Member) }).meta({ id: 'Members' }),
  replyDescription: 'Who joined first comes first.',
  errors: ['not-found'],
});

export const setMemberRole = defineOperation({
  id: 'setMemberRole',
  verb: 'PUT',
  path: '/api/orgs/{org_id}/members/{user_id}/role',
  summary: 'Change the role of a member',
  description: 'For admins. The last admin stays one.',
  access: 'user',
  params: MemberPath,
  body: z.strictObject({ role: Role }).meta({ id: 'NewRole' }),
  reply: MemberRole,
  replyDescription: 'The role as it is now, also when it was that before.',
  errors: ['invalid-json', 'validation-failed', 'forbidden', 'not-found', 'last-admin'],
});

export const removeMember = defineOperation({
  id: 'removeMember',
  verb: 'DELETE',
  path: '/api/orgs/{org_id}/members/{user_id}',
  summary: 'Remove a member, or leave',
  description:
    'For admins, and for everybody about themselves. The last admin stays, and nobody leaves a personal one.',
  access: 'user',
  params: MemberPath,
  reply: z.null(),
  replyDescription: 'The person is no member any more.',
  status: 204,
  errors: ['forbidden', 'not-found', 'last-admin', 'personal-org'],
});
