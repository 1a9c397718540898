import { type Finding, severityRank } from './finding.ts';
import type { Report, Rule } from './rule.ts';

export interface Judged {
  readonly rule: Rule;
  readonly report: Report;
  readonly finding: Finding;
  readonly suppressed: boolean;
}

const SAME_FACT_MOST_TELLING_FIRST: readonly string[] = [
  'untrusted-checkout-exec',
  'untrusted-checkout-toctou',
  'missing-trigger-authorization',
  'improper-access-control',
  'unsafe-pr-checkout-opt-in',
  'untrusted-checkout',
  'artifact-poisoning',
  'template-injection',
  'ai-prompt-injection',
  'ai-agent-excessive-tools',
  'ai-agent-unrestricted-trigger',
  'self-repository',
  'dangerous-triggers',
];

const WORDS_BESIDE_STRONGER: Readonly<Record<string, string>> = {
  'missing-trigger-authorization': 'nothing checks who wrote the comment',
  'improper-access-control': 'this check can be passed by outsiders',
  'unsafe-pr-checkout-opt-in': 'the guard against fork code is off here',
  'untrusted-checkout': 'the fork’s code is checked out here',
  'untrusted-checkout-toctou': 'the code can change after it was approved',
  'dangerous-triggers': 'this job holds privileges and outsiders start it',
  'self-repository': 'a local action is loaded from the checkout here',
};

/**
 * Marks what a default scan leaves out: opinionated rules, repetitions in one file, places that aliases of YAML bring to
 * several jobs, except in the job where they weigh most, and findings whose facts stronger ones report already. What is
 * shown instead has the places of repetitions and facts.
 */
export function assignPersonas(all: readonly Judged[]): Finding[] {
  const marked = new Set(all.filter(isOpinion));
  const repeated = markRepetitions(all, marked);
  markAliases(all, marked);
  const steps = markTold(all, marked);
  return all.map((each) => {
    const told = [...(repeated.get(each) ?? []), ...(steps.get(each) ?? [])];
    const { finding } = each;
    if (marked.has(each)) return { ...finding, pedantic: true };
    return told.length === 0 ? finding : withSteps(finding, told);
  });
}

function withSteps(finding: Finding, told: NonNullable<Finding['related']>): Finding {
  const own = finding.related ?? [];
  const places = new Set(own.map(({ file, line, column }) => `${file} ${line} ${column}`));
  return {
    ...finding,
    related: [...own, ...told.filter((step) => !places.has(`${step.file} ${step.line} ${step.column}`))],
  };
}

function isOpinion({ rule, report }: Judged): boolean {
  const { pedantic } = rule.meta;
  return report.pedantic === true || pedantic === true || (pedantic?.includes(report.message) ?? false);
}

const MAX_REPETITIONS = 10;

function markRepetitions(all: readonly Judged[], marked: Set<Judged>): Steps {
  const groups = new Map<string, Judged[]>();
  for (const each of all) {
    const { report, finding } = each;
    if (report.once === undefined || each.suppressed || marked.has(each)) continue;
    const key = `${finding.ruleId}\n${finding.file ?? ''}\n${report.once}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  const steps: Steps = new Map();
  for (const [first, ...more] of groups.values()) {
    let shown = first as Judged;
    for (const each of more) {
      if (severityRank(each.finding.severity) < severityRank(shown.finding.severity)) shown = each;
    }
    const others = [first as Judged, ...more].filter((each) => each !== shown);
    for (const each of others) marked.add(each);
    const places = others.slice(0, MAX_REPETITIONS).flatMap(({ finding }) => stepOf(finding, 'the same again') ?? []);
    steps.set(shown, places);
  }
  return steps;
}

function markAliases(all: readonly Judged[], marked: Set<Judged>): void {
  const first = new Map<string, Judged>();
  for (const each of all) {
    const { ruleId, file, line, column, endLine, endColumn, description, job, severity } = each.finding;
    if (job === undefined || each.suppressed || marked.has(each)) continue;
    const key = [ruleId, file, line, column, endLine, endColumn, description].join('\n');
    const before = first.get(key);
    if (before?.finding.job === job) continue;
    const weaker = before !== undefined && severityRank(before.finding.severity) <= severityRank(severity);
    if (before !== undefined) marked.add(weaker ? each : before);
    if (!weaker) first.set(key, each);
  }
}

type Steps = Map<Judged, NonNullable<Finding['related']>>;

function markTold(all: readonly Judged[], marked: Set<Judged>): Steps {
  const factual = all
    .filter((each) => each.report.facts !== undefined && !each.suppressed && !marked.has(each))
    .sort(byStrength);
  const tellers = new Map<string, Judged>();
  const steps: Steps = new Map();
  for (const each of factual) {
    const { finding, report } = each;
    const keys = (report.facts ?? []).map((fact) => `${finding.file ?? ''}\n${fact}`);
    const told = keys.map((key) => tellers.get(key));
    const [teller] = told;
    if (teller !== undefined && !told.includes(undefined)) {
      marked.add(each);
      const place = stepOf(finding, WORDS_BESIDE_STRONGER[finding.ruleId] ?? finding.title);
      if (place !== undefined) steps.set(teller, [...(steps.get(teller) ?? []), place]);
      continue;
    }
    for (const key of keys) if (!tellers.has(key)) tellers.set(key, each);
  }
  return steps;
}

function byStrength(a: Judged, b: Judged): number {
  return (
    severityRank(a.finding.severity) - severityRank(b.finding.severity) ||
    SAME_FACT_MOST_TELLING_FIRST.indexOf(a.finding.ruleId) - SAME_FACT_MOST_TELLING_FIRST.indexOf(b.finding.ruleId)
  );
}

function stepOf(
  { file, line, column, endLine, endColumn, snippet }: Finding,
  note: string,
): NonNullable<Finding['related']>[0] | undefined {
  if (file === null || line === null || column === null) return undefined;
  return {
    file,
    line,
    column,
    endLine: endLine ?? line,
    endColumn: endColumn ?? column,
    note,
    snippet,
  };
}
