import { collectEvidence } from '#lib/combos/evidence.ts';
import { findPaths, foldPaths } from '#lib/combos/match.ts';
import type { Facts } from '#lib/facts/facts.ts';
import type { RepositoryPaths } from '#lib/report/paths-report.ts';
import type { Ruleset } from '#lib/scanner/engine/rulesets.ts';
import type { ScanResult } from '#lib/scanner/engine/scan.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import type { Platform } from '#lib/workflow/model/platform.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { type LocalRepository, nameOf, readRepository } from './files.ts';

export interface LocalScan {
  readonly understood: number;
  readonly result: ScanResult;
  /** Attack paths of all rules, whatever the ruleset; undefined if not requested. */
  readonly paths: RepositoryPaths | undefined;
}

export interface ScanWishes {
  readonly ruleset: Ruleset;
  readonly attackPaths: boolean;
}

export function readLocal(local: LocalRepository, platform: Platform): Repository {
  return createRepository(readRepository(local), nameOf(local), { partial: local.only !== undefined, platform });
}

export function scanLocal(
  { root }: LocalRepository,
  repository: Repository,
  { ruleset, attackPaths }: ScanWishes,
  facts: Facts,
): LocalScan {
  const result = scanRepository(repository, { ruleset, facts });
  return {
    understood: repository.files.filter(({ definition }) => definition !== undefined).length,
    result,
    paths: attackPaths ? pathsOf(root, repository, ruleset === 'all' ? result : undefined, facts) : undefined,
  };
}

function pathsOf(root: string, repository: Repository, whole: ScanResult | undefined, facts: Facts): RepositoryPaths {
  const { findings, notAssessed } = whole ?? scanRepository(repository, { facts });
  const found = findPaths(collectEvidence(repository, findings, facts), {
    cachesReadOnly: repository.platform.does('read-only-cache'),
  });
  return { root, findings, notAssessed, found, paths: foldPaths(found) };
}
