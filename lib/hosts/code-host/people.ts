import * as z from 'zod/mini';
import { Id, understand, unless } from './answers.ts';
import type { Client } from './client.ts';
import { CodeHostFailure } from './errors.ts';
import type { Person } from './port.ts';

const User = z.object({ id: Id, login: z.string() });
const Membership = z.object({
  state: z.string(),
  role: z.string(),
  user: z.object({ id: Id }),
  organization: z.object({ login: z.string() }),
});
const REVEALS_NOTHING = ['missing', 'forbidden'] as const;
const Exchanged = z.union([z.object({ access_token: z.string() }), z.object({ error: z.string() })]);

export async function readPerson(client: Client): Promise<Person> {
  const { id, login } = understand(User, await client.read('/user'));
  return { id: String(id), login };
}

export async function administersAsPerson(client: Client, organization: string, personId: string): Promise<boolean> {
  const answer = await unless(REVEALS_NOTHING, client.read('/user/memberships/orgs/{org}', { org: organization }));
  return isAdmin(answer, organization, personId);
}

export async function administersAsSeen(client: Client, organization: string, personId: string): Promise<boolean> {
  const user = await unless(REVEALS_NOTHING, client.read('/user/{account_id}', { account_id: personId }));
  if (user === undefined) return false;
  const { login } = understand(User, user);
  const answer = await unless(
    REVEALS_NOTHING,
    client.read('/orgs/{org}/memberships/{username}', { org: organization, username: login }),
  );
  return isAdmin(answer, organization, personId);
}

/** Exchanges a sign-in code for a token; undefined for a bad code. Sent once, since codes are single-use. */
export async function exchangeCode(
  client: Client,
  webUrl: string,
  parameters: { readonly client_id: string; readonly client_secret: string; readonly code: string },
): Promise<string | undefined> {
  const answer = await client.send(`${webUrl.replace(/\/$/, '')}/login/oauth/access_token`, parameters);
  const exchanged = understand(Exchanged, answer);
  if ('access_token' in exchanged) return exchanged.access_token;
  if (exchanged.error === 'bad_verification_code') return undefined;
  throw new CodeHostFailure('refused', `Sign-in: ${exchanged.error.slice(0, 100)}`);
}

function isAdmin(answer: unknown, organization: string, personId: string): boolean {
  if (answer === undefined) return false;
  const membership = understand(Membership, answer);
  return (
    membership.state === 'active' &&
    membership.role === 'admin' &&
    String(membership.user.id) === personId &&
    membership.organization.login.toLowerCase() === organization.toLowerCase()
  );
}
