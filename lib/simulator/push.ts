import type { FileChanges } from './git.ts';
import type { Account, Repository } from './model.ts';
import { type Places, repositoryJson, userJson } from './representations.ts';
import type { Delivery, Webhooks } from './webhooks.ts';
import type { World } from './world.ts';

export interface Push {
  readonly files: FileChanges;
  readonly keepOthers?: boolean;
  readonly branch?: string;
  readonly message?: string;
  readonly by?: Account;
  /** Holds events back, so that a test can deliver them late, twice or out of order. */
  readonly hold?: boolean;
}

export interface Pushed {
  readonly before: string;
  readonly after: string;
  readonly deliveries: readonly Delivery[];
  readonly held: readonly string[];
}

const NOTHING = '0'.repeat(40);

export async function push(
  repository: Repository,
  { files, keepOthers = false, branch = repository.defaultBranch, message = 'Change things', by, hold = false }: Push,
  { world, places, webhooks }: { world: World; places: Places; webhooks: Webhooks },
): Promise<Pushed> {
  const owner = world.ownerOf(repository);
  const sender = by ?? world.accounts.find(({ id, type }) => type === 'User' && world.roleIn(owner.id, id)) ?? owner;
  const before = (await world.git(repository).object(`refs/heads/${branch}`))?.oid ?? NOTHING;
  const date = new Date();
  const author = { name: sender.name, email: sender.email ?? `${sender.login}@example.com` };
  const after = await world.commit(repository, branch, { files, message, keepOthers, author: { ...author, date } });
  const full = repositoryJson(repository, undefined, world, places);
  const commit = {
    id: after,
    tree_id: (await world.git(repository).object(`${after}^{tree}`))?.oid ?? NOTHING,
    distinct: true,
    message,
    timestamp: date.toISOString(),
    url: `${String(full['html_url'])}/commit/${after}`,
    author: { ...author, username: sender.login },
    committer: { ...author, username: sender.login },
    added: [],
    removed: Object.keys(files).filter((path) => files[path] === null),
    modified: Object.keys(files).filter((path) => files[path] !== null),
  };
  const payload = {
    ref: `refs/heads/${branch}`,
    before,
    after,
    created: before === NOTHING,
    deleted: false,
    forced: false,
    base_ref: null,
    compare: `${String(full['html_url'])}/compare/${before.slice(0, 12)}...${after.slice(0, 12)}`,
    commits: [commit],
    head_commit: commit,
    pusher: { name: sender.login, email: author.email },
    repository: { ...full, topics: [] },
    sender: userJson(sender, places),
  };
  const installations = world.installations.filter(
    (installation) => installation.suspendedAt === null && world.isInstalledOn(installation, repository),
  );
  const payloads = installations.map(({ id }) => ({ ...payload, installation: { id, node_id: `I_${id}` } }));
  if (hold) return { before, after, deliveries: [], held: payloads.map((each) => webhooks.hold('push', each)) };
  const sent = await Promise.all(payloads.map((each) => webhooks.send('push', each)));
  return { before, after, deliveries: sent.filter((delivery) => delivery !== undefined), held: [] };
}
