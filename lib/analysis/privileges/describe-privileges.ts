import type { Job } from '#lib/workflow/model/model.ts';
import { joinList } from '#lib/workflow/text/join-list.ts';
import { memoByNode } from '../memo.ts';
import type { Scenario } from '../reachability/conditions.ts';
import { credentialsOf } from './job-credentials.ts';
import { tokenPermissions } from './permissions.ts';
import { provenWrites } from './proven-writes.ts';
import { secretsReached } from './reached-secrets.ts';
import { runnerKind } from './runners.ts';

/**
 * `strong`: a secret, OIDC, a self-hosted runner, or a token that changes code, releases, packages or runs. `assumed`:
 * write access follows only from the repository's unknown default.
 */
export interface Privileges {
  readonly held: readonly string[];
  readonly strong: boolean;
  readonly assumed: boolean;
}

const CONVERSATION: ReadonlySet<string> = new Set(['issues', 'pull-requests', 'discussions', 'checks', 'statuses']);

export const privilegesOf = memoByNode((job: Job) => findPrivileges(job, credentialsOf(job).secrets));

/** Returns what a job holds in the runs of some scenarios, which may skip the steps and expressions that read secrets. */
export function privilegesIn(job: Job, scenarios: readonly Scenario[]): Privileges {
  const secrets = secretsReached(job, scenarios);
  return secrets.length === credentialsOf(job).secrets.length ? privilegesOf(job) : findPrivileges(job, secrets);
}

function findPrivileges(job: Job, secrets: readonly string[]): Privileges {
  const { mintsOidc } = credentialsOf(job);
  const { declared } = tokenPermissions(job);
  const written = declared?.scopes.filter(({ level, scope }) => level === 'write' && scope !== 'id-token') ?? [];
  const scopes = written.map(({ scope }) => scope);
  const held: string[] = [];
  const proven = declared === undefined ? provenWrites(job) : [];
  if (proven.length > 0) held.push(`write access to ${joinList(proven)}, which it uses`);
  else if (declared === undefined) held.push('the repository’s default token');
  else if (declared.all === 'write-all') held.push('write access to everything');
  else if (scopes.length > 0) held.push(`write access to ${joinList(scopes)}`);
  if (mintsOidc && declared?.all === undefined) held.push('OIDC tokens');
  if (secrets.includes('*')) held.push('all secrets');
  else if (secrets.length > 0) held.push(`the secret${secrets.length > 1 ? 's' : ''} ${joinList(secrets.map(upper))}`);
  const ownMachine = runnerKind(job) === 'self-hosted';
  if (ownMachine) held.push('a self-hosted runner');
  const certain =
    secrets.length > 0 ||
    mintsOidc ||
    ownMachine ||
    declared?.all === 'write-all' ||
    [...proven, ...scopes].some((scope) => !CONVERSATION.has(scope));
  return { held, strong: certain || declared === undefined, assumed: !certain && declared === undefined };
}

const upper = (name: string): string => name.toUpperCase();

export function heldBy(job: Job, { held }: Privileges = privilegesOf(job)): string {
  if (held.length <= 1) return held[0] ?? 'a read-only token';
  const nested = held.some((item) => item.includes(' and '));
  return `${held.slice(0, -1).join(', ')}${nested ? ',' : ''} and ${held.at(-1)}`;
}
