import { type BranchCommit, commitOnBranch, createBranch, moveBranch, removeBranch } from './branches.ts';
import { type Context, type Fields, repositoryOf, unresolvable } from './graphql-context.ts';
import { pullRequestFields, pullRequestOf } from './graphql-pulls.ts';
import { mergePullRequest } from './merges.ts';
import type { PullRequest, Repository } from './model.ts';
import { addLabels, editPullRequest, openPullRequest, repositoryOf as pullRequestRepository } from './pull-requests.ts';
import { type RefUpdate, updateRefs } from './ref-updates.ts';
import { Refused } from './refused.ts';

interface Input<T> {
  readonly input: T & { readonly clientMutationId?: string | null };
}

interface CommitInput {
  readonly branch: {
    readonly id?: string | null;
    readonly repositoryNameWithOwner?: string | null;
    readonly branchName?: string | null;
  };
  readonly expectedHeadOid: string;
  readonly message: { readonly headline: string; readonly body?: string | null };
  readonly fileChanges?: {
    readonly additions?: BranchCommit['additions'] | null;
    readonly deletions?: BranchCommit['deletions'] | null;
  } | null;
}

export function mutationFields(context: Context): Fields {
  const { acting, world } = context;
  const answer = (type: string, input: Input<unknown>['input'], request: PullRequest): Fields =>
    payload(type, input, { pullRequest: pullRequestFields(request, context) });
  return {
    createRef: async ({
      input,
    }: Input<{ readonly repositoryId: string; readonly name: string; readonly oid: string }>) => {
      const repository = repositoryOf(input.repositoryId, context);
      const named = (error: unknown): never => {
        if (!(error instanceof Refused) || error.message !== 'Reference already exists') throw error;
        throw new Refused(422, `A ref named "${input.name}" already exists in the repository.`);
      };
      await createBranch(acting, repository, input.name, input.oid).catch(named);
      return payload('CreateRefPayload', input, { ref: await refNamed(input.name, repository, context) });
    },

    updateRef: async ({ input }: Input<{ readonly refId: string; readonly oid: string; readonly force: boolean }>) => {
      const { repository, ref } = refOf(input.refId, context);
      await moveBranch(acting, repository, ref, input.oid, input.force);
      return payload('UpdateRefPayload', input, { ref: await refNamed(ref, repository, context) });
    },

    updateRefs: async ({
      input,
    }: Input<{ readonly repositoryId: string; readonly refUpdates: readonly RefUpdate[] }>) => {
      await updateRefs(acting, repositoryOf(input.repositoryId, context), input.refUpdates);
      return payload('UpdateRefsPayload', input, {});
    },

    deleteRef: async ({ input }: Input<{ readonly refId: string }>) => {
      const { repository, ref } = refOf(input.refId, context);
      await removeBranch(acting, repository, ref);
      return payload('DeleteRefPayload', input, {});
    },

    createCommitOnBranch: async ({ input }: Input<CommitInput>) => {
      const { branch, expectedHeadOid, message, fileChanges } = input;
      const { repository, name } = branchOf(branch, context);
      const oid = await commitOnBranch(acting, repository, {
        branch: name,
        expectedHead: expectedHeadOid,
        headline: message.headline,
        body: message.body ?? undefined,
        additions: fileChanges?.additions ?? [],
        deletions: fileChanges?.deletions ?? [],
      });
      const commit = await world.git(repository).object(oid);
      return payload('CreateCommitOnBranchPayload', input, {
        commit: commit === undefined ? null : context.objectFields(commit, repository),
        ref: await refNamed(`refs/heads/${name}`, repository, context),
      });
    },

    createPullRequest: async ({ input }: Input<PullRequestInput>) => {
      const repository = repositoryOf(input.repositoryId, context);
      const source = input.headRepositoryId == null ? repository : repositoryOf(input.headRepositoryId, context);
      const branch = input.headRefName.replace(/^refs\/heads\//, '');
      const opened = await openPullRequest(acting, repository, {
        title: input.title,
        head: branch.includes(':') ? branch : `${world.ownerOf(source).login}:${branch}`,
        base: input.baseRefName.replace(/^refs\/heads\//, ''),
        body: input.body ?? undefined,
        draft: input.draft,
      });
      return answer('CreatePullRequestPayload', input, opened);
    },

    updatePullRequest: async ({ input }: Input<UpdateInput>) => {
      const { pullRequestId, title, body, baseRefName, state, ...others } = input;
      const unsupported = Object.keys(others).find((name) => name !== 'clientMutationId');
      if (unsupported !== undefined) throw new Error(`updatePullRequest is not simulated with "${unsupported}".`);
      const found = pullRequestOf(pullRequestId, context);
      await editPullRequest(acting, found, {
        ...(title == null ? {} : { title }),
        ...(body == null ? {} : { body }),
        ...(baseRefName == null ? {} : { base: baseRefName }),
        ...(state == null ? {} : { state: state === 'OPEN' ? 'open' : 'closed' }),
      });
      return answer('UpdatePullRequestPayload', input, found);
    },

    closePullRequest: async ({ input }: Input<{ readonly pullRequestId: string }>) => {
      const found = pullRequestOf(input.pullRequestId, context);
      await editPullRequest(acting, found, { state: 'closed' });
      return answer('ClosePullRequestPayload', input, found);
    },

    reopenPullRequest: async ({ input }: Input<{ readonly pullRequestId: string }>) => {
      const found = pullRequestOf(input.pullRequestId, context);
      await editPullRequest(acting, found, { state: 'open' });
      return answer('ReopenPullRequestPayload', input, found);
    },

    mergePullRequest: async ({ input }: Input<MergeInput>) => {
      const found = pullRequestOf(input.pullRequestId, context);
      await mergePullRequest(acting, found, {
        method: input.mergeMethod.toLowerCase() as 'merge' | 'squash' | 'rebase',
        title: input.commitHeadline ?? undefined,
        message: input.commitBody ?? undefined,
        expectedHead: input.expectedHeadOid ?? undefined,
      });
      return answer('MergePullRequestPayload', input, found);
    },

    addLabelsToLabelable: ({
      input,
    }: Input<{ readonly labelableId: string; readonly labelIds: readonly string[] }>) => {
      const found = pullRequestOf(input.labelableId, context);
      const { labels } = pullRequestRepository(found, context);
      const names = input.labelIds.map((id) => {
        const label = labels.find((each) => `LA_${each.id}` === id);
        if (label === undefined) throw unresolvable(id);
        return label.name;
      });
      addLabels(acting, found, names);
      return payload('AddLabelsToLabelablePayload', input, { labelable: pullRequestFields(found, context) });
    },
  };
}

interface PullRequestInput {
  readonly repositoryId: string;
  readonly headRepositoryId?: string | null;
  readonly headRefName: string;
  readonly baseRefName: string;
  readonly title: string;
  readonly body?: string | null;
  readonly draft: boolean;
}

interface UpdateInput {
  readonly pullRequestId: string;
  readonly title?: string | null;
  readonly body?: string | null;
  readonly baseRefName?: string | null;
  readonly state?: 'OPEN' | 'CLOSED' | null;
}

interface MergeInput {
  readonly pullRequestId: string;
  readonly mergeMethod: 'MERGE' | 'SQUASH' | 'REBASE';
  readonly commitHeadline?: string | null;
  readonly commitBody?: string | null;
  readonly expectedHeadOid?: string | null;
}

function payload(type: string, input: Input<unknown>['input'], fields: Fields): Fields {
  return { __typename: type, clientMutationId: input.clientMutationId ?? null, ...fields };
}

function branchOf(
  { id, repositoryNameWithOwner, branchName }: CommitInput['branch'],
  context: Context,
): { readonly repository: Repository; readonly name: string } {
  if (typeof id === 'string') {
    const { repository, ref } = refOf(id, context);
    return { repository, name: ref.slice('refs/heads/'.length) };
  }
  const repository = context.world.repository(repositoryNameWithOwner ?? '', false);
  if (repository === undefined || !context.canSee(repository)) {
    throw new Refused(404, `Repository '${repositoryNameWithOwner}' not found`);
  }
  return { repository, name: (branchName ?? '').replace(/^refs\/heads\//, '') };
}

function refOf(id: string, context: Context): { readonly repository: Repository; readonly ref: string } {
  const [, repositoryId, encoded = ''] = /^REF_(\d+)_([\w-]+)$/.exec(id) ?? [];
  if (repositoryId === undefined) throw unresolvable(id);
  return {
    repository: repositoryOf(`R_${repositoryId}`, context),
    ref: Buffer.from(encoded, 'base64url').toString(),
  };
}

async function refNamed(ref: string, repository: Repository, context: Context): Promise<Fields | null> {
  const name = ref.replace(/^refs\/heads\//, '');
  const oid = (await context.world.git(repository).object(ref))?.oid;
  return oid === undefined ? null : context.refFields({ name, oid }, repository);
}
