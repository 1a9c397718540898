import { AppError } from '../errors.ts';
import type { InputFile } from '../workflow/repository.ts';
import { fileKind } from '../workflow/repository.ts';
import { Client, type CodeHostOptions, type GraphqlAnswer } from './client.ts';
import { CodeHostFailure, toAppError } from './errors.ts';
import { foldersNotAmong, readFirstAnswer, toInput } from './files.ts';
import type { CodeHost, RepositorySnapshot } from './port.ts';
import {
  type Content,
  FILES_QUERY,
  FilesAnswer,
  type FoundRepository,
  MoreFilesAnswer,
  moreFilesQuery,
} from './queries.ts';
import { isRepositoryName } from './repository-name.ts';

/** Requests for one repository, whatever happens. */
const MAX_REQUESTS = 2;
/** Files asked for in the second one. */
const MAX_MORE_FILES = 100;

/**
 * GitHub, GitHub Enterprise Server, or the local code host. One for each token: it remembers that token's limits.
 * A token that is refused, a limit and an outage look alike to the caller but for the time to wait; the cause says.
 */
export function createCodeHost(options: CodeHostOptions): CodeHost {
  const client = new Client(options);
  return {
    async readPublicRepository(owner, name) {
      // A private repository is told with the very words of a missing one.
      const notFound = new AppError('not-found', `There is no public repository ${owner}/${name}.`);
      const snapshot = await readSnapshot(client, owner, name, ({ visibility }) => visibility === 'PUBLIC');
      if (snapshot === undefined) throw notFound;
      return snapshot;
    },
    async readRepository(owner, name) {
      const snapshot = await readSnapshot(client, owner, name, () => true);
      if (snapshot === undefined) {
        throw new AppError('not-found', `There is no repository ${owner}/${name} that this token may read.`);
      }
      return snapshot;
    },
  };
}

async function readSnapshot(
  client: Client,
  owner: string,
  name: string,
  accepts: (found: FoundRepository) => boolean,
): Promise<RepositorySnapshot | undefined> {
  if (!isRepositoryName({ owner, name })) return undefined;
  try {
    const { found, requests } = await readFirst(client, owner, name);
    if (found === undefined || !accepts(found)) return undefined;
    const branch = found.defaultBranchRef;
    const commit = branch?.target?.oid ?? null;
    const first = readFirstAnswer(found);
    const more =
      commit === null
        ? { files: [], unread: [] }
        : await readMore(client, { owner, name, commit }, first, MAX_REQUESTS - requests);
    const files = [...first.files, ...more.files].sort((a, b) => (a.path < b.path ? -1 : 1));
    return {
      scmId: String(found.databaseId),
      fullName: found.nameWithOwner,
      htmlUrl: found.url,
      visibility: found.visibility.toLowerCase() as RepositorySnapshot['visibility'],
      archived: found.isArchived,
      empty: found.isEmpty || commit === null,
      defaultBranch: branch?.name ?? null,
      commit,
      files,
      workflowFiles: files.filter(({ path }) => fileKind(path) === 'workflow').length,
      unread: more.unread,
    };
  } catch (error) {
    throw error instanceof CodeHostFailure ? toAppError(error) : error;
  }
}

/** The first request, sent a second time when the trouble was passing: reading changes nothing. */
async function readFirst(
  client: Client,
  owner: string,
  name: string,
): Promise<{ found: FoundRepository | undefined; requests: number }> {
  for (let requests = 1; ; requests += 1) {
    try {
      return { found: understandFirst(await client.query(FILES_QUERY, { owner, name })), requests };
    } catch (error) {
      if (requests >= MAX_REQUESTS || !(error instanceof CodeHostFailure) || !error.isPassing) throw error;
    }
  }
}

function understandFirst({ data, errors }: GraphqlAnswer): FoundRepository | undefined {
  // FORBIDDEN is an organization that lets only its own members in: to us it is not there.
  const missing = errors.some(
    ({ type, path }) =>
      path?.length === 1 && path[0] === 'repository' && (type === 'NOT_FOUND' || type === 'FORBIDDEN'),
  );
  if (missing) return undefined;
  const told = errors.map(({ type = 'error', path = [] }) => `${type} at ${path.join('.')}`).join(', ');
  const parsed = FilesAnswer.safeParse(data);
  if (!parsed.success || parsed.data.repository === null || parsed.data.repository.databaseId === null) {
    // An error without data is the server's trouble; an answer of another shape is no GitHub.
    throw new CodeHostFailure(errors.length > 0 ? 'server' : 'unexpected', `GraphQL: ${told || 'another shape'}`);
  }
  // One file that is missing is told at that file. Without a folder's list nobody knows what is missing.
  if (errors.some(({ path }) => path === undefined || !isOfOneFile(path))) {
    throw new CodeHostFailure('server', `GraphQL: ${told}`);
  }
  return parsed.data.repository;
}

/** A file's object in a list: `repository.workflows.entries.3.object`, or deeper. */
function isOfOneFile(path: readonly (string | number)[]): boolean {
  return path[1] === 'workflows' && path.length >= 5;
}

interface At {
  readonly owner: string;
  readonly name: string;
  readonly commit: string;
}

/** The local actions, at the commit of the first answer. What cannot be read any more is told as unread. */
async function readMore(
  client: Client,
  { owner, name, commit }: At,
  first: ReturnType<typeof readFirstAnswer>,
  requestsLeft: number,
): Promise<{ files: readonly InputFile[]; unread: readonly string[] }> {
  const guessed = first.folders.flatMap((folder) => [`${folder}/action.yml`, `${folder}/action.yaml`]);
  const all = [...first.missing, ...guessed];
  if (all.length === 0) return { files: [], unread: [] };
  const asked = requestsLeft > 0 ? all.slice(0, MAX_MORE_FILES) : [];
  const unread = [...withoutGuesses(all.slice(asked.length))];
  const files: InputFile[] = [];
  const answer = asked.length === 0 ? undefined : await askMore(client, { owner, name, commit }, asked);
  if (answer === undefined) return { files, unread: [...withoutGuesses(asked), ...unread].sort() };
  for (const [index, path] of asked.entries()) {
    const content = answer.contents[`p${index}`];
    if (answer.failed.has(`p${index}`)) unread.push(path);
    else if (content?.byteSize !== undefined) files.push(toInput(path, 0, content));
  }
  const nested = foldersNotAmong(
    files,
    [...first.files, ...files].map(({ path }) => path),
  )
    .filter((folder) => !first.folders.includes(folder))
    .map((folder) => `${folder}/action.yml`);
  return { files, unread: [...new Set([...unread, ...nested])].sort() };

  /** Of a folder nobody looked into, one of the two names stands for both. */
  function withoutGuesses(paths: readonly string[]): string[] {
    const second = new Set(first.folders.map((folder) => `${folder}/action.yaml`));
    return paths.filter((path) => !second.has(path));
  }
}

async function askMore(
  client: Client,
  { owner, name, commit }: At,
  paths: readonly string[],
): Promise<{ contents: Readonly<Record<string, Content>>; failed: ReadonlySet<string> } | undefined> {
  const expressions = paths.map((path, index): [string, string] => [`p${index}`, `${commit}:${path}`]);
  let answer: GraphqlAnswer;
  try {
    const variables = { owner, name, ...Object.fromEntries(expressions) };
    answer = await client.query(moreFilesQuery(paths.length), variables);
  } catch (error) {
    // The workflows are read: a scan that names what it did not see is worth more than none.
    if (error instanceof CodeHostFailure) return undefined;
    throw error;
  }
  const parsed = MoreFilesAnswer.safeParse(answer.data);
  if (!parsed.success || parsed.data.repository === null) return undefined;
  const failed = new Set(answer.errors.map(({ path }) => String(path?.[1] ?? '')));
  return { contents: parsed.data.repository, failed };
}
