import { severityRank } from '#lib/scanner/engine/finding.ts';
import { compareText } from '#lib/workflow/text/compare-text.ts';
import type { Filter, Slot } from './combo.ts';
import type { FindingEvidence, ScanEvidence } from './evidence.ts';
import type { Fact } from './facts.ts';

export interface Item {
  readonly rule: string | undefined;
  readonly finding: FindingEvidence | undefined;
  readonly fact: Fact | undefined;
  readonly key: string;
  readonly file: string | null;
  readonly jobs: readonly string[] | undefined;
  readonly step: number | null;
}

const IS_ACTION = /(?:^|\/)action\.ya?ml$/;

/** Encodes a file name as the first line of an anchor, where a line feed would hide the file's evidence. */
export function fileKey(file: string): string {
  return file.replaceAll('\n', '\0');
}

export function fileIn(anchor: string): string {
  return (anchor.split('\n')[0] ?? '').replaceAll('\0', '\n');
}

export function isInAction({ file, jobs }: Item): boolean {
  return file !== null && jobs !== undefined && IS_ACTION.test(file);
}

function jobKey(file: string, job: string): string {
  return `${fileKey(file)}\n${job}`;
}

export class EvidenceIndex {
  readonly #byRule = new Map<string, Item[]>();
  readonly #byFact = new Map<string, Item[]>();
  readonly #barred = new Map<string, string>();
  readonly #barriers = new Map<readonly string[], string | undefined>();

  constructor({ findings, facts }: ScanEvidence) {
    const callers = callersOfActions(facts);
    const seen = new Set<string>();
    for (const finding of [...findings].sort(compareEvidence)) {
      if (seen.has(finding.fingerprint)) continue;
      seen.add(finding.fingerprint);
      const { file, job, ruleId, fingerprint } = finding;
      const calling = file === null || job !== null ? undefined : callers(file, finding.step);
      const step = calling === undefined ? finding.step : null;
      put(this.#byRule, ruleId, {
        rule: ruleId,
        finding,
        fact: undefined,
        key: fingerprint,
        file,
        jobs: calling ?? jobsOf(finding),
        step,
      });
    }
    for (const fact of [...facts].sort(compareFacts)) {
      const { name, file, job, step, attributes } = fact;
      const jobs = file === null || job === null ? callers(file ?? '', step) : [jobKey(file, job)];
      const because = attributes['because'];
      if (name === 'barred-start' && typeof because === 'string')
        for (const each of jobs ?? []) this.#barred.set(each, because);
      const key = `${name}\n${file ?? ''}\n${job ?? ''}\n${step ?? ''}\n${JSON.stringify(attributes)}`;
      put(this.#byFact, name, { rule: undefined, finding: undefined, fact, key, file, jobs, step });
    }
  }

  barrierAt(anchor: string): string | undefined {
    return this.#barred.get(anchor.split('\n', 2).join('\n'));
  }

  barrierOf({ jobs = [] }: Item): string | undefined {
    if (!this.#barriers.has(jobs)) {
      const isBarred = jobs.every((job) => this.#barred.has(job));
      this.#barriers.set(jobs, isBarred ? this.#barred.get(jobs[0] ?? '') : undefined);
    }
    return this.#barriers.get(jobs);
  }

  fill(slot: Slot, only: string | undefined): Item[] {
    const found = new Set<Item>();
    for (const source of slot.any) {
      if (only !== undefined && !('rule' in source && source.rule === only)) continue;
      const items = 'rule' in source ? this.#byRule.get(source.rule) : this.#byFact.get(source.fact);
      const least = 'rule' in source ? severityRank(source.atLeast ?? 'LOW') : 0;
      for (const item of items ?? []) {
        if (item.finding !== undefined && severityRank(item.finding.severity) > least) continue;
        if (source.where === undefined || fits(item, source.where)) found.add(item);
      }
    }
    return [...found];
  }
}

export function put<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

interface Call {
  readonly job: string;
  readonly off: ReadonlySet<string>;
}

type Callers = (action: string, step: number | null) => readonly string[] | undefined;

function callersOfActions(facts: readonly Fact[]): Callers {
  const calls = new Map<string, Call[]>();
  for (const { name, file, job, attributes } of facts) {
    const { callee, off } = attributes;
    if (name !== 'local-call' || typeof callee !== 'string' || !IS_ACTION.test(callee)) continue;
    const steps = new Set(typeof off === 'object' ? off : []);
    if (file !== null && job !== null) put(calls, callee, { job: jobKey(file, job), off: steps });
  }
  const known = new Map<string, readonly string[]>();
  return (action, step) => {
    const at = `${step ?? ''}\n${action}`;
    const jobs = known.get(at) ?? calls.get(action)?.flatMap(({ job, off }) => (off.has(`${step ?? ''}`) ? [] : [job]));
    if (jobs !== undefined) known.set(at, jobs);
    return jobs;
  };
}

function jobsOf({ file, job, attributes }: FindingEvidence): readonly string[] | undefined {
  if (file === null) return undefined;
  if (job !== null) return [jobKey(file, job)];
  const named = attributes['jobs'];
  return typeof named === 'object' ? named.map((id) => jobKey(file, id)) : undefined;
}

function compareEvidence(a: FindingEvidence, b: FindingEvidence): number {
  return (
    severityRank(a.severity) - severityRank(b.severity) ||
    compareText(a.file ?? '', b.file ?? '') ||
    compareText(a.job ?? '', b.job ?? '') ||
    (a.step ?? -1) - (b.step ?? -1) ||
    compareText(a.fingerprint, b.fingerprint)
  );
}

function compareFacts(a: Fact, b: Fact): number {
  return (
    compareText(a.name, b.name) ||
    compareText(a.file ?? '', b.file ?? '') ||
    compareText(a.job ?? '', b.job ?? '') ||
    (a.step ?? -1) - (b.step ?? -1) ||
    compareText(JSON.stringify(a.attributes), JSON.stringify(b.attributes))
  );
}

export function fits({ finding, fact }: Item, where: Filter): boolean {
  const attributes = finding?.attributes ?? fact?.attributes ?? {};
  return Object.entries(where).every(([name, wanted]) => {
    const value =
      finding !== undefined && (name === 'message' || name === 'severity' || name === 'confidence')
        ? finding[name]
        : attributes[name];
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    const allowed: readonly unknown[] = Array.isArray(wanted) ? wanted : [wanted];
    return values.some((one) => allowed.includes(one));
  });
}
