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
  .meta({ description: `1 to ${MAX_NAME_LENGTH} characters; surrounding white space is removed` });

const NewName = z.strictObject({ name: OrganizationName }).meta({ id: 'OrganizationName' });

const OrgPath = z.object({ org_id: PathId });
const MemberPath = z.object({ org_id: PathId, user_id: PathId });

export const listOrgs = defineOperation({
  id: 'listOrgs',
  verb: 'GET',
  path: '/api/orgs',
  summary: 'List the caller’s organizations',
  description: 'Creates the personal organization if there is none yet.',
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
  replyDescription: 'The renamed organization.',
  errors: ['invalid-json', 'validation-failed', 'forbidden', 'not-found'],
});

export const getPrGate = defineOperation({
  id: 'getPrGate',
  verb: 'GET',
  path: '/api/orgs/{org_id}/pr-gate',
  summary: 'Get the pull request policy',
  description: 'For members.',
  access: 'user',
  params: OrgPath,
  reply: PrGate,
  replyDescription: 'The policy. Default: `high`, new findings only.',
  errors: ['not-found'],
});

export const putPrGate = defineOperation({
  id: 'putPrGate',
  verb: 'PUT',
  path: '/api/orgs/{org_id}/pr-gate',
  summary: 'Set the pull request policy',
  description: 'For admins.',
  access: 'user',
  params: OrgPath,
  body: PrGate,
  reply: PrGate,
  replyDescription: 'The current policy.',
  errors: ['invalid-json', 'validation-failed', 'forbidden', 'not-found'],
});

export const listMembers = defineOperation({
  id: 'listMembers',
  verb: 'GET',
  path: '/api/orgs/{org_id}/members',
  summary: 'List the members of an organization',
  description: 'For members.',
  access: 'user',
  params: OrgPath,
  reply: z.strictObject({ members: z.array(Member) }).meta({ id: 'Members' }),
  replyDescription: 'In the order in which they joined.',
  errors: ['not-found'],
});

export const setMemberRole = defineOperation({
  id: 'setMemberRole',
  verb: 'PUT',
  path: '/api/orgs/{org_id}/members/{user_id}/role',
  summary: 'Change the role of a member',
  description: 'For admins. The last admin cannot be demoted.',
  access: 'user',
  params: MemberPath,
  body: z.strictObject({ role: Role }).meta({ id: 'NewRole' }),
  reply: MemberRole,
  replyDescription: 'The current role, even if it did not change.',
  errors: ['invalid-json', 'validation-failed', 'forbidden', 'not-found', 'last-admin'],
});

export const removeMember = defineOperation({
  id: 'removeMember',
  verb: 'DELETE',
  path: '/api/orgs/{org_id}/members/{user_id}',
  summary: 'Remove a member, or leave',
  description:
    'Admins can remove anyone, members themselves. The last admin must stay, and no one can leave a personal organization.',
  access: 'user',
  params: MemberPath,
  reply: z.null(),
  replyDescription: 'The person is no longer a member.',
  status: 204,
  errors: ['forbidden', 'not-found', 'last-admin', 'personal-org'],
});
