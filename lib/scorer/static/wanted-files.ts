import { MAX_JAVASCRIPT } from './limits.ts';

/** A collector may omit wanted files with more bytes, and lists them as omitted. */
export const MAX_WANTED_BYTES = MAX_JAVASCRIPT;

const WANTED =
  /(?:^|\/)(?:action\.ya?ml|Dockerfile[^/]{0,50}|[^/]{1,50}\.Dockerfile|package\.json)$|\.(?:[cm]?js|sh|bash|py)$/i;
const NEVER = /(?:^|\/)(?:node_modules|tests?|__tests__|spec|fixtures|docs?|examples?)\//;

export function isWantedFile(path: string): boolean {
  return WANTED.test(path) && !NEVER.test(path);
}

/** Resolves a path relative to a folder of the repository; undefined if it leads outside. */
export function resolvePath(folder: string, path: string): string | undefined {
  const kept = folder === '' ? [] : folder.split('/');
  for (const part of path.split('/')) {
    if (part === '..') {
      if (kept.length === 0) return undefined;
      kept.pop();
    } else if (part !== '' && part !== '.') kept.push(part);
  }
  return kept.join('/');
}

export function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
}
