import { compareText } from '#lib/workflow/text/compare-text.ts';
import type { SourceFile } from '#lib/workflow/text/source.ts';
import { SEVERITIES, severityRank } from './finding.ts';
import type { Report, Rule, Severity } from './rule.ts';

export interface FindingLimits {
  readonly ofRuleInFile: number;
  readonly ofScan: number;
}

/**
 * Bounds far above real repositories: in 2,000 measured files, one rule found at most 68 per file, and all rules 383
 * per repository.
 */
export const FINDING_LIMITS: FindingLimits = { ofRuleInFile: 200, ofScan: 10_000 };

export interface Omitted {
  readonly ruleId: string;
  readonly file: string | null;
  readonly severity: Severity;
  readonly count: number;
  readonly suppressed: boolean;
}

export interface Entry {
  readonly rule: Rule;
  readonly report: Report;
  readonly source: SourceFile | undefined;
  readonly order: number;
}

interface Bucket<Item> {
  readonly kept: readonly Item[][];
  readonly omitted: number[];
  size: number;
}

export class Listing<Item extends Entry> {
  readonly #limits: FindingLimits;
  readonly #buckets = new Map<Rule, Map<SourceFile | undefined, Bucket<Item>>>();
  readonly #kept = SEVERITIES.map(() => 0);

  constructor(limits: FindingLimits) {
    this.#limits = limits;
  }

  add(item: Item): void {
    const rank = rankOf(item);
    const bucket = this.#bucketOf(item);
    const asSevere = this.#kept.slice(0, rank + 1).reduce((sum, count) => sum + count, 0);
    if (asSevere >= this.#limits.ofScan || !this.#makesRoom(bucket, rank)) {
      bucket.omitted[rank] = (bucket.omitted[rank] ?? 0) + 1;
      return;
    }
    bucket.kept[rank]?.push(item);
    bucket.size += 1;
    this.#kept[rank] = (this.#kept[rank] ?? 0) + 1;
  }

  items(): Item[] {
    const buckets = [...this.#buckets.values()].flatMap((files) => [...files.values()]);
    let left = this.#limits.ofScan;
    const listed: Item[] = [];
    for (const rank of SEVERITIES.keys()) {
      const all = buckets.flatMap(({ kept }) => kept[rank] ?? []).sort((a, b) => a.order - b.order);
      listed.push(...all.slice(0, left));
      for (const item of all.slice(left)) {
        const { omitted } = this.#bucketOf(item);
        omitted[rank] = (omitted[rank] ?? 0) + 1;
      }
      left -= Math.min(left, all.length);
    }
    for (const { kept } of buckets) for (const each of kept) each.length = 0;
    return listed.sort((a, b) => a.order - b.order);
  }

  omitted(suppressed: boolean): Omitted[] {
    const found: Omitted[] = [];
    for (const [rule, files] of this.#buckets) {
      for (const [source, { omitted }] of files) {
        for (const [rank, count] of omitted.entries()) {
          const severity = SEVERITIES[rank] as Severity;
          if (count > 0) found.push({ ruleId: rule.id, file: source?.path ?? null, severity, count, suppressed });
        }
      }
    }
    return found.sort((a, b) => compareText(a.file ?? '', b.file ?? '') || compareText(a.ruleId, b.ruleId));
  }

  #makesRoom(bucket: Bucket<Item>, rank: number): boolean {
    if (bucket.size < this.#limits.ofRuleInFile) return true;
    const least = bucket.kept.findLastIndex((kept) => kept.length > 0);
    if (least <= rank) return false;
    bucket.kept[least]?.pop();
    bucket.size -= 1;
    this.#kept[least] = (this.#kept[least] ?? 0) - 1;
    bucket.omitted[least] = (bucket.omitted[least] ?? 0) + 1;
    return true;
  }

  #bucketOf({ rule, source }: Item): Bucket<Item> {
    let files = this.#buckets.get(rule);
    if (files === undefined) {
      files = new Map();
      this.#buckets.set(rule, files);
    }
    let bucket = files.get(source);
    if (bucket === undefined) {
      bucket = { kept: SEVERITIES.map(() => []), omitted: SEVERITIES.map(() => 0), size: 0 };
      files.set(source, bucket);
    }
    return bucket;
  }
}

function rankOf({ rule, report }: Entry): number {
  return severityRank(report.severity ?? rule.meta.severity);
}
