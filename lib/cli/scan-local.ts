import { collectEvidence } from '../combos/evidence.ts';
import { findPaths, foldPaths } from '../combos/match.ts';
import type { RepositoryPaths } from '../report/paths-report.ts';
import type { Facts } from '../scanner/facts.ts';
import type { Ruleset } from '../scanner/rulesets.ts';
import { type ScanResult, scanRepository } from '../scanner/scan.ts';
import type { Platform } from '../workflow/platform.ts';
import { createRepository, type Repository } from '../workflow/repository.ts';
import { type LocalRepository, nameOf, readRepository } from './files.ts';

/** What the scan of one repository gave. */
export interface LocalScan {
  /** Files whose YAML was understood. */
  readonly understood: number;
  readonly result: ScanResult;
  /** Attack paths, whatever the ruleset: a view of the rules hides none. */
  readonly paths: RepositoryPaths;
}

/** Reads and parses a repository's files. Throws an AppError when one cannot be read at all. */
export function readLocal(local: LocalRepository, platform: Platform): Repository {
  return createRepository(readRepository(local), nameOf(local), { partial: local.only !== undefined, platform });
}

/** Scans one repository with what is known of it beside its files. */
export function scanLocal(local: LocalRepository, repository: Repository, ruleset: Ruleset, facts: Facts): LocalScan {
  const result = scanRepository(repository, { ruleset, facts });
  const { findings, notAssessed } = ruleset === 'all' ? result : scanRepository(repository, { facts });
  const found = findPaths(collectEvidence(repository, findings, facts), {
    cachesReadOnly: repository.platform.does('read-only-cache'),
  });
  return {
    understood: repository.files.filter(({ definition }) => definition !== undefined).length,
    result,
    paths: { root: local.root, findings, notAssessed, found, paths: foldPaths(found) },
  };
}
