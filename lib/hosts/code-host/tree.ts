import type { FoundRepository, ProbedRepository } from './queries.ts';

/** Raised when a scan reads other files than before: then everything has changed. */
const FORMAT = 1;

/**
 * One text for everything that a scan reads: git's ids of the folder `.github` and of the action at the root, and of
 * the root itself when workflows use actions that lie elsewhere. A reading that trouble left incomplete has a text that
 * no repository has, so that the next one is not spared.
 */
export function treeOf(
  { isEmpty, defaultBranchRef, root, github, actionYml, actionYaml }: FoundRepository | ProbedRepository,
  { usesOtherFolders, incomplete }: { readonly usesOtherFolders: boolean; readonly incomplete: boolean },
): string {
  if (isEmpty || !defaultBranchRef?.target) return `${FORMAT}:empty`;
  const oids = [github, actionYml, actionYaml, ...(usesOtherFolders ? [root] : [])].map((each) => each?.oid ?? '-');
  return [FORMAT, ...oids, ...(incomplete ? ['incomplete'] : [])].join(':');
}

/** True if an earlier text still matches the repository. The text itself records whether the root was part of it. */
export function isTreeOf(tree: string, probed: ProbedRepository): boolean {
  return [false, true].some((usesOtherFolders) => treeOf(probed, { usesOtherFolders, incomplete: false }) === tree);
}
