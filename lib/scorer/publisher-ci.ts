import { collectEvidence } from '#lib/combos/evidence.ts';
import { findPaths, foldPaths } from '#lib/combos/match.ts';
import { NO_FACTS } from '#lib/facts/facts.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import { createRepository, type InputFile } from '#lib/workflow/repository.ts';
import type { PublisherPaths } from './facts.ts';

/** Counts the attack paths in a publisher's workflows, ignoring its suppressions. */
export function publisherCi(files: readonly InputFile[], owner: string, name: string): PublisherPaths {
  const repository = createRepository(files, `${owner}/${name}`);
  const { findings, suppressed } = scanRepository(repository);
  const all = [...findings, ...suppressed.map(({ finding }) => finding)];
  const paths = foldPaths(
    findPaths(collectEvidence(repository, all, NO_FACTS), {
      cachesReadOnly: repository.platform.does('read-only-cache'),
    }),
  );
  return {
    critical: paths.filter(({ severity }) => severity === 'CRITICAL').length,
    high: paths.filter(({ severity }) => severity === 'HIGH').length,
  };
}
