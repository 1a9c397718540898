import type { FoundRepository, ProbedRepository } from './queries.ts';

/** Increase when a scan reads other files. */
const FORMAT = 1;

/**
 * Digests a scan's inputs: the git ids of `.github` and the root action, and of the root if workflows use actions
 * elsewhere. An incomplete read gets a unique text, so that the next scan reads again.
 */
export function treeOf(
  { isEmpty, defaultBranchRef, root, github, actionYml, actionYaml }: FoundRepository | ProbedRepository,
  { usesOtherFolders, incomplete }: { readonly usesOtherFolders: boolean; readonly incomplete: boolean },
): string {
  if (isEmpty || !defaultBranchRef?.target) return `${FORMAT}:empty`;
  const oids = [github, actionYml, actionYaml, ...(usesOtherFolders ? [root] : [])].map((each) => each?.oid ?? '-');
  return [FORMAT, ...oids, ...(incomplete ? ['incomplete'] : [])].join(':');
}

export function isTreeOf(tree: string, probed: ProbedRepository): boolean {
  return [false, true].some((usesOtherFolders) => treeOf(probed, { usesOtherFolders, incomplete: false }) === tree);
}
