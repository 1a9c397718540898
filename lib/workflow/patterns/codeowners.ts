import { matchesRef } from './ref-pattern.ts';

/**
 * True if a CODEOWNERS pattern matches a file. Follows the .gitignore syntax that GitHub supports: a leading or inner
 * slash anchors to the root, a trailing one matches the contents of a folder.
 */
export function ownsFile(pattern: string, path: string): boolean {
  if (pattern === '*' || pattern === '**') return true;
  const isFolder = pattern.endsWith('/');
  const bare = pattern.replace(/^\/+/, '').replace(/(?<!\/)\/+$/, '');
  const tied = pattern.startsWith('/') || bare.includes('/');
  const starts = tied ? [bare] : [bare, `**/${bare}`];
  // `docs/*` does not match nested folders.
  const below = bare.endsWith('/*') ? [] : starts.map((start) => `${start}/**`);
  return [...(isFolder ? [] : starts), ...below].some((each) => matchesRef(each, path));
}
