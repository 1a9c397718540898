import { type BranchCommit, commitOnBranch, createBranch, moveBranch, removeBranch } from './branches.ts';
import { type Context, type Fields, repositoryOf, unresolvable } from './graphql-context.ts';
import type { Repository } from './model.ts';
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
  };
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
