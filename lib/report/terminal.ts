import { createColors } from 'picocolors';
import { COMBO_SEVERITIES } from '#lib/combos/combo.ts';
import { countBySeverity, type Finding, SEVERITIES } from '#lib/scanner/engine/finding.ts';
import type { Severity } from '#lib/scanner/engine/rule.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { type Colors, frame, gutterOf } from './frame.ts';
import { hyperlink, type Links, ruleUrl } from './links.ts';
import type { PathsReport } from './paths-report.ts';
import { pathsSection } from './paths-text.ts';
import { pathOf, REASONS, type Report, type Rooted } from './report.ts';
import { byRule, fixableCounts, type RuleGroup } from './rule-groups.ts';
import { withoutCommands } from './runner-commands.ts';
import { ceilingText, levelName, placesOf, SLSA_NOTE, STANDINGS, slsaTitle } from './slsa.ts';
import { countsText, plural, summaryLine } from './summary.ts';
import type { TerminalOptions } from './terminal-options.ts';
import { oneLine } from './visible.ts';
import { wrap } from './wrap.ts';

interface Drawing {
  readonly columns: number;
  readonly colors: Colors;
  readonly links: Links;
  readonly verbose: boolean;
}

const MAX_NAMED_RULES = 6;
const SHOWN_PLACES: Readonly<Record<Severity, number>> = { HIGH: 10, MEDIUM: 5, LOW: 2, INFO: 1 };
const FOLDED_PLACES = 3;
const SHOWN_DIAGNOSTICS = 10;

/**
 * Formats a report for people: counts and attack paths, then HIGH and MEDIUM in full, LOW as one line a rule, INFO as a
 * number, and a summary by rule. Verbose shows everything in full.
 */
export function toTerminal(report: Report, options: TerminalOptions, paths?: PathsReport): string {
  const { color, width, verbose, links = 'none', listInfo = false } = options;
  const colors = createColors(color);
  const drawing = { columns: Math.max(40, Math.min(width, 120)), colors, links, verbose };
  const listed = verbose || listInfo ? report.findings : report.findings.filter(({ severity }) => severity !== 'INFO');
  const groups = byRule(listed, paths);
  const isFull = ({ severity }: RuleGroup): boolean => verbose || severity === 'HIGH' || severity === 'MEDIUM';
  const full = groups.filter(isFull);
  const folded = groups.filter((group) => !isFull(group));
  const lines = [
    ...countsTable(report, paths, colors),
    ...(paths === undefined
      ? []
      : pathsSection(paths, options, report.base !== undefined || report.inBaseline !== undefined)),
    ...full.flatMap((group) => [...ruleSection(group, drawing), '']),
    ...foldedSection(folded, report.findings.length - listed.length, drawing),
    ...problems(report, verbose, drawing.columns, colors),
  ];
  for (const assessment of report.slsa) lines.push(...slsaSection(assessment, drawing.columns, colors));
  lines.push(...byRuleTable(groups, drawing));
  const worst = report.counts.HIGH > 0 ? colors.red : report.counts.MEDIUM > 0 ? colors.yellow : colors.green;
  lines.push(colors.bold(worst(summaryLine(report))), ...whatNext(report, groups, drawing));
  return `${withoutCommands(lines.join('\n'))}\n`;
}

function countsTable({ counts, findings }: Report, paths: PathsReport | undefined, colors: Colors): string[] {
  if (findings.length === 0 && (paths?.paths.length ?? 0) === 0) return [];
  const names = ['CRITICAL', ...SEVERITIES] as const;
  const row = (label: string, cells: readonly string[]): string =>
    `${label.padEnd(14)}${cells.map((cell, index) => cell.padStart((names[index] ?? '').length + 2)).join('')}`;
  const paint = (line: string): string =>
    line.replace(/ (0|\u00b7)(?= |$)/g, (_, cell: string) => ` ${colors.dim(cell)}`);
  const lines = [
    colors.dim(
      row(
        '',
        names.map((name) => name.toLowerCase()),
      ),
    ),
  ];
  if (paths !== undefined) {
    const count = (name: string): string =>
      COMBO_SEVERITIES.some((each) => each === name)
        ? String(paths.paths.filter(({ severity }) => severity === name).length)
        : '·';
    lines.push(paint(row('attack paths', names.map(count))));
  }
  lines.push(
    paint(
      row(
        'findings',
        names.map((name) => (name === 'CRITICAL' ? '·' : String(counts[name]))),
      ),
    ),
    '',
  );
  return lines;
}

function shownOf(findings: readonly Rooted<Finding>[], verbose: boolean): readonly Rooted<Finding>[] {
  if (verbose) return findings;
  const left = { ...SHOWN_PLACES };
  return findings.filter(({ severity }) => {
    left[severity] -= 1;
    return left[severity] >= 0;
  });
}

function ruleSection({ ruleId, title, severity, findings }: RuleGroup, drawing: Drawing): string[] {
  const { columns, colors, links, verbose } = drawing;
  const paint = painter(severity, colors);
  const id = hyperlink(colors.bold(ruleId), ruleUrl(ruleId), links);
  const lines = [`${paint(colors.bold(` ${severity} `))} ${id}  ${title}`];
  const shown = shownOf(findings, verbose);
  const gutter = gutterOf(shown);
  for (const finding of shown)
    lines.push(...frame(finding, { gutter, columns, colors, remarks: remarks(finding, colors) }));
  if (findings.length > shown.length) {
    const rest = countsText(countBySeverity(findings.filter((finding) => !shown.includes(finding))));
    lines.push(colors.dim(`   … and ${plural(findings.length - shown.length, 'more place')} (${rest})`));
  }
  const meta = rules.find(({ id: known }) => known === ruleId)?.meta;
  if (meta !== undefined) {
    lines.push(...note('why', meta.why, columns, colors));
    lines.push(...note('attack', meta.attack, columns, colors));
    lines.push(...note('fix', meta.recommendation, columns, colors));
    if (links === 'url') lines.push(`   ${colors.cyan('=')} ${colors.bold('more   ')} ${ruleUrl(ruleId)}`);
  }
  return lines;
}

function remarks(finding: Rooted<Finding>, colors: Colors): string {
  const confidence = finding.confidence === 'low' ? colors.dim(' (low confidence)') : '';
  const fix = fixOf(finding);
  return `${colors.dim(finding.severity)}${confidence}${fix === '' ? '' : colors.green(` [${fix}]`)}`;
}

function fixOf({ fix, fixable }: Finding): string {
  if (!fixable) return '';
  return fix?.safety === 'review' ? 'fix --unsafe' : 'fix';
}

function painter(severity: Severity, colors: Colors): (text: string) => string {
  switch (severity) {
    case 'HIGH':
      return (text) => colors.bgRed(colors.white(text));
    case 'MEDIUM':
      return (text) => colors.bgYellow(colors.black(text));
    case 'LOW':
      return (text) => colors.bgBlue(colors.white(text));
    case 'INFO':
      return (text) => colors.inverse(text);
  }
}

function note(label: string, text: string, columns: number, colors: Colors): string[] {
  return wrap(text, columns - 13).map((line, index) =>
    index === 0 ? `   ${colors.cyan('=')} ${colors.bold(label.padEnd(7))} ${line}` : `     ${' '.repeat(7)} ${line}`,
  );
}

function foldedSection(folded: readonly RuleGroup[], info: number, drawing: Drawing): string[] {
  const { colors, links } = drawing;
  const lines: string[] = [];
  for (const severity of ['LOW', 'INFO'] as const) {
    const own = folded.filter((group) => group.severity === severity);
    if (own.length > 0) lines.push(painter(severity, colors)(colors.bold(` ${severity} `)));
    const width = Math.max(0, ...own.map(({ ruleId }) => ruleId.length));
    for (const { ruleId, findings } of own) {
      const places = findings
        .slice(0, FOLDED_PLACES)
        .map((finding) => oneLine(pathOf(finding)) + (finding.line === null ? '' : `:${finding.line}`));
      const more = findings.length > places.length ? `, … and ${findings.length - places.length} more` : '';
      const id = hyperlink(ruleId, ruleUrl(ruleId), links) + ' '.repeat(width - ruleId.length);
      lines.push(`   ${id}  ${colors.dim(`${places.join(', ')}${more}`)}`);
    }
    if (own.length > 0) lines.push('');
  }
  if (info > 0) {
    const how = colors.dim('(--min-severity info lists them)');
    lines.push(`${painter('INFO', colors)(colors.bold(' INFO '))} ${plural(info, 'finding')} ${how}`, '');
  }
  return lines;
}

function byRuleTable(groups: readonly RuleGroup[], { columns, colors, links }: Drawing): string[] {
  if (groups.length < 2) return [];
  const width = Math.max(...groups.map(({ ruleId }) => ruleId.length));
  const rows = groups.map(({ ruleId, severity, findings, title }) => {
    const { safe, review } = fixableCounts(findings);
    const fixes = safe + review === 0 ? '' : `${safe + review} fixable`;
    const paint = severity === 'HIGH' ? colors.red : severity === 'MEDIUM' ? colors.yellow : colors.dim;
    const id = hyperlink(ruleId, ruleUrl(ruleId), links) + ' '.repeat(width - ruleId.length);
    const room = columns - width - 32;
    const text = room < 20 ? '' : title.length > room ? `${title.slice(0, room - 1)}…` : title;
    const count = String(findings.length).padStart(4);
    return `   ${paint(severity.padEnd(6))}  ${id} ${count}  ${colors.green(fixes.padEnd(12))} ${colors.dim(text)}`.trimEnd();
  });
  return [colors.bold('By rule'), ...rows, ''];
}

function whatNext(report: Report, groups: readonly RuleGroup[], { colors, verbose }: Drawing): string[] {
  const lines: string[] = [];
  const { safe, review } = fixableCounts(report.findings);
  if (safe + review > 0) {
    const first = safe > 0 ? `"chainbreak fix" changes ${safe}` : '';
    const more = review > 0 ? `"chainbreak fix --unsafe" ${safe > 0 ? `${review} more` : `changes ${review}`}` : '';
    lines.push(colors.dim(`${[first, more].filter((part) => part !== '').join(', ')}.`));
  }
  const isCut = ({ severity, findings }: RuleGroup): boolean =>
    severity === 'LOW' || severity === 'INFO' || shownOf(findings, false).length < findings.length;
  if (!verbose && groups.some(isCut)) {
    lines.push(colors.dim('--verbose shows every place; --min-severity hides lower severities.'));
  }
  return lines;
}

function slsaSection(assessment: Report['slsa'][number], columns: number, colors: Colors): string[] {
  const lines = [colors.bold(oneLine(slsaTitle(assessment)))];
  for (const { level, requirements } of assessment.levels) {
    for (const requirement of requirements) {
      const { standing, title, reason } = requirement;
      const paint = standing === 'refuted' ? colors.red : standing === 'supported' ? colors.green : colors.dim;
      const text = reason === null ? title : `${title}: ${reason}`;
      lines.push(`   ${levelName(level).padEnd(9)} ${paint(STANDINGS[standing].padEnd(14))} ${text}`);
      for (const place of placesOf(requirement, assessment.root))
        lines.push(colors.dim(`${' '.repeat(28)} ${oneLine(place)}`));
    }
  }
  for (const line of wrap(`${ceilingText(assessment)} ${SLSA_NOTE}`, columns - 3)) lines.push(`   ${line}`);
  return [...lines, ''];
}

function problems(report: Report, verbose: boolean, columns: number, colors: Colors): string[] {
  const lines: string[] = [];
  if (report.diagnostics.length > 0) {
    lines.push(colors.bold('Files with problems'));
    const limit = verbose ? Number.POSITIVE_INFINITY : SHOWN_DIAGNOSTICS;
    for (const entry of report.diagnostics.slice(0, limit)) {
      const at = entry.line === null ? '' : `:${entry.line}:${entry.column ?? 1}`;
      const paint = entry.severity === 'error' ? colors.red : colors.yellow;
      lines.push(`   ${paint(entry.severity)} ${oneLine(pathOf(entry))}${at} ${oneLine(entry.message)}`);
    }
    if (report.diagnostics.length > limit) lines.push(colors.dim(`   … and ${report.diagnostics.length - limit} more`));
    lines.push('');
  }
  if (report.suppressed.length > 0 && verbose) {
    lines.push(colors.bold('Suppressed'));
    for (const entry of report.suppressed) {
      const { finding, by, reason } = entry;
      const path = pathOf({ root: entry.root, file: finding.file });
      lines.push(
        `   ${finding.ruleId} ${oneLine(path)}:${finding.line ?? 1} by ${by}${reason === null ? '' : `: ${oneLine(reason.trim())}`}`,
      );
    }
    lines.push('');
  }
  if (report.notAssessed.length > 0) {
    const reasons = new Map<string, string[]>();
    for (const { ruleId, reason } of report.notAssessed) {
      reasons.set(REASONS[reason], [...(reasons.get(REASONS[reason]) ?? []), ruleId]);
    }
    for (const [reason, ids] of reasons) {
      const named =
        verbose || ids.length <= MAX_NAMED_RULES ? ids.join(', ') : `${ids.length} rules (--verbose lists them)`;
      for (const line of wrap(`Not assessed (${reason}): ${named}`, columns)) lines.push(colors.dim(line));
    }
    lines.push('');
  }
  return lines;
}
