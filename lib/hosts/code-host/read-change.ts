import * as z from 'zod/mini';
import { fileKind, type InputFile } from '#lib/workflow/repository.ts';
import { understand, unless } from './answers.ts';
import { again, type Client } from './client.ts';
import { CodeHostFailure } from './errors.ts';
import { foldersNotAmong, readFirstAnswer, toInput, withinLimit } from './files.ts';
import type { ChangeRead } from './port.ts';
import { Content, changeFilesQuery, FilesAnswer, Names } from './queries.ts';
import { readMore } from './read-more.ts';
import { repositoryOf } from './read-repository.ts';
import type { RepositoryName } from './repository-name.ts';

/** The code host names no more files of a comparison. */
const MAX_COMPARED = 300;
const MAX_CHANGED = 100;

const Comparison = z.object({
  merge_base_commit: z.object({ sha: z.string() }),
  files: z.optional(
    z.array(z.object({ filename: z.string(), status: z.string(), previous_filename: z.optional(z.string()) })),
  ),
});

export interface Commits {
  readonly base: string;
  readonly head: string;
}

interface Place extends RepositoryName {
  readonly scmId: string;
}

/**
 * Reads both sides of a change. One request lists the changed files; if a scan reads none of them, it is the only one.
 * Otherwise one more request, or two with local actions, reads all files of the base and the changed files of the head.
 * If too many files changed, both sides are read completely. Undefined if the repository or a commit is missing.
 */
export async function readChange(client: Client, at: Place, commits: Commits): Promise<ChangeRead | undefined> {
  const { base, head } = commits;
  if (!isId(base) || !isId(head)) return undefined;
  const { owner, name: repo } = at;
  const path = '/repos/{owner}/{repo}/compare/{basehead}';
  const parameters = { owner, repo, basehead: `${base}...${head}`, per_page: 1 };
  const answer = await unless(['missing'], client.read(path, parameters));
  if (answer === undefined) return undefined;
  const { merge_base_commit: shared, files = [] } = understand(Comparison, answer);
  const mergeBase = shared.sha;
  if (!isId(mergeBase)) throw new CodeHostFailure('unexpected', 'The merge base is no commit id.');
  const named = files.flatMap(({ filename, status, previous_filename: before }) => [
    { path: filename, gone: status === 'removed' },
    ...(before === undefined || status === 'copied' ? [] : [{ path: before, gone: true }]),
  ]);
  const changed = new Map(
    named.filter(({ path: file }) => fileKind(file) !== undefined).map((each) => [each.path, each]),
  );
  const isAll = files.length < MAX_COMPARED;
  if (isAll && changed.size === 0) return { mergeBase, isRelevant: false };
  const present = [...changed.values()].flatMap(({ path: file, gone }) => (gone ? [] : [file]));
  if (!isAll || present.length > MAX_CHANGED) {
    const [before, after] = [await readWhole(client, at, mergeBase), await readWhole(client, at, head)];
    if (before === undefined || after === undefined) return undefined;
    return {
      mergeBase,
      isRelevant: true,
      visibility: after.visibility,
      base: before.files,
      head: after.files,
      unread: after.unread,
    };
  }
  return readParts(client, at, { mergeBase, head, present, changedPaths: new Set(changed.keys()) });
}

interface Parts {
  readonly mergeBase: string;
  readonly head: string;
  readonly present: readonly string[];
  readonly changedPaths: ReadonlySet<string>;
}

async function readParts(
  client: Client,
  at: Place,
  { mergeBase, head, present, changedPaths }: Parts,
): Promise<ChangeRead | undefined> {
  const first = await readAt(client, at, mergeBase, { commit: head, paths: present });
  if (first === undefined) return undefined;
  const own = first.headFiles;
  const after = [...first.files.filter(({ path }) => !changedPaths.has(path)), ...own];
  const ofHead = foldersNotAmong(
    after,
    first.missing.filter((path) => !changedPaths.has(path)),
  );
  const folders = [...new Set([...first.folders, ...ofHead])];
  const more = await readMore(
    client,
    { owner: at.owner, name: at.name, commit: mergeBase },
    { ...first, folders },
    { attempts: 2, whole: true },
  );
  return {
    mergeBase,
    isRelevant: true,
    visibility: first.visibility,
    base: inOrder([...first.files, ...more.files]),
    head: inOrder([...after, ...more.files.filter(({ path }) => !changedPaths.has(path))]),
    unread: [],
  };
}

async function readWhole(client: Client, at: Place, commit: string) {
  const first = await readAt(client, at, commit, { commit, paths: [] });
  if (first === undefined) return undefined;
  const more = await readMore(client, { owner: at.owner, name: at.name, commit }, first, { attempts: 2, whole: true });
  return { visibility: first.visibility, files: inOrder([...first.files, ...more.files]), unread: more.unread };
}

async function readAt(
  client: Client,
  { owner, name, scmId }: Place,
  commit: string,
  other: { readonly commit: string; readonly paths: readonly string[] },
) {
  const expressions = other.paths.map((path, index): [string, string] => [`c${index}`, `${other.commit}:${path}`]);
  const query = changeFilesQuery(commit, other.commit, other.paths.length);
  const variables = { owner, name, ...Object.fromEntries(expressions) };
  const answer = await again(2, async () => {
    const asked = await client.query(query, variables);
    const found = repositoryOf(asked, FilesAnswer, isOfOneFile);
    const failed = new Set(asked.errors.map(({ path }) => String(path?.[1] ?? '')));
    const fields = (asked.data as { repository: Readonly<Record<string, unknown>> | null }).repository;
    return { found, failed, fields: fields ?? {} };
  });
  const { found, failed, fields } = answer;
  if (found === undefined || String(found.databaseId) !== scmId) return undefined;
  const names = understand(Names, fields['headWorkflows'] ?? null);
  const modes = new Map(names?.entries?.map((entry) => [`.github/workflows/${entry.name}`, entry.mode]));
  const headFiles = other.paths.map((path, index): InputFile => {
    const field = `c${index}`;
    if (failed.has(field)) return toInput(path, 0, null);
    return toInput(path, modes.get(path) ?? 0, understand(Content, fields[field] ?? null));
  });
  const first = readFirstAnswer(found);
  const visibility = found.visibility.toLowerCase() as 'public' | 'private' | 'internal';
  return { ...first, headFiles, visibility };
}

function isOfOneFile(path: readonly (string | number)[]): boolean {
  return (path[1] === 'workflows' && path.length >= 5) || /^c\d+$/.test(String(path[1]));
}

function inOrder(files: readonly InputFile[]): InputFile[] {
  return withinLimit([...files].sort((a, b) => (a.path < b.path ? -1 : 1)));
}

function isId(text: string): boolean {
  return /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(text);
}
