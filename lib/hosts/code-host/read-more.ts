import type { Source } from '#lib/facts/facts.ts';
import type { InputFile } from '#lib/workflow/repository.ts';
import { again, type Client } from './client.ts';
import { CodeHostFailure, reasonOf } from './errors.ts';
import { type FirstFiles, foldersNotAmong, toInput } from './files.ts';
import { type Content, MoreFilesAnswer, moreFilesQuery } from './queries.ts';
import type { RepositoryName } from './repository-name.ts';

const MAX_MORE_FILES = 100;

export interface MoreFiles {
  readonly files: readonly InputFile[];
  readonly unread: readonly string[];
  readonly failed: boolean;
}

interface At extends RepositoryName {
  readonly commit: string;
}

interface Options {
  readonly attempts: number;
  readonly whole: boolean;
}

export async function readMore(client: Client, at: At, first: FirstFiles, options: Options): Promise<MoreFiles> {
  const guessed = first.folders.flatMap((folder) => [`${folder}/action.yml`, `${folder}/action.yaml`]);
  const all = [...first.missing, ...guessed];
  if (all.length === 0) return { files: [], unread: [], failed: false };
  const asked = all.slice(0, MAX_MORE_FILES);
  const beyond = withoutGuesses(all.slice(asked.length));
  const answer = await ask(client, at, asked, options);
  if (answer === undefined) {
    return { files: [], unread: [...withoutGuesses(asked), ...beyond].sort(), failed: true };
  }
  const files: InputFile[] = [];
  const failed: string[] = [];
  for (const [index, path] of asked.entries()) {
    const content = answer.contents[`p${index}`];
    if (answer.failed.has(`p${index}`)) failed.push(path);
    else if (content?.byteSize !== undefined) files.push(toInput(path, 0, content));
  }
  const nested = foldersNotAmong(
    files,
    [...first.files, ...files].map(({ path }) => path),
  )
    .filter((folder) => !first.folders.includes(folder))
    .map((folder) => `${folder}/action.yml`);
  return { files, unread: [...new Set([...beyond, ...failed, ...nested])].sort(), failed: failed.length > 0 };

  function withoutGuesses(paths: readonly string[]): string[] {
    const second = new Set(first.folders.map((folder) => `${folder}/action.yaml`));
    return paths.filter((path) => !second.has(path));
  }
}

export async function readTexts(
  client: Client,
  at: At,
  paths: readonly string[],
): Promise<Source<ReadonlyMap<string, string | undefined>>> {
  if (paths.length === 0) return { value: new Map() };
  if (paths.length > MAX_MORE_FILES) return { missing: 'rate_limited' };
  try {
    const answer = await ask(client, at, paths, { attempts: 1, whole: true });
    if (answer === undefined || answer.failed.size > 0) return { missing: 'offline' };
    const there = paths.flatMap((path, index): [string, string | undefined][] => {
      const content = answer.contents[`p${index}`];
      return content?.byteSize === undefined ? [] : [[path, toInput(path, 0, content).text]];
    });
    return { value: new Map(there) };
  } catch (error) {
    if (!(error instanceof CodeHostFailure)) throw error;
    return { missing: reasonOf(error) };
  }
}

interface Answered {
  readonly contents: Readonly<Record<string, Content>>;
  readonly failed: ReadonlySet<string>;
}

async function ask(
  client: Client,
  { owner, name, commit }: At,
  paths: readonly string[],
  { attempts, whole }: Options,
): Promise<Answered | undefined> {
  if (attempts === 0) return undefined;
  const expressions = paths.map((path, index): [string, string] => [`p${index}`, `${commit}:${path}`]);
  const variables = { owner, name, ...Object.fromEntries(expressions) };
  try {
    return await again(attempts, async () => {
      const { data, errors } = await client.query(moreFilesQuery(paths.length), variables);
      const parsed = MoreFilesAnswer.safeParse(data);
      if (!parsed.success || parsed.data.repository === null) {
        throw new CodeHostFailure('server', 'GraphQL: no repository in the second answer.');
      }
      return { contents: parsed.data.repository, failed: new Set(errors.map(({ path }) => String(path?.[1] ?? ''))) };
    });
  } catch (error) {
    // A scan of the workflows with a list of unread files is better than none.
    if (!whole && error instanceof CodeHostFailure) return undefined;
    throw error;
  }
}
