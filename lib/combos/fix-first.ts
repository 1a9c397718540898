import { severityRank } from '#lib/scanner/engine/finding.ts';
import type { Severity } from '#lib/scanner/engine/rule.ts';
import { compareText } from '#lib/workflow/text/compare-text.ts';
import { type AttackPath, comboSeverityRank } from './match.ts';

interface Fixable {
  readonly fingerprint: string;
  readonly severity: Severity;
  readonly file: string | null;
  readonly line: number | null;
}

export interface PathsOfRepository<Finding extends Fixable, Id = unknown> {
  readonly id: Id;
  readonly name: string;
  readonly paths: readonly Pick<AttackPath, 'severity' | 'cuts'>[];
  readonly findings: ReadonlyMap<string, Finding>;
}

export interface FirstFix<Finding extends Fixable, Id> {
  readonly repository: Id;
  readonly finding: Finding;
  /** Number of paths that end if this finding alone is fixed; 0 if others have to be fixed with it. */
  readonly breaks: number;
}

/**
 * Returns findings whose fixes together end every path that fixes can end, most useful first. Each step takes the fewest
 * findings that end a path, and among as few those that end most: no as short list in its place ends more.
 */
export function fixFirst<Finding extends Fixable, Id>(
  repositories: readonly PathsOfRepository<Finding, Id>[],
): FirstFix<Finding, Id>[] {
  // Findings of one repository never end paths of another, so the next step is the best of their next steps.
  const queues = repositories.map((repository) => ({ id: repository.id, steps: stepsOf(repository), next: 0 }));
  const fixes: FirstFix<Finding, Id>[] = [];
  for (;;) {
    let best: { readonly queue: (typeof queues)[number]; readonly step: Step<Finding> } | undefined;
    for (const queue of queues) {
      const step = queue.steps[queue.next];
      if (step !== undefined && (best === undefined || compareSteps(step, best.step) < 0)) best = { queue, step };
    }
    if (best === undefined) return fixes;
    const { queue, step } = best;
    queue.next += 1;
    for (const finding of step.findings) {
      fixes.push({ repository: queue.id, finding, breaks: step.alone.get(finding.fingerprint) ?? 0 });
    }
  }
}

interface Step<Finding> {
  readonly name: string;
  readonly findings: readonly Finding[];
  readonly ends: number;
  readonly worst: number;
  readonly alone: ReadonlyMap<string, number>;
}

function compareSteps<Finding extends Fixable>(a: Step<Finding>, b: Step<Finding>): number {
  const pairs = a.findings.map((finding, index) => [finding, b.findings[index] as Finding] as const);
  return (
    a.findings.length - b.findings.length ||
    b.ends - a.ends ||
    a.worst - b.worst ||
    firstDifference(pairs, ([one, other]) => severityRank(one.severity) - severityRank(other.severity)) ||
    compareText(a.name, b.name) ||
    firstDifference(pairs, ([one, other]) => comparePlaces(one, other))
  );
}

function firstDifference<Item>(items: readonly Item[], compare: (item: Item) => number): number {
  for (const item of items) {
    const difference = compare(item);
    if (difference !== 0) return difference;
  }
  return 0;
}

function comparePlaces(a: Fixable, b: Fixable): number {
  return (
    compareText(a.file ?? '', b.file ?? '') ||
    (a.line ?? 0) - (b.line ?? 0) ||
    compareText(a.fingerprint, b.fingerprint)
  );
}

function stepsOf<Finding extends Fixable>({ name, paths, findings }: PathsOfRepository<Finding>): Step<Finding>[] {
  const groups = new Groups<Finding>();
  for (const [index, { cuts }] of paths.entries()) {
    for (const cut of cuts) {
      const known = [...new Set(cut)].map((fingerprint) => findings.get(fingerprint));
      if (known.every((finding) => finding !== undefined)) groups.add(known, [index]);
    }
  }
  const alone = new Map(
    [...groups.all()].flatMap(({ findings: [only, ...rest], paths: ends }) =>
      only !== undefined && rest.length === 0 ? [[only.fingerprint, ends.size] as const] : [],
    ),
  );
  const steps: Step<Finding>[] = [];
  for (;;) {
    let best: Step<Finding> | undefined;
    for (const group of groups.all()) {
      const shorter = best === undefined ? 0 : group.findings.length - best.findings.length;
      if (shorter > 0 || (shorter === 0 && best !== undefined && group.paths.size < best.ends)) continue;
      const ranks = [...group.paths].map((path) => comboSeverityRank(paths[path]?.severity ?? 'MEDIUM'));
      const worst = ranks.reduce((a, b) => Math.min(a, b));
      const step = { name, findings: group.findings, ends: group.paths.size, worst, alone };
      if (best === undefined || compareSteps(step, best) < 0) best = step;
    }
    if (best === undefined) return steps;
    steps.push(best);
    groups.fix(best.findings);
  }
}

/** What is left to fix of a cut, and the paths that it would end. */
interface Group<Finding> {
  readonly findings: readonly Finding[];
  readonly paths: Set<number>;
}

class Groups<Finding extends Fixable> {
  readonly #groups = new Map<string, Group<Finding>>();
  readonly #byFinding = new Map<Finding, Set<string>>();
  readonly #byPath = new Map<number, Set<string>>();

  all(): Iterable<Group<Finding>> {
    return this.#groups.values();
  }

  add(findings: readonly Finding[], paths: Iterable<number>): void {
    const sorted = [...findings].sort(
      (a, b) => severityRank(a.severity) - severityRank(b.severity) || comparePlaces(a, b),
    );
    const key = sorted.map(({ fingerprint }) => fingerprint).join(' ');
    let group = this.#groups.get(key);
    if (group === undefined) {
      this.#groups.set(key, (group = { findings: sorted, paths: new Set() }));
      for (const finding of sorted) put(this.#byFinding, finding, key);
    }
    for (const path of paths) {
      group.paths.add(path);
      put(this.#byPath, path, key);
    }
  }

  fix(fixed: readonly Finding[]): void {
    const gone = new Set(fixed);
    const touched = new Set(fixed.flatMap((finding) => [...(this.#byFinding.get(finding) ?? [])]));
    for (const key of touched) {
      const { findings = [], paths = [] } = this.#groups.get(key) ?? {};
      if (findings.every((finding) => gone.has(finding))) for (const path of [...paths]) this.#end(path);
    }
    for (const key of touched) {
      const group = this.#groups.get(key);
      this.#groups.delete(key);
      const left = group?.findings.filter((finding) => !gone.has(finding)) ?? [];
      if (group !== undefined && left.length > 0) this.add(left, group.paths);
    }
  }

  #end(path: number): void {
    for (const key of this.#byPath.get(path) ?? []) {
      const group = this.#groups.get(key);
      group?.paths.delete(path);
      if (group?.paths.size === 0) this.#groups.delete(key);
    }
  }
}

function put<Key>(map: Map<Key, Set<string>>, key: Key, value: string): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, new Set([value]));
  else values.add(value);
}
