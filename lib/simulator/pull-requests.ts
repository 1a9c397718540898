import { type Acting, ARCHIVED, assertMayChange, NOT_ACCESSIBLE, writerOf } from './acting.ts';
import { type Announcing, type Sent, send, type Timing } from './events.ts';
import { type FileDiff, isBranch } from './git.ts';
import type { Account, PullRequest, Repository } from './model.ts';
import { pullRequestJson } from './pull-request-json.ts';
import { invalid, Refused } from './refused.ts';

export const NO_COMMIT = '0'.repeat(40);

export interface NewPullRequest {
  readonly title: string | undefined;
  readonly head: string;
  readonly base: string;
  readonly body: string | undefined;
  readonly draft: boolean;
}

export function openPullRequest(acting: Acting, repository: Repository, wanted: NewPullRequest): Promise<PullRequest> {
  return acting.world.exclusively(repository, () => open(acting, repository, wanted));
}

async function open(
  acting: Acting,
  repository: Repository,
  { title, head, base, body, draft }: NewPullRequest,
): Promise<PullRequest> {
  const { world } = acting;
  const { source, branch } = headOf(head, repository, acting);
  const author = authorOf(acting, repository, source);
  if (title === undefined || title === '') throw missing('title');
  const headOid = source === undefined ? undefined : await branchHead(source, branch, acting);
  if (source === undefined || headOid === undefined) {
    throw wrong(
      'head',
      `Head sha can't be blank, Base sha can't be blank, No commits between ${base} and ${head}, Head ref must be a branch`,
    );
  }
  const baseOid = await branchHead(repository, base, acting);
  if (baseOid === undefined) throw wrong('base', 'Base ref must be a branch');
  const existing = world
    .pullRequestsFrom(source, branch)
    .find((each) => each.repositoryId === repository.id && each.baseBranch === base);
  const label = `${world.ownerOf(source).login}:${branch}`;
  if (existing !== undefined) throw invalid('PullRequest', `A pull request already exists for ${label}.`);
  const number = world.pullRequests(repository).length + 1;
  await world.keep(repository, `refs/pull/${number}/head`, headOid, source);
  const git = world.git(repository);
  const compared = await git.compare(baseOid, headOid);
  if (compared === undefined) {
    throw invalid('PullRequest', `The ${branch} branch has no history in common with ${base}`);
  }
  if (compared.ahead === 0) throw invalid('PullRequest', `No commits between ${base} and ${branch}`);
  const now = new Date().toISOString();
  const request = world.addPullRequest(repository, {
    headRepositoryId: source.id,
    headBranch: branch,
    headOid,
    baseBranch: base,
    baseOid,
    authorId: author.id,
    title,
    body: body ?? null,
    draft,
    state: 'open',
    labels: [],
    createdAt: now,
    updatedAt: now,
    closedAt: null,
    mergedAt: null,
    mergedById: null,
    mergeCommit: null,
  });
  await tell('opened', request, author, acting, 'queued');
  return request;
}

export interface Edit {
  readonly title?: string;
  readonly body?: string;
  readonly base?: string;
  readonly state?: 'open' | 'closed';
}

export async function editPullRequest(acting: Acting, request: PullRequest, edit: Edit): Promise<void> {
  const { world } = acting;
  const repository = repositoryOf(request, acting);
  const by = writerOf(acting, repository, 'pull_requests');
  const { title, body, base, state } = edit;
  if (title === '') throw missing('title');
  if (base !== undefined && base !== request.baseBranch) {
    const baseOid = await branchHead(repository, base, acting);
    if (baseOid === undefined) throw wrong('base', 'Base ref must be a branch');
    world.updatePullRequest(request, { baseBranch: base, baseOid });
  }
  if (title !== undefined) world.updatePullRequest(request, { title });
  if (body !== undefined) world.updatePullRequest(request, { body });
  if (state === 'closed' && request.state === 'open') await closeBy(by, request, acting, 'queued');
  if (state === 'open' && request.state === 'closed') await reopenBy(by, request, acting, 'queued');
}

export async function closeBy(
  by: Account,
  request: PullRequest,
  announcing: Announcing,
  timing: Timing,
): Promise<Sent> {
  announcing.world.updatePullRequest(request, { state: 'closed', closedAt: new Date().toISOString() });
  return tell('closed', request, by, announcing, timing);
}

export async function reopenBy(
  by: Account,
  request: PullRequest,
  announcing: Announcing,
  timing: Timing,
): Promise<Sent> {
  const { world } = announcing;
  const { headBranch, baseBranch, mergedAt } = request;
  const repository = repositoryOf(request, announcing);
  const source = world.repositoryById(request.headRepositoryId);
  const headOid = source === undefined ? undefined : await branchHead(source, headBranch, announcing);
  const refuse = (reason: string): Refused => invalid('PullRequest', `state cannot be changed. ${reason}`, 'state');
  if (mergedAt !== null) throw refuse('The pull request was merged.');
  if (source === undefined || headOid === undefined) throw refuse(`The ${headBranch} branch was deleted.`);
  const other = world.pullRequestsFrom(source, headBranch).find((each) => each.baseBranch === baseBranch);
  if (other !== undefined) throw refuse(`There is already an open pull request from ${headBranch} to ${baseBranch}.`);
  await world.keep(repository, `refs/pull/${request.number}/head`, headOid, source);
  world.updatePullRequest(request, { state: 'open', closedAt: null, headOid });
  return tell('reopened', request, by, announcing, timing);
}

export async function followBranch(
  source: Repository,
  { branch, before, after, by, timing }: Followed,
  announcing: Announcing,
): Promise<readonly Sent[]> {
  const { world } = announcing;
  const sent: Sent[] = [];
  for (const request of world.pullRequestsFrom(source, branch)) {
    if (after === NO_COMMIT) {
      sent.push(await closeBy(by, request, announcing, timing));
      continue;
    }
    const repository = repositoryOf(request, announcing);
    await world.keep(repository, `refs/pull/${request.number}/head`, after, source);
    const baseOid = (await branchHead(repository, request.baseBranch, announcing)) ?? request.baseOid;
    world.updatePullRequest(request, { headOid: after, baseOid });
    sent.push(await tell('synchronize', request, by, announcing, timing, { before, after }));
  }
  return sent;
}

interface Followed {
  readonly branch: string;
  readonly before: string;
  readonly after: string;
  readonly by: Account;
  readonly timing: Timing;
}

export function addLabels(acting: Acting, request: PullRequest, names: readonly string[]): void {
  const { world } = acting;
  const repository = repositoryOf(request, acting);
  writerOf(acting, repository, 'pull_requests');
  const labels = names.map((name) => world.addLabel(repository, name).name);
  world.updatePullRequest(request, { labels: [...new Set([...request.labels, ...labels])] });
}

export interface Contents {
  readonly files: readonly FileDiff[];
  readonly commits: readonly string[];
}

export async function contentsOf(request: PullRequest, announcing: Pick<Announcing, 'world'>): Promise<Contents> {
  const git = announcing.world.git(repositoryOf(request, announcing));
  const base = request.mergedAt === null ? await baseHead(request, announcing) : request.baseOid;
  const compared = await git.compare(base, request.headOid);
  if (compared === undefined) return { files: [], commits: [] };
  const [files, commits] = await Promise.all([
    git.diff(compared.mergeBase, request.headOid),
    git.between(base, request.headOid),
  ]);
  return { files, commits };
}

export async function baseHead(request: PullRequest, { world }: Pick<Announcing, 'world'>): Promise<string> {
  const git = world.git(repositoryOf(request, { world }));
  return (await git.object(`refs/heads/${request.baseBranch}`))?.oid ?? request.baseOid;
}

export function repositoryOf(request: PullRequest, { world }: Pick<Announcing, 'world'>): Repository {
  const found = world.repositoryById(request.repositoryId);
  if (found === undefined) throw new Error(`Pull request ${request.id} has no repository.`);
  return found;
}

export async function tell(
  action: string,
  request: PullRequest,
  sender: Account,
  announcing: Announcing,
  timing: Timing,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Sent> {
  const { world, places, webhooks } = announcing;
  if (timing !== 'held' && !webhooks.isListening) return { deliveries: [], held: [] };
  const repository = repositoryOf(request, announcing);
  const contents = await contentsOf(request, announcing);
  const body = pullRequestJson(request, repository, world, places, { ...contents, mergeable: null });
  const payload = { action, number: request.number, ...more, pull_request: body };
  return send(repository, { name: 'pull_request', payload, sender, permission: 'pull_requests' }, announcing, timing);
}

function authorOf(acting: Acting, repository: Repository, source: Repository | undefined): Account {
  const { caller, world } = acting;
  if (caller.kind !== 'user') return writerOf(acting, repository, 'pull_requests');
  const mayWrite = [repository, source].some(
    (each) => each !== undefined && ['write', 'admin'].includes(world.access(each, caller.account.id)),
  );
  if (!mayWrite) throw new Refused(403, NOT_ACCESSIBLE);
  if (repository.archived) throw new Refused(403, ARCHIVED);
  return caller.account;
}

function headOf(
  head: string,
  repository: Repository,
  { world }: Acting,
): { readonly source: Repository | undefined; readonly branch: string } {
  const [owner = '', branch] = head.split(':', 2);
  if (branch === undefined) return { source: repository, branch: head };
  return { source: world.forkOf(repository, owner), branch };
}

async function branchHead(
  repository: Repository,
  branch: string,
  { world }: Pick<Announcing, 'world'>,
): Promise<string | undefined> {
  return isBranch(branch) ? (await world.git(repository).object(`refs/heads/${branch}`))?.oid : undefined;
}

function missing(field: string): Refused {
  return new Refused(422, 'Validation Failed', { errors: [{ resource: 'PullRequest', code: 'missing_field', field }] });
}

function wrong(field: string, message: string): Refused {
  const errors = [{ resource: 'PullRequest', code: 'invalid', field }];
  return new Refused(422, 'Validation Failed', { errors, graphqlMessage: message });
}

export function assertMayMerge(acting: Acting, files: readonly FileDiff[]): void {
  assertMayChange(
    acting,
    files.map(({ path }) => path),
  );
}
