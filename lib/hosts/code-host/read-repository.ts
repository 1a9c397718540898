import type * as z from 'zod/mini';
import { AppError } from '#lib/errors.ts';
import { fileKind } from '#lib/workflow/repository.ts';
import { again, type Client, type GraphqlAnswer } from './client.ts';
import { CodeHostFailure } from './errors.ts';
import { readFirstAnswer, withinLimit } from './files.ts';
import type { RepositoryHead, RepositorySnapshot } from './port.ts';
import {
  FILES_QUERY,
  FilesAnswer,
  type FoundRepository,
  PROBE_QUERY,
  ProbeAnswer,
  type ProbedRepository,
  refFilesQuery,
} from './queries.ts';
import { type MoreFiles, readMore } from './read-more.ts';
import type { RepositoryName } from './repository-name.ts';
import { treeOf } from './tree.ts';

export interface ReadOptions {
  readonly accepts: (found: FoundRepository | ProbedRepository) => boolean;
  readonly maxRequests: number;
  readonly whole: boolean;
  readonly ref?: string | undefined;
}

export interface ReadResult {
  readonly head: RepositoryHead;
  readonly snapshot: RepositorySnapshot;
}

export async function readFiles(
  client: Client,
  at: RepositoryName,
  { accepts, maxRequests, whole, ref }: ReadOptions,
): Promise<ReadResult | undefined> {
  let left = maxRequests;
  const found = await again(2, () => {
    left -= 1;
    return askFirst(client, at, ref);
  });
  if (found === undefined || !accepts(found)) return undefined;
  const first = readFirstAnswer(found);
  const commit = ref === undefined ? found.defaultBranchRef?.target?.oid : commitOf(found.at);
  if (ref !== undefined && commit === undefined) {
    throw new AppError('not-found', `${found.nameWithOwner} has no branch, tag or commit "${ref}".`);
  }
  const more: MoreFiles =
    commit === undefined
      ? { files: [], unread: [], failed: false }
      : await readMore(client, { ...at, commit }, first, { attempts: Math.min(2, left), whole });
  const files = withinLimit([...first.files, ...more.files].sort((a, b) => (a.path < b.path ? -1 : 1)));
  const tree = treeOf(found, {
    usesOtherFolders: first.folders.some((folder) => !folder.startsWith('.github/')),
    incomplete: first.failed || more.failed,
  });
  const head = toHead(found, tree);
  const { scmId, fullName, htmlUrl, archived, empty, defaultBranch } = head;
  const snapshot: RepositorySnapshot = {
    scmId,
    fullName,
    htmlUrl,
    visibility: found.visibility.toLowerCase() as RepositorySnapshot['visibility'],
    archived,
    empty,
    defaultBranch,
    commit: commit ?? null,
    files,
    workflowFiles: files.filter(({ path }) => fileKind(path) === 'workflow').length,
    unread: more.unread,
  };
  return { head, snapshot };
}

export async function probe(client: Client, { owner, name }: RepositoryName): Promise<ProbedRepository | undefined> {
  return again(2, async () => repositoryOf(await client.query(PROBE_QUERY, { owner, name }), ProbeAnswer, () => false));
}

export function toHead(found: FoundRepository | ProbedRepository, tree: string): RepositoryHead {
  const commit = found.defaultBranchRef?.target?.oid ?? null;
  return {
    scmId: String(found.databaseId),
    fullName: found.nameWithOwner,
    htmlUrl: found.url,
    private: found.visibility !== 'PUBLIC',
    defaultBranch: found.defaultBranchRef?.name ?? null,
    commit,
    archived: found.isArchived,
    fork: found.isFork,
    disabled: found.isDisabled,
    empty: found.isEmpty || commit === null,
    tree,
  };
}

async function askFirst(
  client: Client,
  { owner, name }: RepositoryName,
  ref: string | undefined,
): Promise<FoundRepository | undefined> {
  const query = ref === undefined ? FILES_QUERY : refFilesQuery(ref);
  // An error inside one file is reported at that file; without the folder's list the whole answer is useless.
  return repositoryOf(await client.query(query, { owner, name }), FilesAnswer, isOfOneFile);
}

function commitOf(at: FoundRepository['at']): string | undefined {
  const target = at?.type === 'Tag' ? at.target : at;
  return target?.type === 'Commit' ? target.oid : undefined;
}

function isOfOneFile(path: readonly (string | number)[]): boolean {
  return path[1] === 'workflows' && path.length >= 5;
}

export function repositoryOf<T extends { readonly databaseId: unknown }>(
  { data, errors }: GraphqlAnswer,
  shape: z.ZodMiniType<{ repository: T | null }>,
  mayFail: (path: readonly (string | number)[]) => boolean,
): T | undefined {
  // FORBIDDEN means an organization that admits only its members: treated as missing.
  const missing = errors.some(
    ({ type, path }) =>
      path?.length === 1 && path[0] === 'repository' && (type === 'NOT_FOUND' || type === 'FORBIDDEN'),
  );
  if (missing) return undefined;
  const told = errors.map(({ type = 'error', path = [] }) => `${type} at ${path.join('.')}`).join(', ');
  if (errors.some(({ type, path = [] }) => type === 'FORBIDDEN' && path.length > 1)) {
    throw new CodeHostFailure('forbidden', `GraphQL: ${told}`);
  }
  const parsed = shape.safeParse(data);
  if (!parsed.success || parsed.data.repository === null || parsed.data.repository.databaseId === null) {
    // Errors without data are a server failure; a different shape is not GitHub.
    throw new CodeHostFailure(errors.length > 0 ? 'server' : 'unexpected', `GraphQL: ${told || 'another shape'}`);
  }
  if (errors.some(({ path }) => path === undefined || !mayFail(path))) {
    throw new CodeHostFailure('server', `GraphQL: ${told}`);
  }
  return parsed.data.repository;
}
