import type { Judgement, Verdict } from '#lib/changes/judge.ts';
import type { Policy } from '#lib/changes/policy.ts';
import { fixFirst } from '#lib/combos/fix-first.ts';
import type { AttackPath } from '#lib/combos/match.ts';
import { comparePaths } from '#lib/combos/match.ts';
import { compareFindings, countBySeverity, type Finding, severityRank } from '#lib/scanner/engine/finding.ts';
import type { Severity } from '#lib/scanner/engine/rule.ts';
import type { NotAssessed } from '#lib/scanner/engine/scan.ts';
import { pathSection } from './markdown.ts';
import { codeSpan, escapeForeign, escapeProse, escapeText } from './markdown-text.ts';
import { countsText, plural } from './summary.ts';
import { oneLine } from './visible.ts';

const MAX_ANNOTATIONS = 500;
const MAX_DRAWN_PATHS = 3;
const MAX_NAMED_PATHS = 20;
const MAX_ROWS = 50;
const MAX_PROBLEMS = 20;
/** GitHub takes 65,535 bytes of a summary and 255 characters of a title. */
const MAX_SUMMARY = 60_000;
const MAX_TITLE = 200;
const MAX_MESSAGE = 4_000;

export interface CheckText {
  readonly title: string;
  readonly summary: string;
  readonly annotations: readonly Annotation[];
}

export interface Annotation {
  readonly path: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly start_column?: number;
  readonly end_column?: number;
  readonly annotation_level: 'notice' | 'warning' | 'failure';
  readonly title: string;
  readonly message: string;
}

export interface CheckedChange {
  readonly verdict: Verdict;
  readonly policies: readonly Policy[];
  readonly counted: Judgement['counted'];
  readonly added: { readonly findings: ReadonlySet<string>; readonly paths: ReadonlySet<AttackPath> };
  readonly listed: readonly Finding[];
  readonly problems: readonly { readonly file: string; readonly message: string }[];
  readonly notAssessed: readonly NotAssessed[];
}

const LEVELS: Readonly<Record<Severity, Annotation['annotation_level']>> = {
  HIGH: 'failure',
  MEDIUM: 'warning',
  LOW: 'notice',
  INFO: 'notice',
};

/** Describes a checked change. What is new comes first, the most severe before the others. */
export function describeCheck(change: CheckedChange): CheckText {
  const { counted, added, listed } = change;
  const findings = [...counted.findings].sort(
    (a, b) =>
      Number(added.findings.has(b.fingerprint)) - Number(added.findings.has(a.fingerprint)) ||
      severityRank(a.severity) - severityRank(b.severity) ||
      compareFindings(a, b),
  );
  const paths = [...counted.paths].sort(
    (a, b) => Number(added.paths.has(b)) - Number(added.paths.has(a)) || comparePaths(a, b),
  );
  const fresh = findings.filter(({ fingerprint }) => added.findings.has(fingerprint));
  const old = findings.filter(({ fingerprint }) => !added.findings.has(fingerprint));
  const freshPaths = paths.filter((path) => added.paths.has(path));
  const lines = [
    ...outcome(change, fresh, freshPaths.length, old.length),
    ...drawn(paths, listed),
    ...firstFix(freshPaths.length > 0 ? freshPaths : paths, listed),
    ...table('New findings', fresh),
    ...table('Findings that were there', old),
    ...unlisted(change),
    ...problems(change),
    ...notChecked(change),
  ];
  return {
    title: cut(titleOf(change, fresh, freshPaths.length, old.length), MAX_TITLE),
    summary: fitting(lines),
    annotations: findings.flatMap((finding) => annotationOf(finding, added.findings)).slice(0, MAX_ANNOTATIONS),
  };
}

function titleOf({ problems: open }: CheckedChange, fresh: readonly Finding[], paths: number, old: number): string {
  const parts = [
    ...(paths > 0 ? [plural(paths, 'new attack path')] : []),
    ...(fresh.length > 0 ? [`${plural(fresh.length, 'new finding')} (${countsText(countBySeverity(fresh))})`] : []),
    ...(old > 0 ? [`${plural(old, 'finding')} from before`] : []),
    ...(open.length > 0 ? [`${plural(open.length, 'file')} not checked`] : []),
  ];
  return parts.length === 0 ? 'Nothing new' : parts.join(', ');
}

function outcome(
  { verdict, policies }: CheckedChange,
  fresh: readonly Finding[],
  paths: number,
  old: number,
): string[] {
  const parts = [
    ...(paths > 0 ? [plural(paths, 'attack path')] : []),
    ...(fresh.length > 0 ? [plural(fresh.length, 'finding')] : []),
  ];
  const adds =
    parts.length === 0 ? 'This pull request adds no finding.' : `This pull request adds ${parts.join(' and ')}.`;
  const before =
    old === 0 ? '' : ` ${plural(old, 'finding')} of the base branch ${old === 1 ? 'is' : 'are'} still there.`;
  const [policy] = policies;
  const isOne = policies.every(({ failOn, newOnly }) => failOn === policy?.failOn && newOnly === policy.newOnly);
  return [
    `**${adds}**${before} ${isOne && policy !== undefined ? rule(policy) : 'The strictest policy decides.'}`,
    '',
  ].concat(verdict === 'clean' ? [] : ['Comments that a pull request adds suppress nothing here.', '']);
}

function rule({ failOn, newOnly }: Policy): string {
  if (failOn === 'never') return 'The policy never fails a check.';
  const what = newOnly ? 'what a pull request adds' : 'everything that is there';
  const from = failOn === 'critical' ? 'critical attack paths' : `severity ${failOn} and above`;
  return `The check fails for ${from}, of ${what}.`;
}

function drawn(paths: readonly AttackPath[], listed: readonly Finding[]): string[] {
  const byId = new Map(listed.map((finding) => [finding.fingerprint, finding]));
  const lines = paths.slice(0, MAX_DRAWN_PATHS).flatMap((path) => {
    const findings = path.components.flatMap(({ fingerprint }) => byId.get(fingerprint) ?? []);
    return pathSection({ ...path, root: '.', findings: findings.map((finding) => ({ ...finding, root: '.' })) });
  });
  const others = paths.slice(MAX_DRAWN_PATHS);
  if (others.length === 0) return lines;
  const named = others.slice(0, MAX_NAMED_PATHS).map(({ severity, comboId, title, file }) => {
    const at = file === null ? '' : ` (${codeSpan(file)})`;
    return `- ${severity} \`${comboId}\`: ${escapeText(title)}${at}`;
  });
  const more = others.length - named.length;
  return [...lines, '### More attack paths', '', ...named, ...(more > 0 ? [`- and ${more} more`] : []), ''];
}

function firstFix(paths: readonly AttackPath[], listed: readonly Finding[]): string[] {
  const findings = new Map(listed.map((finding) => [finding.fingerprint, finding]));
  const [first] = fixFirst([{ id: '', name: '', paths, findings }]);
  if (first === undefined) return [];
  const { finding, breaks } = first;
  const ends = breaks === 0 ? 'is needed to end them' : `ends ${plural(breaks, 'attack path')}`;
  const what = `Fixing \`${finding.ruleId}\` at ${placeOf(finding)} ${ends}.`;
  return ['### Fix first', '', `${what} ${escapeProse(finding.recommendation)}`, ''];
}

function table(title: string, findings: readonly Finding[]): string[] {
  if (findings.length === 0) return [];
  const rows = findings
    .slice(0, MAX_ROWS)
    .map(
      (finding) =>
        `| ${finding.severity} | \`${finding.ruleId}\` | ${placeOf(finding)} | ${escapeForeign(finding.description)} |`,
    );
  const more = findings.length - rows.length;
  const lines = [`### ${title}`, '', '| severity | rule | place | what |', '| --- | --- | --- | --- |', ...rows, ''];
  return more > 0 ? [...lines, `and ${more} more`, ''] : lines;
}

function placeOf({ file, line }: Finding): string {
  if (file === null) return 'the repository settings';
  return codeSpan(line === null ? file : `${file}:${line}`);
}

function unlisted({ counted: { omitted } }: CheckedChange): string[] {
  const count = omitted.reduce((sum, each) => sum + each.count, 0);
  if (count === 0) return [];
  const rules = [...new Set(omitted.map(({ ruleId }) => `\`${ruleId}\``))].slice(0, MAX_ROWS);
  return [`${plural(count, 'further finding')} of ${rules.join(', ')} ${count === 1 ? 'is' : 'are'} not listed.`, ''];
}

function problems({ problems: open }: CheckedChange): string[] {
  if (open.length === 0) return [];
  const lines = open.slice(0, MAX_PROBLEMS).map(({ file, message }) => `- ${codeSpan(file)} ${escapeForeign(message)}`);
  const more = open.length - lines.length;
  return ['### Not checked', '', ...lines, ...(more > 0 ? [`- and ${more} more`] : []), ''];
}

function notChecked({ notAssessed }: CheckedChange): string[] {
  const failed = notAssessed.filter(({ reason }) => reason === 'rule_error').length;
  const outside = notAssessed.filter(({ reason }) => reason === 'offline').length;
  return [
    ...(failed > 0 ? [`${plural(failed, 'rule')} failed.`, ''] : []),
    ...(outside > 0
      ? [
          `${plural(outside, 'rule')} about repository settings and other repositories ${outside === 1 ? 'is' : 'are'} left to scans of the default branch.`,
        ]
      : []),
  ];
}

function annotationOf(finding: Finding, added: ReadonlySet<string>): Annotation[] {
  const { file, line, column, endLine, endColumn, severity, ruleId, title, description, recommendation } = finding;
  if (file === null) return [];
  const start = line ?? 1;
  const end = Math.max(start, endLine ?? start);
  const within = start === end && column !== null && endColumn !== null && endColumn >= column;
  const before = added.has(finding.fingerprint) ? '' : ' (not new)';
  return [
    {
      path: file,
      start_line: start,
      end_line: end,
      ...(within ? { start_column: column, end_column: endColumn } : {}),
      annotation_level: LEVELS[severity],
      title: cut(`${ruleId}: ${oneLine(title)}${before}`, MAX_TITLE),
      message: cut(`${oneLine(description)}\n\n${oneLine(recommendation)}`, MAX_MESSAGE),
    },
  ];
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}

function fitting(lines: readonly string[]): string {
  let left = MAX_SUMMARY;
  const kept: string[] = [];
  for (const line of lines) {
    left -= Buffer.byteLength(line) + 1;
    if (left < 0) return [...kept, '…'].join('\n');
    kept.push(line);
  }
  return kept.join('\n').trimEnd();
}
