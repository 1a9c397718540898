import { existsSync, type FSWatcher, lstatSync, readdirSync, statSync, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AppError } from '#lib/errors.ts';
import { EXIT } from './exit-codes.ts';
import { SKIPPED_FOLDERS } from './files.ts';
import type { Terminal } from './terminal.ts';

const SCANNED_FILE = /\.(?:ya?ml|json5?|lock)$|^\.renovaterc$/;
const PAUSE_MS = 150;
const MAX_FOLDERS = 20_000;
const CLEAR = '\u001B[2J\u001B[3J\u001B[H';

export async function watching(
  paths: readonly string[],
  scan: (terminal: Terminal) => Promise<unknown>,
  terminal: Terminal,
): Promise<number> {
  const named = paths.length === 0 ? ['.'] : paths;
  const missing = named.find((path) => !existsSync(path));
  if (missing !== undefined) throw new AppError('usage', `--watch needs local paths; "${missing}" is not one.`);
  const asked = new AbortController();
  const end = (): void => asked.abort();
  for (const signal of ENDING) process.once(signal, end);
  try {
    return await watchPaths(named, () => scan(terminal), terminal, asked.signal);
  } finally {
    for (const signal of ENDING) process.off(signal, end);
  }
}

const ENDING = ['SIGINT', 'SIGTERM'] as const;

async function watchPaths(
  paths: readonly string[],
  scan: () => Promise<unknown>,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  let wake = (): void => {};
  let changed = true;
  const watched = new Watched(() => {
    changed = true;
    wake();
  });
  const stop = (): void => wake();
  signal.addEventListener('abort', stop);
  try {
    for (const path of paths) watched.add(path);
    while (!signal.aborted) {
      if (!changed) await new Promise<void>((resolve) => (wake = resolve));
      if (signal.aborted) break;
      await pause(signal);
      changed = false;
      if (terminal.stdout.isTTY) terminal.stdout.write(CLEAR);
      await shown(scan, terminal);
      terminal.stderr.write('Waiting for changes. Press Ctrl+C to end.\n');
    }
    return EXIT.clean;
  } finally {
    signal.removeEventListener('abort', stop);
    watched.close();
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PAUSE_MS);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

async function shown(scan: () => Promise<unknown>, { stderr }: Terminal): Promise<void> {
  try {
    await scan();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    stderr.write(`chainbreak: ${error.message}\n`);
  }
}

/** Watches folders one by one where the system cannot watch trees, since Node.js then watches each file of `node_modules`. */
class Watched {
  readonly #changed: () => void;
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #trees = process.platform === 'darwin' || process.platform === 'win32';

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  add(path: string): void {
    if (statSync(path).isDirectory()) this.#watchFolder(path);
    else {
      const name = basename(path);
      this.#watch(dirname(path), false, (file) => file === undefined || file === name, path);
    }
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #watchFolder(folder: string): void {
    this.#watch(folder, this.#trees, (name) => {
      if (name === undefined) return true;
      if (name.split(/[\\/]/).some((part) => SKIPPED_FOLDERS.has(part))) return false;
      if (SCANNED_FILE.test(basename(name))) return true;
      const isNew = !this.#trees && isFolder(join(folder, name));
      if (isNew) this.#addNew(join(folder, name));
      return isNew;
    });
    if (this.#trees) return;
    for (const name of foldersIn(folder)) this.#watchFolder(join(folder, name));
  }

  #addNew(folder: string): void {
    try {
      this.#watchFolder(folder);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }

  #watch(folder: string, recursive: boolean, concerns: (name: string | undefined) => boolean, key = folder): void {
    if (this.#watchers.has(key)) return;
    if (this.#watchers.size >= MAX_FOLDERS)
      throw new AppError('unreadable', `More than ${MAX_FOLDERS} folders to watch.`);
    let watcher: FSWatcher;
    try {
      watcher = watch(folder, { recursive }, (_, name) => {
        if (concerns(name ?? undefined)) this.#changed();
      });
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
      if (code === 'ENOENT') return;
      throw new AppError('unreadable', `"${folder}" cannot be watched (${code}).`, { cause: error });
    }
    watcher.on('error', () => this.#forget(key));
    watcher.on('close', () => this.#watchers.delete(key));
    this.#watchers.set(key, watcher);
  }

  #forget(key: string): void {
    this.#watchers.get(key)?.close();
    this.#changed();
  }
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name) ? [entry.name] : [],
    );
  } catch {
    return [];
  }
}
