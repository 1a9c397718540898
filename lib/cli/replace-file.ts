import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, readFileSync, renameSync, rmSync, type Stats, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { AppError } from '#lib/errors.ts';

/**
 * Writes a file atomically and keeps its mode. Throws an AppError for symbolic links, for anything but a file, for
 * paths that {@link refuseLinks} refuses, and if the file no longer equals `expected`.
 */
export function replaceFile(path: string, text: string, expected?: string): void {
  refuseLinks(path);
  const file = resolve(path);
  const before = statsOf(file);
  if (before?.isFile() === false) {
    const what = before.isSymbolicLink() ? 'a symbolic link' : 'not a regular file';
    throw new AppError('usage', `"${path}" is ${what}, so it is not written.`);
  }
  const temporary = join(dirname(file), `.chainbreak-${randomUUID()}`);
  try {
    if (expected !== undefined && !readFileSync(file).equals(Buffer.from(expected))) {
      throw new AppError('unreadable', `"${path}" has changed in the meantime.`);
    }
    writeFileSync(temporary, text, { flag: 'wx' });
    if (before !== undefined) chmodSync(temporary, before.mode);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    if (error instanceof AppError) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new AppError('unreadable', `"${path}" could not be written (${code}).`);
  }
}

/**
 * Throws an AppError for a path through a symbolic link below a repository or the working folder, whose author would
 * choose the overwritten file. Links above belong to the user.
 */
export function refuseLinks(path: string): void {
  for (let at = resolve(path); dirname(at) !== at; at = dirname(at)) {
    if (statsOf(at)?.isSymbolicLink() !== true || !foldersAbove(at).some(isOfRepository)) continue;
    throw new AppError('usage', `"${path}" leads through the symbolic link "${at}", so it is not written.`);
  }
}

function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === path ? [] : [folder, ...foldersAbove(folder)];
}

function isOfRepository(folder: string): boolean {
  return folder === process.cwd() || existsSync(join(folder, '.git')) || existsSync(join(folder, '.github'));
}

function statsOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}
