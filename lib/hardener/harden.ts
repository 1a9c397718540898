import type { Finding } from '#lib/scanner/engine/finding.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import {
  type HardenedFile,
  Hardening,
  type HardenOptions,
  REPORTED_ONCE_PER_REPOSITORY,
  scanOptions,
} from './hardening.ts';

/**
 * Applies the fixes of one file until none is left. Edits splice text, so everything else stays byte for byte. After
 * each round dependent files are scanned again; a fix that changes anything else, drops a comment, leaves its finding
 * or causes another is reverted as a whole. Idempotent.
 */
export function hardenFile(repository: Repository, path: string, options: HardenOptions = {}): HardenedFile {
  return new Hardening(repository, path, options).run();
}

/**
 * Hardens every file of a repository, each after the changes to those before it. Unfixable files are skipped but stay
 * in the result.
 */
export function* hardenRepository(repository: Repository, options: HardenOptions = {}): Generator<HardenedFile> {
  let current = repository;
  const { findings } = scanRepository(repository, scanOptions(options));
  const byFile = new Map<string | null, Finding[]>();
  for (const finding of findings) byFile.set(finding.file, [...(byFile.get(finding.file) ?? []), finding]);
  // Once-per-repository findings move to the next file when the first is fixed.
  let movesOn = false;
  for (const { source } of repository.files) {
    const found = byFile.get(source.path) ?? [];
    const result = new Hardening(current, source.path, options).run(movesOn ? undefined : found);
    current = result.repository;
    movesOn ||= result.applied.some(({ ruleId }) => REPORTED_ONCE_PER_REPOSITORY.has(ruleId));
    yield result;
  }
}
