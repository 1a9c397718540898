import { type Acting, emailOf, writerOf } from './acting.ts';
import type { Announcing, Sent, Timing } from './events.ts';
import type { Account, PullRequest, Repository } from './model.ts';
import { assertUnprotected } from './protection.ts';
import { assertMayMerge, baseHead, contentsOf, NO_COMMIT, repositoryOf, tell } from './pull-requests.ts';
import { announce } from './push.ts';
import { Refused } from './refused.ts';

export interface MergeOptions {
  readonly method?: 'merge' | 'squash' | 'rebase';
  readonly title?: string | undefined;
  readonly message?: string | undefined;
  readonly expectedHead?: string | undefined;
  readonly deleteBranch?: boolean;
}

export async function mergePullRequest(acting: Acting, request: PullRequest, options: MergeOptions): Promise<string> {
  const repository = repositoryOf(request, acting);
  const by = writerOf(acting, repository, 'contents');
  assertMayMerge(acting, (await contentsOf(request, acting)).files);
  const rules = repository.settings.rulesets.flatMap(({ rules }) => Object.values(rules));
  if (
    rules.some(
      (rule) => rule !== null && 'requiredApprovingReviewCount' in rule && rule.requiredApprovingReviewCount > 0,
    )
  ) {
    try {
      assertUnprotected(acting, repository, request.baseBranch, ['PULL_REQUEST']);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const needed = 'At least 1 approving review is required by reviewers with write access.';
      throw new Refused(405, `Repository rule violations found\n\n${needed}\n\n`);
    }
  }
  return (await mergeBy(by, request, options, acting, 'queued')).commit;
}

export function mergeBy(
  by: Account,
  request: PullRequest,
  options: MergeOptions,
  announcing: Announcing,
  timing: Timing,
): Promise<Merged> {
  const repository = repositoryOf(request, announcing);
  return announcing.world.exclusively(repository, () => merge(by, request, options, announcing, timing));
}

interface Merged {
  readonly commit: string;
  readonly sent: readonly Sent[];
}

async function merge(
  by: Account,
  request: PullRequest,
  { method = 'merge', title, message, expectedHead, deleteBranch = false }: MergeOptions,
  announcing: Announcing,
  timing: Timing,
): Promise<Merged> {
  const { world } = announcing;
  const { number, headOid, headBranch, baseBranch } = request;
  const repository = repositoryOf(request, announcing);
  if (method === 'rebase') throw new Error('Merges by rebase are not simulated.');
  if (request.state === 'closed') throw new Refused(405, 'Pull Request is not mergeable');
  if (request.draft) throw new Refused(405, 'Pull Request is still a draft');
  if (expectedHead !== undefined && expectedHead !== headOid) {
    throw new Refused(409, 'Head branch was modified. Review and try the merge again.');
  }
  const before = await baseHead(request, announcing);
  const now = new Date();
  const head = world.repositoryById(request.headRepositoryId) ?? repository;
  const from = `${world.ownerOf(head).login}/${headBranch}`;
  const merged = method === 'merge';
  const headline = title ?? (merged ? `Merge pull request #${number} from ${from}` : `${request.title} (#${number})`);
  const body = message ?? (merged ? request.title : '');
  const commit = await world.writeGit(repository, async (git) => {
    const oid = await git.merge(before, headOid, {
      message: body === '' ? headline : `${headline}\n\n${body}`,
      author: { name: by.name, email: emailOf(by), date: now },
      parents: merged ? [before, headOid] : [before],
    });
    if (oid === undefined) throw new Refused(405, 'Pull Request is not mergeable');
    if (await git.moveBranch(baseBranch, oid, before)) return oid;
    throw new Refused(409, 'Base branch was modified. Review and try the merge again.');
  });
  const at = now.toISOString();
  world.pushed(repository, now);
  world.updatePullRequest(request, {
    state: 'closed',
    closedAt: at,
    mergedAt: at,
    mergedById: by.id,
    mergeCommit: commit,
    baseOid: before,
  });
  const closed = await tell('closed', request, by, announcing, timing);
  const pushed = await announce(repository, { branch: baseBranch, before, after: commit, by, timing }, announcing);
  const removed = deleteBranch ? await dropBranch(head, request, by, announcing, timing) : [];
  return { commit, sent: [closed, pushed, ...removed] };
}

async function dropBranch(
  source: Repository,
  { headBranch, headOid }: PullRequest,
  by: Account,
  announcing: Announcing,
  timing: Timing,
): Promise<readonly Sent[]> {
  await announcing.world.deleteBranch(source, headBranch);
  return [await announce(source, { branch: headBranch, before: headOid, after: NO_COMMIT, by, timing }, announcing)];
}

export async function isMergeable(
  request: PullRequest,
  announcing: Pick<Announcing, 'world'>,
): Promise<boolean | null> {
  if (request.state === 'closed') return null;
  const base = await baseHead(request, announcing);
  return announcing.world.writeGit(repositoryOf(request, announcing), (git) => git.mergesInto(base, request.headOid));
}
