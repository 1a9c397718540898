import type { Repository } from '#lib/workflow/model/repository.ts';
import { runRules, type ScanOptions, type ScanResult } from './engine/scan.ts';
import { rules } from './rules/index.ts';

export function scanRepository(repository: Repository, options: ScanOptions = {}): ScanResult {
  return runRules(rules, repository, options);
}
