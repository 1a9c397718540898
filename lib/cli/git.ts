import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { AppError } from '#lib/errors.ts';
import { fileKind, type InputFile } from '#lib/workflow/repository.ts';
import { decodeFile } from '#lib/workflow/text/decode.ts';
import { MAX_FILE_BYTES } from '#lib/workflow/text/limits.ts';
import { SKIPPED_FOLDERS } from './files.ts';

const TIMEOUT_MS = 60_000;
const MAX_NAME = 500;
const MAX_ANSWER_BYTES = 128 * 1024 * 1024;
const MAX_FILES = 10_000;
const SYMBOLIC_LINK = '120000';

/** Settings of the user, never of the repository: where programs are, and which clones git may open. */
const PASSED_ON = [
  'HOME',
  'XDG_CONFIG_HOME',
  'USERPROFILE',
  'HOMEDRIVE',
  'HOMEPATH',
  'SystemRoot',
  'GIT_CONFIG_GLOBAL',
];

export interface Compared {
  readonly base: string;
  readonly head: string | undefined;
}

/**
 * Finds the commits of `base` (with the files in the folder) or `base...head`: the merge base of both, and the head.
 * Throws an AppError if there is no such commit or no merge base.
 */
export async function findCommits(folder: string, wanted: string, environment: NodeJS.ProcessEnv): Promise<Compared> {
  if (!existsSync(join(folder, '.git'))) throw new AppError('usage', '--diff needs a clone with a .git folder.');
  const [baseName = '', headName, ...rest] = wanted.split('...');
  if (rest.length > 0) throw unknown(wanted);
  const git = gitIn(folder, environment);
  const base = await commitOf(git, baseName);
  const head = headName === undefined ? undefined : await commitOf(git, headName === '' ? 'HEAD' : headName);
  const merged = await git(['merge-base', base, head ?? (await commitOf(git, 'HEAD'))], { mayFail: true });
  const [mergeBase] = merged.toString().split('\n');
  if (mergeBase === undefined || !isId(mergeBase)) {
    const hint = 'If the clone is shallow, fetch the whole history (actions/checkout: fetch-depth: 0).';
    throw new AppError('unreadable', `${quoted(baseName)} and the head have no common commit here. ${hint}`);
  }
  return { base: mergeBase, head };
}

export async function readCommit(folder: string, commit: string, environment: NodeJS.ProcessEnv): Promise<InputFile[]> {
  const git = gitIn(folder, environment);
  const listed = (await git(['ls-tree', '-r', '-z', '--full-tree', commit])).toString('latin1');
  const entries = listed.split('\0').flatMap((line) => {
    const [, mode = '', id = '', name = ''] = /^(\d+) blob ([0-9a-f]+)\t([^]*)$/.exec(line) ?? [];
    const path = Buffer.from(name, 'latin1').toString();
    const isSkipped = path.split('/').some((folderName) => SKIPPED_FOLDERS.has(folderName));
    return fileKind(path) === undefined || isSkipped ? [] : [{ mode, id, path }];
  });
  if (entries.length > MAX_FILES)
    throw new AppError('unreadable', `The commit has more than ${MAX_FILES} files to scan.`);
  const ids = [...new Set(entries.flatMap(({ mode, id }) => (mode === SYMBOLIC_LINK ? [] : [id])))];
  const sizes = new Map(await sizesOf(git, ids));
  const wanted = ids.filter((id) => (sizes.get(id) ?? Number.POSITIVE_INFINITY) <= MAX_FILE_BYTES);
  const total = wanted.reduce((sum, id) => sum + (sizes.get(id) ?? 0), 0);
  if (total > MAX_ANSWER_BYTES) {
    throw new AppError('unreadable', `The files to scan have more than ${MAX_ANSWER_BYTES} bytes.`);
  }
  const contents = await contentsOf(git, wanted, total);
  return entries.map(({ mode, id, path }) => {
    if (mode === SYMBOLIC_LINK) return refused(path, 'Symbolic links are not followed.');
    const content = contents.get(id);
    if (content !== undefined) {
      const decoded = decodeFile(content);
      return decoded.text === undefined ? { path, ...decoded } : { path, text: decoded.text };
    }
    const size = sizes.get(id);
    if (size === undefined) return refused(path, 'The file is not in this clone.');
    return refused(path, `The file has ${size} bytes; the limit is ${MAX_FILE_BYTES}.`);
  });
}

function refused(path: string, message: string): InputFile {
  return { path, text: undefined, problem: { severity: 'error', message } };
}

async function commitOf(git: Git, name: string): Promise<string> {
  if (!isSafeName(name)) throw unknown(name);
  const found = (await git(['rev-parse', '--verify', '--quiet', `${name}^{commit}`], { mayFail: true }))
    .toString()
    .trim();
  if (!isId(found)) throw unknown(name);
  return found;
}

/** Refuses options, paths in a commit, searches and ranges, which do not name a commit. */
function isSafeName(name: string): boolean {
  return /^[^-\s:][^\s:]*$/.test(name) && !name.includes('..') && name.length <= MAX_NAME && !name.includes('\0');
}

function isId(text: string): boolean {
  return /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(text);
}

function unknown(name: string): AppError {
  return new AppError('usage', `There is no commit ${quoted(name)} in this clone.`);
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}

async function sizesOf(git: Git, ids: readonly string[]): Promise<[string, number][]> {
  const answer = await git(['cat-file', '--batch-check=%(objectname) %(objecttype) %(objectsize)'], { input: ids });
  return answer
    .toString()
    .split('\n')
    .flatMap((line): [string, number][] => {
      const [id = '', type, size] = line.split(' ');
      return type === 'blob' ? [[id, Number(size)]] : [];
    });
}

async function contentsOf(git: Git, ids: readonly string[], total: number): Promise<ReadonlyMap<string, Buffer>> {
  const maxBytes = total + ids.length * 100;
  const answer = await git(['cat-file', '--batch'], { input: ids, maxBytes });
  const contents = new Map<string, Buffer>();
  for (let at = 0; at < answer.length; ) {
    const lineEnd = answer.indexOf('\n', at);
    const [id = '', type, size] = answer.toString('latin1', at, lineEnd === -1 ? answer.length : lineEnd).split(' ');
    if (lineEnd === -1) break;
    at = lineEnd + 1;
    if (type !== 'blob') continue;
    contents.set(id, answer.subarray(at, at + Number(size)));
    at += Number(size) + 1;
  }
  return contents;
}

interface GitOptions {
  readonly input?: readonly string[];
  readonly maxBytes?: number;
  readonly mayFail?: boolean;
}

type Git = (args: readonly string[], options?: GitOptions) => Promise<Buffer>;

/**
 * Runs commands of git that only read objects, so that nothing the clone configures runs: no hook, filter, pager,
 * monitor or program for differences, and no protocol, since a partial clone would fetch what it lacks.
 */
function gitIn(folder: string, environment: NodeJS.ProcessEnv): Git {
  const passed = PASSED_ON.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]]));
  const path = (environment['PATH'] ?? environment['Path'] ?? '').split(delimiter).filter(isAbsolute).join(delimiter);
  const env = {
    ...Object.fromEntries(passed),
    PATH: path,
    LC_ALL: 'C',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_CEILING_DIRECTORIES: dirname(folder),
  };
  const safe = ['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'safe.bareRepository=explicit'];
  const before = ['--no-pager', '-C', folder, ...safe.flatMap((setting) => ['-c', setting])];
  return (args, { input = [], maxBytes = MAX_ANSWER_BYTES, mayFail = false } = {}) =>
    new Promise((resolve, reject) => {
      const child = spawn('git', [...before, ...args], { env, timeout: TIMEOUT_MS, killSignal: 'SIGKILL' });
      const chunks: Buffer[] = [];
      let size = 0;
      let said = '';
      child.stdout.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxBytes) child.kill('SIGKILL');
        else chunks.push(chunk);
      });
      child.stderr.on('data', (chunk: Buffer) => {
        if (said.length < 2_000) said += chunk.toString();
      });
      child.on('error', (cause) => reject(new AppError('unreadable', '--diff needs the program git.', { cause })));
      child.on('close', (code) => {
        if (code === 0) return resolve(Buffer.concat(chunks));
        if (mayFail && code !== null && !/dubious ownership|not a git repository/.test(said))
          return resolve(Buffer.of());
        const why = size > maxBytes ? 'its answer is too long' : (said.trim().split('\n')[0]?.slice(0, 200) ?? '');
        reject(new AppError('unreadable', `git could not read the clone: ${why || 'it took too long'}.`));
      });
      child.stdin.on('error', () => {});
      child.stdin.end(input.map((line) => `${line}\n`).join(''));
    });
}
