import { matchesRef } from './ref-pattern.ts';

/**
 * Whether a pattern of an owners' file names a file. Patterns are those of ignore files, less what the code host does
 * not know: a leading slash or one inside ties to the root, one at the end names what lies below a folder.
 */
export function ownsFile(pattern: string, path: string): boolean {
  if (pattern === '*' || pattern === '**') return true;
  const isFolder = pattern.endsWith('/');
  const bare = pattern.replace(/^\/+/, '').replace(/\/+$/, '');
  const tied = pattern.startsWith('/') || bare.includes('/');
  const starts = tied ? [bare] : [bare, `**/${bare}`];
  // `docs/*` names the files of a folder, not those of folders below it.
  const below = bare.endsWith('/*') ? [] : starts.map((start) => `${start}/**`);
  return [...(isFolder ? [] : starts), ...below].some((each) => matchesRef(each, path));
}
