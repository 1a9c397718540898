import { type Dirent, existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { AppError } from '#lib/errors.ts';
import { fileKind, type InputFile } from '#lib/workflow/repository.ts';
import { decodeFile } from '#lib/workflow/text/decode.ts';
import type { Diagnostic } from '#lib/workflow/text/diagnostic.ts';
import { MAX_FILE_BYTES } from '#lib/workflow/text/limits.ts';
import type { RemoteFiles } from './remote.ts';

export interface LocalRepository {
  readonly folder: string;
  readonly root: string;
  readonly only: string | undefined;
  readonly remote?: RemoteFiles;
  readonly given?: readonly InputFile[];
}

const MAX_ENTRIES = 500_000;
const MAX_DEPTH = 40;
export const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(['.git', 'node_modules', '.venv', '__pycache__']);

/**
 * Returns the repository of a file, the path itself, or the repositories below it. Never follows symbolic links.
 * Throws an AppError if there is nothing to read.
 */
export function findRepositories(path: string): LocalRepository[] {
  const absolute = resolve(path);
  if (!existsSync(absolute)) throw new AppError('unreadable', `No such file or folder: "${path}".`);
  if (statSync(absolute).isFile()) return [repositoryOfFile(absolute)];
  const folders = isRepository(absolute) ? [absolute] : walkForRepositories(absolute, 0, { left: MAX_ENTRIES });
  if (folders.length === 0) folders.push(absolute);
  return folders.map((folder) => ({ folder, root: toSlashes(relative(absolute, folder)) || '.', only: undefined }));
}

export function joinRoot(path: string, root: string): string {
  const base = path.replace(/(?<!\/)\/+$/, '');
  return root === '.' ? base : `${base}/${root}`;
}

export function withoutDoubles(locals: readonly LocalRepository[]): LocalRepository[] {
  const seen = new Set<string>();
  return locals.filter(({ folder, only }) => {
    const key = only ?? folder;
    return !seen.has(key) && seen.add(key);
  });
}

export function repositoryOfFile(file: string): LocalRepository {
  let folder = dirname(file);
  while (!isRepository(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return { folder: isRepository(folder) ? folder : dirname(file), root: '.', only: file };
}

/**
 * Returns `owner/name` from `origin`, or the owner alone if there are other remotes. Reads git's configuration
 * as text, since git would run programs that a hostile configuration names.
 */
export function nameOf({ folder, remote, given }: LocalRepository): string | undefined {
  if (remote !== undefined) return remote.fullName;
  if (given !== undefined) return undefined;
  const config = join(folder, '.git', 'config');
  try {
    if (!lstatSync(config).isFile() || lstatSync(config).size > 100_000) return undefined;
    const text = readFileSync(config, 'utf8');
    const [, origin = ''] = /\[remote "origin"\]([^[]*)/.exec(text) ?? [];
    const [, url = ''] = /^[ \t]*url[ \t]*=[ \t]*(\S+)[ \t]*$/m.exec(origin) ?? [];
    const [, owner, name] = /[/:]([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/.exec(url) ?? [];
    return /\[remote "(?!origin")/.test(text) ? owner : owner && `${owner}/${name}`;
  } catch {
    return undefined;
  }
}

export function readRepository({ folder, only, remote, given }: LocalRepository): readonly InputFile[] {
  if (given !== undefined) return given;
  if (remote !== undefined) return remote.files;
  if (only === undefined) {
    return [...filesBelow(folder, (name) => fileKind(name) !== undefined)].map(([name, path]) => readInput(path, name));
  }
  const path = toSlashes(relative(folder, only));
  return [readInput(only, knownPath(path))];
}

/** Outside a repository, a file is treated as a workflow unless its name says otherwise. */
function knownPath(path: string): string {
  return fileKind(path) === undefined ? `.github/workflows/${path.split('/').at(-1)}` : path;
}

export async function readStream(stream: AsyncIterable<Uint8Array>, name: string): Promise<LocalRepository> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length > MAX_FILE_BYTES) break;
  }
  const path = knownPath(toSlashes(name).replace(/^(?:\.?\/)+/, ''));
  const decoded = decodeFile(Buffer.concat(chunks));
  const file: InputFile = decoded.text === undefined ? { path, ...decoded } : { path, text: decoded.text };
  return { folder: '-', root: '.', only: '-', given: [file] };
}

export function isRepository(folder: string): boolean {
  return existsSync(join(folder, '.git')) || existsSync(join(folder, '.github'));
}

function walkForRepositories(folder: string, depth: number, budget: { left: number }): string[] {
  if (depth > MAX_DEPTH) return [];
  const found: string[] = [];
  for (const entry of entriesOf(folder, budget)) {
    if (!entry.isDirectory() || SKIPPED_FOLDERS.has(entry.name)) continue;
    const child = join(folder, entry.name);
    if (isRepository(child)) found.push(child);
    else found.push(...walkForRepositories(child, depth + 1, budget));
  }
  return found;
}

export function filesBelow(folder: string, isWanted: (name: string) => boolean): Map<string, string> {
  const files = new Map<string, string>();
  const budget = { left: MAX_ENTRIES };
  const visit = (current: string, depth: number): void => {
    for (const entry of entriesOf(current, budget)) {
      const path = join(current, entry.name);
      if (entry.isDirectory()) {
        if (!SKIPPED_FOLDERS.has(entry.name) && depth < MAX_DEPTH) visit(path, depth + 1);
        continue;
      }
      const name = toSlashes(relative(folder, path));
      if (isWanted(name)) files.set(name, path);
    }
  };
  visit(folder, 0);
  return files;
}

function entriesOf(folder: string, budget: { left: number }): Dirent[] {
  if (budget.left <= 0) return [];
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    budget.left -= entries.length;
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

export function readInput(file: string, path: string, maxBytes = MAX_FILE_BYTES): InputFile {
  const refuse = (message: string): InputFile => {
    const problem: Diagnostic = { severity: 'error', message };
    return { path, text: undefined, problem };
  };
  try {
    const stats = lstatSync(file);
    if (stats.isSymbolicLink()) return refuse('Symbolic links are not followed.');
    if (!stats.isFile()) return refuse('Not a regular file.');
    if (stats.size > maxBytes) {
      return refuse(`The file has ${stats.size} bytes; the limit is ${maxBytes}.`);
    }
    const decoded = decodeFile(readFileSync(file));
    return decoded.text === undefined ? { path, ...decoded } : { path, text: decoded.text };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    return refuse(`The file could not be read (${code}).`);
  }
}

function toSlashes(path: string): string {
  return sep === '/' ? path : path.split(sep).join('/');
}
