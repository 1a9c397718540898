import { type Facts, known } from './facts.ts';
import type { BranchSettings, RepositorySettings } from './settings.ts';

export interface LiveBranch {
  readonly branch: BranchSettings;
  readonly repository: RepositorySettings;
}

export function liveBranch(facts: Facts): LiveBranch | undefined {
  const repository = known(facts, 'repository');
  const branch = known(facts, 'branch');
  if (repository === undefined || repository.archived || branch === undefined || branch === null) return undefined;
  return { branch, repository };
}

/** Without a second maintainer, review requirements cannot be satisfied. */
export function isSoleMaintainer({ assignable }: RepositorySettings): boolean {
  return assignable <= 1;
}
