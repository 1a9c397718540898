import { emailOf } from './acting.ts';
import { parseCommit } from './commits.ts';
import { type Announcing, type Sent, send, type Timing } from './events.ts';
import type { FileChanges } from './git.ts';
import type { Account, Repository } from './model.ts';
import { followBranch, NO_COMMIT } from './pull-requests.ts';
import type { Delivery } from './webhooks.ts';

export interface Push {
  readonly files: FileChanges;
  readonly keepOthers?: boolean;
  readonly branch?: string;
  readonly message?: string;
  readonly by?: Account;
  readonly hold?: boolean;
}

export interface Pushed {
  readonly before: string;
  readonly after: string;
  readonly deliveries: readonly Delivery[];
  readonly held: readonly string[];
}

export async function push(
  repository: Repository,
  { files, keepOthers = false, branch = repository.defaultBranch, message = 'Change things', by, hold = false }: Push,
  announcing: Announcing,
): Promise<Pushed> {
  const { world } = announcing;
  const sender = by ?? anyMember(repository, announcing);
  const before = (await world.git(repository).object(`refs/heads/${branch}`))?.oid ?? NO_COMMIT;
  const author = { name: sender.name, email: emailOf(sender), date: new Date() };
  const after = await world.commit(repository, branch, { files, message, keepOthers, author });
  const timing = hold ? 'held' : 'awaited';
  const sent = await announce(repository, { branch, before, after, by: sender, files, timing }, announcing);
  return { before, after, ...sent };
}

export function anyMember(repository: Repository, { world }: Announcing): Account {
  const owner = world.ownerOf(repository);
  return world.accounts.find(({ id, type }) => type === 'User' && world.roleIn(owner.id, id)) ?? owner;
}

export interface Moved {
  readonly branch: string;
  readonly before: string;
  readonly after: string;
  readonly by: Account;
  readonly forced?: boolean;
  readonly files?: FileChanges;
  readonly timing?: Timing;
}

export async function announce(repository: Repository, moved: Moved, announcing: Announcing): Promise<Sent> {
  const { branch, before, after, by, forced = false, files = {}, timing = 'queued' } = moved;
  const { world, places } = announcing;
  const url = `${places.webUrl}/${world.fullNameOf(repository)}`;
  const commit = await commitOf(repository, after, by, files, announcing);
  const payload = {
    ref: `refs/heads/${branch}`,
    before,
    after,
    created: before === NO_COMMIT,
    deleted: after === NO_COMMIT,
    forced,
    base_ref: null,
    compare: `${url}/compare/${before.slice(0, 12)}...${after.slice(0, 12)}`,
    commits: commit === null ? [] : [commit],
    head_commit: commit,
    pusher: { name: by.login, email: emailOf(by) },
  };
  const sent = await send(repository, { name: 'push', payload, sender: by }, announcing, timing);
  const followed = await followBranch(repository, { branch, before, after, by, timing }, announcing);
  const all = [sent, ...followed];
  return { deliveries: all.flatMap(({ deliveries }) => deliveries), held: all.flatMap(({ held }) => held) };
}

async function commitOf(
  repository: Repository,
  oid: string,
  by: Account,
  files: FileChanges,
  { world, places }: Announcing,
): Promise<Readonly<Record<string, unknown>> | null> {
  const found = oid === NO_COMMIT ? undefined : await world.git(repository).object(oid);
  if (found === undefined) return null;
  const { tree, author, committer, message } = parseCommit(found);
  return {
    id: oid,
    tree_id: tree,
    distinct: true,
    message,
    timestamp: committer.date.toISOString(),
    url: `${places.webUrl}/${world.fullNameOf(repository)}/commit/${oid}`,
    author: { name: author.name, email: author.email, username: by.login },
    committer: { name: committer.name, email: committer.email, username: by.login },
    added: [],
    removed: Object.keys(files).filter((path) => files[path] === null),
    modified: Object.keys(files).filter((path) => files[path] !== null),
  };
}
