import type { Facts } from '#lib/facts/facts.ts';
import type { Finding } from '#lib/scanner/engine/finding.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import type { InputFile } from '#lib/workflow/repository.ts';
import { type HardenedFile, REPORTED_ONCE_PER_REPOSITORY, scanOptions } from './hardening.ts';

export type Proven =
  | {
      readonly resolved: readonly string[];
    }
  | { readonly reason: string };

/**
 * Proves a hardened file independently of how it was made: parses all files anew, scans them with all rules, and
 * compares with the scan before. Unlike the hardener, it accepts no new finding of any severity.
 */
export class Proof {
  readonly #files: readonly InputFile[];
  readonly #parse: (files: readonly InputFile[]) => Repository;
  readonly #facts: Facts;
  readonly #before: readonly Finding[];

  constructor(files: readonly InputFile[], parse: (files: readonly InputFile[]) => Repository, facts: Facts) {
    this.#files = files;
    this.#parse = parse;
    this.#facts = facts;
    this.#before = this.#scan(parse(files));
  }

  check({ path, after, applied }: Pick<HardenedFile, 'path' | 'after' | 'applied'>): Proven {
    const repository = this.#parse(this.#files.map((file) => (file.path === path ? { path, text: after } : file)));
    const file = repository.files.find(({ source }) => source.path === path);
    if (file?.definition === undefined || file.diagnostics.some(({ severity }) => severity === 'error')) {
      return { reason: 'The fixed file would have errors.' };
    }
    const findings = this.#scan(repository);
    const [had, has] = [countByPlace(this.#before), countByPlace(findings)];
    for (const [place, { ruleId, count }] of has) {
      if (count > (had.get(place)?.count ?? 0)) return { reason: `The fix would cause a finding of ${ruleId}.` };
    }
    const fixes = new Map<string, number>();
    for (const { ruleId } of applied) fixes.set(ruleId, (fixes.get(ruleId) ?? 0) + 1);
    for (const [ruleId, count] of fixes) {
      const place = placeOf({ ruleId, file: path });
      if ((has.get(place)?.count ?? 0) > Math.max(0, (had.get(place)?.count ?? 0) - count)) {
        return { reason: `The fix would leave a finding of ${ruleId}.` };
      }
    }
    const left = new Set(findings.map(({ fingerprint }) => fingerprint));
    const gone = this.#before.filter(
      (finding) => finding.file === path && fixes.has(finding.ruleId) && !left.has(finding.fingerprint),
    );
    if (gone.length === 0) return { reason: 'The fix would resolve no finding.' };
    return { resolved: [...new Set(gone.map(({ fingerprint }) => fingerprint))].sort() };
  }

  #scan(repository: Repository): readonly Finding[] {
    return scanRepository(repository, scanOptions({ facts: this.#facts })).findings;
  }
}

type Place = Pick<Finding, 'ruleId' | 'file'>;

function placeOf({ ruleId, file }: Place): string {
  return REPORTED_ONCE_PER_REPOSITORY.has(ruleId) ? ruleId : `${ruleId} ${file}`;
}

function countByPlace(findings: readonly Place[]): Map<string, { readonly ruleId: string; count: number }> {
  const counts = new Map<string, { readonly ruleId: string; count: number }>();
  for (const finding of findings) {
    const place = placeOf(finding);
    const known = counts.get(place);
    if (known === undefined) counts.set(place, { ruleId: finding.ruleId, count: 1 });
    else known.count += 1;
  }
  return counts;
}
