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
 * Returns findings whose fixes together end every path that fixes can end, most useful first. Each step takes the
 * fewest findings that end a path, and among sets of that size the one that ends most paths.
 */
export function fixFirst<Finding extends Fixable, Id>(
  repositories: readonly PathsOfRepository<Finding, Id>[],
): FirstFix<Finding, Id>[] {
  // Findings of one repository never end paths of another, so the next step is the best of their next steps.
  const queues = repositories
    .flatMap((repository) => {
      const [step, ...rest] = stepsOf(repository);
      return step === undefined ? [] : [{ id: repository.id, step, rest: rest.values() }];
    })
    .sort((a, b) => compareSteps(b.step, a.step));
  const fixes: FirstFix<Finding, Id>[] = [];
  for (let queue = queues.pop(); queue !== undefined; queue = queues.pop()) {
    for (const finding of queue.step.findings) {
      fixes.push({ repository: queue.id, finding, breaks: queue.step.alone.get(finding.fingerprint) ?? 0 });
    }
    const step = queue.rest.next().value;
    if (step !== undefined) insert(queues, { ...queue, step });
  }
  return fixes;
}

function insert<Queue extends { readonly step: Step<Fixable> }>(queues: Queue[], queue: Queue): void {
  let [from, to] = [0, queues.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const other = queues[middle];
    if (other !== undefined && compareSteps(other.step, queue.step) > 0) from = middle + 1;
    else to = middle;
  }
  queues.splice(from, 0, queue);
}

interface Step<Finding> extends Group<Finding> {
  readonly name: string;
  readonly alone: ReadonlyMap<string, number>;
}

function compareSteps(a: Step<Fixable>, b: Step<Fixable>): number {
  const [first, other] = [a.findings[0] as Fixable, b.findings[0] as Fixable];
  return (
    a.findings.length - b.findings.length ||
    b.ends.size - a.ends.size ||
    a.worst - b.worst ||
    severityRank(first.severity) - severityRank(other.severity) ||
    compareText(a.name, b.name) ||
    comparePlaces(first, other)
  );
}

function comparePlaces(a: Fixable, b: Fixable): number {
  return (
    compareText(a.file ?? '', b.file ?? '') ||
    (a.line ?? 0) - (b.line ?? 0) ||
    compareText(a.fingerprint, b.fingerprint)
  );
}

function stepsOf<Finding extends Fixable>({ name, paths, findings }: PathsOfRepository<Finding>): Step<Finding>[] {
  const cover = new Cover(
    [...findings.values()].sort((a, b) => severityRank(a.severity) - severityRank(b.severity) || comparePlaces(a, b)),
    paths,
  );
  const alone = cover.alone();
  const steps: Step<Finding>[] = [];
  for (let group = cover.best(); group !== undefined; group = cover.best()) {
    steps.push({ ...group, name, alone });
    cover.fix(group.findings);
  }
  return steps;
}

interface Group<Finding> {
  readonly places: readonly number[];
  readonly findings: readonly Finding[];
  readonly ends: ReadonlySet<number>;
  readonly worst: number;
}

interface OpenGroup<Finding> extends Group<Finding> {
  readonly ends: Set<number>;
  worst: number;
}

function compareGroups(a: Group<Fixable>, b: Group<Fixable>): number {
  if (a.places.length !== b.places.length) return a.places.length - b.places.length;
  if (a.ends.size !== b.ends.size) return b.ends.size - a.ends.size;
  if (a.worst !== b.worst) return a.worst - b.worst;
  for (let index = 0; index < a.places.length; index += 1) {
    const difference = (a.places[index] ?? 0) - (b.places[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

class Cover<Finding extends Fixable> {
  readonly #findings: readonly Finding[];
  readonly #severities: readonly number[];
  readonly #groups = new Map<string, OpenGroup<Finding>>();
  readonly #byFinding: Set<string>[];
  readonly #byPath: Set<string>[];

  constructor(findings: readonly Finding[], paths: PathsOfRepository<Finding>['paths']) {
    this.#findings = findings;
    this.#severities = paths.map(({ severity }) => comboSeverityRank(severity));
    this.#byFinding = findings.map(() => new Set());
    this.#byPath = paths.map(() => new Set());
    const places = new Map(findings.map(({ fingerprint }, place) => [fingerprint, place]));
    for (const [path, { cuts }] of paths.entries()) {
      for (const cut of cuts) {
        const known = [...new Set(cut)].flatMap((fingerprint) => places.get(fingerprint) ?? []);
        if (known.length === new Set(cut).size)
          this.#add(
            known.sort((a, b) => a - b),
            [path],
          );
      }
    }
  }

  alone(): ReadonlyMap<string, number> {
    const single = [...this.#groups.values()].filter(({ places }) => places.length === 1);
    return new Map(
      single.flatMap(({ findings, ends }) => findings.map((one) => [one.fingerprint, ends.size] as const)),
    );
  }

  best(): Group<Finding> | undefined {
    let best: Group<Finding> | undefined;
    for (const group of this.#groups.values()) {
      if (best === undefined || compareGroups(group, best) < 0) best = group;
    }
    return best === undefined ? undefined : { ...best, ends: new Set(best.ends) };
  }

  fix(fixed: readonly Finding[]): void {
    const gone = new Set(fixed.map((finding) => this.#findings.indexOf(finding)));
    const touched = new Set([...gone].flatMap((place) => [...(this.#byFinding[place] ?? [])]));
    for (const key of touched) {
      const { places = [], ends = [] } = this.#groups.get(key) ?? {};
      if (places.every((place) => gone.has(place))) for (const path of [...ends]) this.#end(path);
    }
    for (const key of touched) {
      const group = this.#groups.get(key);
      this.#groups.delete(key);
      const left = group?.places.filter((place) => !gone.has(place)) ?? [];
      if (group !== undefined && left.length > 0) this.#add(left, group.ends);
    }
  }

  #add(places: readonly number[], paths: Iterable<number>): void {
    const key = places.join(' ');
    let group = this.#groups.get(key);
    if (group === undefined) {
      const findings = places.map((place) => this.#findings[place] as Finding);
      this.#groups.set(key, (group = { places, findings, ends: new Set(), worst: Number.POSITIVE_INFINITY }));
      for (const place of places) this.#byFinding[place]?.add(key);
    }
    for (const path of paths) {
      group.ends.add(path);
      group.worst = Math.min(group.worst, this.#severities[path] ?? 0);
      this.#byPath[path]?.add(key);
    }
  }

  #end(path: number): void {
    for (const key of this.#byPath[path] ?? []) {
      const group = this.#groups.get(key);
      if (group?.ends.delete(path) !== true) continue;
      if (group.ends.size === 0) this.#groups.delete(key);
      else group.worst = [...group.ends].reduce((worst, end) => Math.min(worst, this.#severities[end] ?? 0), Infinity);
    }
  }
}
