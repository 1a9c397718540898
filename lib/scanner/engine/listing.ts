import { compareText } from '#lib/workflow/text/compare-text.ts';
import type { SourceFile } from '#lib/workflow/text/source.ts';
import { SEVERITIES, severityRank } from './finding.ts';
import type { Report, Rule, Severity } from './rule.ts';

/** How many findings a scan keeps. */
export interface FindingLimits {
  readonly ofRuleInFile: number;
  readonly ofScan: number;
}

/**
 * Real repositories stay far below: of 2,000 measured files, the most that one rule found in one was 68, and the most
 * that all rules found in a repository 383.
 */
export const FINDING_LIMITS: FindingLimits = { ofRuleInFile: 200, ofScan: 10_000 };

/** Findings that were counted and not kept. */
export interface Omitted {
  readonly ruleId: string;
  /** Null for repository settings. */
  readonly file: string | null;
  readonly severity: Severity;
  readonly count: number;
  readonly suppressed: boolean;
}

/** A report of a rule in a file. */
export interface Entry {
  readonly rule: Rule;
  readonly report: Report;
  readonly source: SourceFile | undefined;
  /** Among all reports of the scan. */
  readonly order: number;
}

/** What is kept of one rule in one file, by severity. */
interface Bucket<Item> {
  readonly kept: readonly Item[][];
  readonly omitted: number[];
  size: number;
}

/** Keeps the most severe reports up to the limits and counts the rest, in memory that is bounded by the limits. */
export class Listing<Item extends Entry> {
  readonly #limits: FindingLimits;
  readonly #buckets = new Map<Rule, Map<SourceFile | undefined, Bucket<Item>>>();
  /** By severity. */
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

  /** Returns what is kept, in the order in which it came. */
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

  /** Returns what was not kept; complete after {@link items}. */
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

  /** Returns whether one more report of this severity is kept, in place of a less severe one where that is needed. */
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
