import { collectEvidence } from '#lib/combos/evidence.ts';
import { findPaths, foldPaths } from '#lib/combos/match.ts';
import type { Facts } from '#lib/facts/facts.ts';
import type { RepositoryPaths } from '#lib/report/paths-report.ts';
import type { Ruleset } from '#lib/scanner/engine/rulesets.ts';
import type { ScanOptions, ScanResult } from '#lib/scanner/engine/scan.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import type { Platform } from '#lib/workflow/model/platform.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { createRepository, fileKind, type InputFile } from '#lib/workflow/repository.ts';
import { type LocalRepository, nameOf, readRepository } from './files.ts';

export interface LocalScan {
  readonly understood: number;
  readonly result: ScanResult;
  readonly paths: RepositoryPaths | undefined;
}

export interface Trust {
  readonly suppressions: boolean;
  readonly config: boolean;
}

export interface ScanWishes extends Trust {
  readonly ruleset: Ruleset;
  readonly chosen?: ReadonlySet<string> | undefined;
  readonly attackPaths: boolean;
}

export function readLocal(local: LocalRepository, platform: Platform, trust: Pick<Trust, 'config'>): Repository {
  return createLocal(local, readRepository(local), platform, trust);
}

export function createLocal(
  local: LocalRepository,
  files: readonly InputFile[],
  platform: Platform,
  { config }: Pick<Trust, 'config'>,
): Repository {
  const trusted = files.filter(({ path }) => config || fileKind(path) !== 'config');
  return createRepository(trusted, nameOf(local), { partial: local.only !== undefined, platform });
}

export function scanLocal(
  { root }: LocalRepository,
  repository: Repository,
  { ruleset, attackPaths, suppressions, chosen }: ScanWishes,
  facts: Facts,
): LocalScan {
  const options = { facts, suppressions, ...rulesAmong(chosen) };
  const result = scanRepository(repository, { ...options, ruleset });
  const whole = (): ScanResult => (ruleset === 'all' ? result : scanRepository(repository, options));
  return {
    understood: repository.files.filter(({ definition }) => definition !== undefined).length,
    result,
    paths: attackPaths ? pathsOf(root, repository, withNotChosen(whole(), chosen), facts) : undefined,
  };
}

export function rulesAmong(chosen: ReadonlySet<string> | undefined): Pick<ScanOptions, 'rules'> {
  return chosen === undefined ? {} : { rules: rules.filter(({ id }) => chosen.has(id)) };
}

/** Marks rules that were not chosen as disabled, since attack paths that need them were not searched for. */
export function withNotChosen<Result extends Pick<ScanResult, 'notAssessed'>>(
  result: Result,
  chosen: ReadonlySet<string> | undefined,
): Result {
  if (chosen === undefined) return result;
  const others = rules
    .filter(({ id }) => !chosen.has(id))
    .map(({ id }) => ({ ruleId: id, reason: 'disabled' as const }));
  return { ...result, notAssessed: [...result.notAssessed, ...others] };
}

function pathsOf(
  root: string,
  repository: Repository,
  { findings, notAssessed }: ScanResult,
  facts: Facts,
): RepositoryPaths {
  const found = findPaths(collectEvidence(repository, findings, facts), {
    cachesReadOnly: repository.platform.does('read-only-cache'),
  });
  return { root, findings, notAssessed, found, paths: foldPaths(found) };
}
