import { existsSync, lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';

export const CACHE_PARTS = ['results', 'code'] as const;

export function cacheFolder(environment: NodeJS.ProcessEnv): string | undefined {
  if (environment['CHAINBREAK_NO_CACHE']) return undefined;
  const own = environment['CHAINBREAK_CACHE_DIR'];
  if (own) return isAbsolute(own) ? own : undefined;
  const base = environment['XDG_CACHE_HOME'];
  if (base && isAbsolute(base)) return join(base, 'chainbreak');
  if (process.platform === 'win32') {
    const local = environment['LOCALAPPDATA'];
    return local ? join(local, 'chainbreak', 'cache') : undefined;
  }
  const home = environment['HOME'] ?? homedir();
  if (!isAbsolute(home)) return undefined;
  return process.platform === 'darwin' ? join(home, 'Library/Caches/chainbreak') : join(home, '.cache/chainbreak');
}

/**
 * Makes a cache folder and returns its path, unless another user owns it or can write to it, or a repository could
 * contain it: its content is trusted, and code from it runs.
 */
export function privateFolder(
  cache: string | undefined,
  name: (typeof CACHE_PARTS)[number],
  work = process.cwd(),
): string | undefined {
  if (cache === undefined) return undefined;
  const folder = join(cache, name);
  try {
    if (isInRepository(physical(cache), work)) return undefined;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return isPrivate(cache) && isPrivate(folder) ? folder : undefined;
  } catch {
    return undefined;
  }
}

function isInRepository(path: string, work: string): boolean {
  if (isWithin(path, work) && !isWithin(homedir(), work)) return true;
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return true;
  }
  return false;
}

function isWithin(path: string, folder: string): boolean {
  const [first] = relative(folder, path).split(sep);
  return first !== '..' && !isAbsolute(relative(folder, path));
}

function physical(path: string): string {
  if (existsSync(path) || path === dirname(path)) return realpathSync(path);
  return join(physical(dirname(path)), path.slice(dirname(path).length));
}

function isPrivate(folder: string): boolean {
  const stats = lstatSync(folder);
  if (!stats.isDirectory()) return false;
  return process.getuid === undefined || (stats.uid === process.getuid() && (stats.mode & 0o022) === 0);
}
