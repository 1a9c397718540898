import { GraphQLError } from 'graphql';
import { assertMayRead } from './acting.ts';
import type { FileDiff } from './git.ts';
import { ownerFields } from './graphql-commits.ts';
import { type Context, type Fields, unresolvable } from './graphql-context.ts';
import { isMergeable } from './merges.ts';
import type { Account, Label, PullRequest, Repository } from './model.ts';
import { labelsOf } from './pull-request-json.ts';
import { type Contents, contentsOf, repositoryOf } from './pull-requests.ts';

interface Page {
  readonly first?: number | null;
  readonly last?: number | null;
  readonly after?: string | null;
}

interface Filter extends Page {
  readonly states?: readonly string[] | null;
  readonly headRefName?: string | null;
  readonly baseRefName?: string | null;
  readonly labels?: readonly string[] | null;
  readonly orderBy?: {
    readonly field: 'CREATED_AT' | 'UPDATED_AT' | 'COMMENTS';
    readonly direction: 'ASC' | 'DESC';
  } | null;
}

export function pullsFields(repository: Repository, context: Context): Fields {
  const { world, acting } = context;
  const assertReadable = (): void => assertMayRead(acting, repository, 'pull_requests');
  return {
    pullRequest: ({ number }: { readonly number: number }) => {
      assertReadable();
      const found = world.pullRequests(repository).find((each) => each.number === number);
      if (found !== undefined) return pullRequestFields(found, context);
      throw new GraphQLError(`Could not resolve to a PullRequest with the number of ${number}.`, {
        extensions: { type: 'NOT_FOUND' },
      });
    },
    pullRequests: (filter: Filter) => {
      assertReadable();
      const found = filtered(world.pullRequests(repository), filter);
      return connection('PullRequest', found, filter, (each) => pullRequestFields(each, context));
    },
    label: ({ name }: { readonly name: string }) => {
      const found = repository.labels.find((label) => label.name.toLowerCase() === name.toLowerCase());
      return found === undefined ? null : labelFields(found);
    },
    labels: (page: Page) => connection('Label', repository.labels, page, labelFields),
  };
}

export function pullRequestOf(id: string, context: Context): PullRequest {
  const found = context.world.pullRequestById(Number(/^PR_(\d+)$/.exec(id)?.[1]));
  if (found === undefined || !context.canSee(repositoryOf(found, context))) throw unresolvable(id);
  assertMayRead(context.acting, repositoryOf(found, context), 'pull_requests');
  return found;
}

export function pullRequestFields(request: PullRequest, context: Context): Fields {
  const { world, webUrl } = context;
  const { id, number, title, body, headOid, headBranch, baseOid, baseBranch } = request;
  const repository = repositoryOf(request, context);
  const source = world.repositoryById(request.headRepositoryId);
  const path = `/${world.fullNameOf(repository)}/pull/${number}`;
  const { mergedAt, mergedById, mergeCommit } = request;
  const author = world.account(request.authorId);
  const repositoryFields = (of: Repository | undefined) => (): Fields | null =>
    of === undefined || !context.canSee(of) ? null : context.repositoryFields(of);
  const ref = (of: Repository | undefined, name: string) => async (): Promise<Fields | null> => {
    const oid = of === undefined ? undefined : (await world.git(of).object(`refs/heads/${name}`))?.oid;
    return of === undefined || oid === undefined ? null : context.refFields({ name, oid }, of);
  };
  let read: Promise<Contents> | undefined;
  const contents = (): Promise<Contents> => {
    read ??= contentsOf(request, context);
    return read;
  };
  const count = async (of: (file: FileDiff) => number): Promise<number> =>
    (await contents()).files.reduce((sum, file) => sum + of(file), 0);
  return {
    __typename: 'PullRequest',
    id: `PR_${id}`,
    databaseId: id,
    fullDatabaseId: String(id),
    number,
    title,
    body: body ?? '',
    bodyText: body ?? '',
    url: `${webUrl}${path}`,
    permalink: `${webUrl}${path}`,
    resourcePath: path,
    state: mergedAt === null ? request.state.toUpperCase() : 'MERGED',
    closed: request.state === 'closed',
    closedAt: request.closedAt,
    merged: mergedAt !== null,
    mergedAt,
    mergedBy: mergedById === null ? null : actorFields(world.account(mergedById)),
    mergeCommit: async () => {
      const commit = mergeCommit === null ? undefined : await world.git(repository).object(mergeCommit);
      return commit === undefined ? null : context.objectFields(commit, repository);
    },
    createdAt: request.createdAt,
    updatedAt: request.updatedAt,
    isDraft: request.draft,
    isCrossRepository: request.headRepositoryId !== request.repositoryId,
    headRefName: headBranch,
    headRefOid: headOid,
    headRef: ref(source, headBranch),
    headRepository: repositoryFields(source),
    headRepositoryOwner: source === undefined ? null : ownerFields(world.ownerOf(source)),
    baseRefName: baseBranch,
    baseRefOid: baseOid,
    baseRef: ref(repository, baseBranch),
    baseRepository: repositoryFields(repository),
    repository: repositoryFields(repository),
    author: actorFields(author),
    authorAssociation: author?.type === 'User' ? 'MEMBER' : 'NONE',
    locked: false,
    maintainerCanModify: false,
    labels: (page: Page) => connection('Label', labelsOf(request, repository), page, labelFields),
    additions: () => count(({ additions }) => additions),
    deletions: () => count(({ deletions }) => deletions),
    changedFiles: () => count(() => 1),
    files: async (page: Page) => connection('PullRequestChangedFile', (await contents()).files, page, fileFields),
    commits: async (page: Page) =>
      connection('PullRequestCommit', (await contents()).commits, page, (oid) => ({
        commit: async () => {
          const commit = await world.git(repository).object(oid);
          return commit === undefined ? null : context.objectFields(commit, repository);
        },
      })),
    mergeable: async () => {
      const mergeable = await isMergeable(request, context);
      return mergeable === null ? 'UNKNOWN' : mergeable ? 'MERGEABLE' : 'CONFLICTING';
    },
  };
}

function labelFields({ id, name, color, description }: Label): Fields {
  return { __typename: 'Label', id: `LA_${id}`, name, color, description, isDefault: false };
}

function fileFields({ path, status, additions, deletions }: FileDiff): Fields {
  const changeType = { removed: 'DELETED' }[status as string] ?? status.toUpperCase();
  return { __typename: 'PullRequestChangedFile', path, additions, deletions, changeType };
}

function actorFields(account: Account | undefined): Fields | null {
  if (account === undefined) return null;
  // GraphQL names an app without the suffix of its account.
  return { ...ownerFields(account), login: account.login.replace(/\[bot\]$/, '') };
}

function filtered(
  all: readonly PullRequest[],
  { states, headRefName, baseRefName, labels, orderBy }: Filter,
): readonly PullRequest[] {
  const found = all.filter((each) => {
    const state = each.mergedAt === null ? each.state.toUpperCase() : 'MERGED';
    return (
      states?.includes(state) !== false &&
      (headRefName == null || each.headBranch === headRefName) &&
      (baseRefName == null || each.baseBranch === baseRefName) &&
      (labels == null || labels.some((label) => each.labels.includes(label)))
    );
  });
  if (orderBy == null) return found;
  const key = orderBy.field === 'UPDATED_AT' ? 'updatedAt' : 'createdAt';
  const sorted = [...found].sort((a, b) => (a[key] === b[key] ? a.number - b.number : a[key] < b[key] ? -1 : 1));
  return orderBy.direction === 'ASC' ? sorted : sorted.reverse();
}

function connection<T>(
  type: string,
  all: readonly T[],
  { first, last, after }: Page,
  toFields: (each: T) => Fields,
): Fields {
  const size = first ?? last;
  if (size == null) {
    throw new GraphQLError(`You must provide a \`first\` or \`last\` value to properly paginate the connection.`, {
      extensions: { type: 'MISSING_PAGINATION_BOUNDARIES' },
    });
  }
  if (size > 100) {
    throw new GraphQLError(`Requesting ${size} records on the connection exceeds the limit of 100 records.`, {
      extensions: { type: 'EXCESSIVE_PAGINATION' },
    });
  }
  const start = first == null ? Math.max(0, all.length - size) : after == null ? 0 : Number(after) + 1;
  const shown = all.slice(start, start + size);
  const end = start + shown.length;
  return {
    __typename: `${type}Connection`,
    totalCount: all.length,
    nodes: shown.map(toFields),
    pageInfo: {
      __typename: 'PageInfo',
      hasNextPage: end < all.length,
      hasPreviousPage: start > 0,
      startCursor: shown.length === 0 ? null : String(start),
      endCursor: shown.length === 0 ? null : String(end - 1),
    },
  };
}
