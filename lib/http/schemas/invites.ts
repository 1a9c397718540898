import { z } from 'zod';
import { Invite, Organization, Role } from '#lib/db/shapes/organizations.ts';
import { defineOperation } from '../route/operation.ts';
import { PathId } from './common.ts';

const Invites = z.strictObject({ invites: z.array(Invite) }).meta({ id: 'Invites' });

const Address = z
  .string()
  .trim()
  .pipe(z.email({ pattern: z.regexes.html5Email, error: 'an e-mail address' }).max(320, 'at most 320 characters'))
  .meta({ format: 'email', description: 'Surrounding white space is removed; case-insensitive' });

const OrgPath = z.object({ org_id: PathId });

export const listInvites = defineOperation({
  id: 'listInvites',
  verb: 'GET',
  path: '/api/orgs/{org_id}/invites',
  summary: 'List the open invites of an organization',
  description: 'For members.',
  access: 'user',
  params: OrgPath,
  reply: Invites,
  replyDescription: 'Oldest first.',
  errors: ['not-found'],
});

export const createInvite = defineOperation({
  id: 'createInvite',
  verb: 'POST',
  path: '/api/orgs/{org_id}/invites',
  summary: 'Invite someone by email address',
  description:
    'For admins. No email is sent: the invite waits until someone signs in with the address. It does not expire.',
  access: 'user',
  params: OrgPath,
  body: z.strictObject({ email: Address, role: Role }).meta({ id: 'NewInvite' }),
  reply: Invite,
  replyDescription: 'The new invite.',
  status: 201,
  errors: [
    'invalid-json',
    'validation-failed',
    'forbidden',
    'not-found',
    'personal-org',
    'already-member',
    'already-invited',
  ],
});

export const revokeInvite = defineOperation({
  id: 'revokeInvite',
  verb: 'DELETE',
  path: '/api/orgs/{org_id}/invites/{invite_id}',
  summary: 'Revoke an open invite',
  description: 'For admins.',
  access: 'user',
  params: z.object({ org_id: PathId, invite_id: PathId }),
  reply: z.null(),
  replyDescription: 'The invite is revoked.',
  status: 204,
  errors: ['forbidden', 'not-found'],
});

export const listMyInvites = defineOperation({
  id: 'listMyInvites',
  verb: 'GET',
  path: '/api/invites',
  summary: 'List the caller’s open invites',
  description: 'Matches the email address in the access token; empty without one.',
  access: 'user',
  reply: Invites,
  replyDescription: 'Oldest first.',
});

export const acceptInvite = defineOperation({
  id: 'acceptInvite',
  verb: 'POST',
  path: '/api/invites/{invite_id}/accept',
  summary: 'Accept an invite',
  description: 'An invite for someone else counts as missing.',
  access: 'user',
  params: z.object({ invite_id: PathId }),
  reply: Organization,
  replyDescription: 'The organization joined.',
  errors: ['not-found'],
});
