import { type Finding, SEVERITIES, severityRank } from '#lib/scanner/engine/finding.ts';
import type { Category, Fix, Severity } from '#lib/scanner/engine/rule.ts';
import { beginsLine, type TextEdit } from '#lib/workflow/edits/edit.ts';

export interface Candidate {
  readonly fix: Fix;
  readonly findings: readonly [Finding, ...Finding[]];
  readonly category: Category;
}

export interface Failure {
  readonly refusal: string;
  readonly ofEach: boolean;
  readonly brings?: string;
}

/** Insertions at one place have no order; lines may still be inserted after an edited line end. */
export function collide(a: TextEdit, b: TextEdit): boolean {
  if (beginsLine(a) !== beginsLine(b)) {
    const [lines, other] = beginsLine(a) ? [a, b] : [b, a];
    if (other.span.end === lines.span.start && !/[\r\n]$/.test(other.text)) return false;
  }
  return a.span.start <= b.span.end && b.span.start <= a.span.end;
}

const MAX_GROUPS = 8;

export function groupsOf(candidates: readonly Candidate[]): Candidate[][] | undefined {
  const rules = groupBy(candidates, ({ findings }) => findings[0].ruleId);
  if (rules.length > 1) return rules;
  const things = groupBy(candidates, ({ findings }) => findings[0].description);
  return things.length > 1 && things.length <= MAX_GROUPS ? things : undefined;
}

export function halvesOf(candidates: readonly Candidate[]): Candidate[][] {
  const middle = Math.ceil(candidates.length / 2);
  return [candidates.slice(0, middle), candidates.slice(middle)];
}

function groupBy(candidates: readonly Candidate[], keyFor: (candidate: Candidate) => string): Candidate[][] {
  const groups = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const key = keyFor(candidate);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [candidate]);
    else group.push(candidate);
  }
  return [...groups.values()];
}

/** Counts findings, since edits move what identifies them. */
export function whyWorse(
  before: readonly Finding[],
  after: readonly Finding[],
  candidates: readonly Candidate[],
): Failure | undefined {
  const fixed = candidates.flatMap(({ findings }) => findings);
  const countFixed = countByRule(fixed);
  const counts = { before: countByRule(before), after: countByRule(after) };
  for (const [ruleId, count] of countFixed) {
    const [had, has] = [counts.before.get(ruleId) ?? 0, counts.after.get(ruleId) ?? 0];
    if (has > had - count) return { refusal: 'It would not resolve the finding.', ofEach: has >= had };
  }
  const limit = leastSerious(candidates);
  for (const severity of SEVERITIES.slice(0, limit + 1)) {
    const [older, newer] = [countByRule(atLeast(before, severity)), countByRule(atLeast(after, severity))];
    for (const [ruleId, count] of newer) {
      const more = count - (older.get(ruleId) ?? 0);
      if (more <= 0) continue;
      return { refusal: `It would cause a finding of ${ruleId}.`, ofEach: more >= candidates.length, brings: ruleId };
    }
  }
  return undefined;
}

/** In files without fixes, findings may only disappear. */
export function whyWorseElsewhere(
  before: readonly Finding[],
  after: readonly Finding[],
  candidates: readonly Candidate[],
): Failure | undefined {
  for (const severity of SEVERITIES.slice(0, leastSerious(candidates) + 1)) {
    const [older, newer] = [before, after].map((findings) => countInFiles(atLeast(findings, severity))) as [
      Counts,
      Counts,
    ];
    for (const [place, { ruleId, file, count }] of newer) {
      if (count <= (older.get(place)?.count ?? 0)) continue;
      return { refusal: `It would cause a finding of ${ruleId} in ${file}.`, ofEach: false, brings: ruleId };
    }
  }
  return undefined;
}

type Counts = Map<string, { readonly ruleId: string; readonly file: string | null; count: number }>;

function countInFiles(findings: readonly Finding[]): Counts {
  const counts: Counts = new Map();
  for (const { ruleId, file } of findings) {
    const known = counts.get(`${ruleId} ${file}`);
    if (known === undefined) counts.set(`${ruleId} ${file}`, { ruleId, file, count: 1 });
    else known.count += 1;
  }
  return counts;
}

function leastSerious(candidates: readonly Candidate[]): number {
  return Math.max(...candidates.flatMap(({ findings }) => findings.map(({ severity }) => severityRank(severity))));
}

function atLeast(findings: readonly Finding[], severity: Severity): Finding[] {
  return findings.filter((finding) => severityRank(finding.severity) <= severityRank(severity));
}

function countByRule(findings: readonly Finding[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { ruleId } of findings) counts.set(ruleId, (counts.get(ruleId) ?? 0) + 1);
  return counts;
}
