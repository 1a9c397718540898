import { createColors } from 'picocolors';
import { countBySeverity, type Finding } from '#lib/scanner/engine/finding.ts';
import type { Severity } from '#lib/scanner/engine/rule.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { byRule } from './markdown.ts';
import { pathOf, REASONS, type Report, type Rooted } from './report.ts';
import { withoutCommands } from './runner-commands.ts';
import { ceilingText, levelName, placesOf, SLSA_NOTE, STANDINGS, slsaTitle } from './slsa.ts';
import { countsText, plural, summaryLine } from './summary.ts';
import { oneLine, visible } from './visible.ts';

export interface TerminalOptions {
  readonly color: boolean;
  readonly width: number;
  readonly verbose: boolean;
}

const MAX_NAMED_RULES = 6;
const SHOWN_PLACES: Readonly<Record<Severity, number>> = { HIGH: 10, MEDIUM: 5, LOW: 2, INFO: 1 };
const SHOWN_DIAGNOSTICS = 10;
const MAX_LINE = 400;

type Colors = ReturnType<typeof createColors>;

export function toTerminal(
  report: Report,
  { color, width, verbose }: TerminalOptions,
  paths: readonly string[] = [],
): string {
  const colors = createColors(color);
  const columns = Math.max(40, Math.min(width, 120));
  const lines: string[] = [];
  const groups = byRule(report.findings);
  for (const [ruleId, findings] of groups) {
    lines.push(...ruleSection(ruleId, findings, verbose, columns, colors), '');
  }
  lines.push(...problems(report, verbose, columns, colors));
  for (const assessment of report.slsa) lines.push(...slsaSection(assessment, columns, colors));
  lines.push(...paths);
  const worst = report.counts.HIGH > 0 ? colors.red : report.counts.MEDIUM > 0 ? colors.yellow : colors.green;
  lines.push(colors.bold(worst(summaryLine(report))));
  if (!verbose && groups.some(([, findings]) => shownOf(findings, false).length < findings.length)) {
    lines.push(colors.dim('--verbose shows every place; --min-severity hides lower severities.'));
  }
  return `${withoutCommands(lines.join('\n'))}\n`;
}

function shownOf(findings: readonly Rooted<Finding>[], verbose: boolean): readonly Rooted<Finding>[] {
  if (verbose) return findings;
  const left = { ...SHOWN_PLACES };
  return findings.filter(({ severity }) => {
    left[severity] -= 1;
    return left[severity] >= 0;
  });
}

function ruleSection(
  ruleId: string,
  findings: readonly Rooted<Finding>[],
  verbose: boolean,
  columns: number,
  colors: Colors,
): string[] {
  const first = findings[0] as Rooted<Finding>;
  const paint = painter(first.severity, colors);
  const lines = [`${paint(colors.bold(` ${first.severity} `))} ${colors.bold(ruleId)}  ${first.title}`];
  const shown = shownOf(findings, verbose);
  const gutter = Math.max(...shown.map((finding) => String((finding.endLine ?? 0) + 1).length));
  for (const finding of shown) lines.push(...place(finding, gutter, columns, colors, verbose));
  if (findings.length > shown.length) {
    const rest = countsText(countBySeverity(findings.filter((finding) => !shown.includes(finding))));
    lines.push(colors.dim(`   … and ${plural(findings.length - shown.length, 'more place')} (${rest})`));
  }
  const meta = rules.find(({ id }) => id === ruleId)?.meta;
  if (meta !== undefined) {
    lines.push(...note('why', meta.why, columns, colors));
    lines.push(...note('attack', meta.attack, columns, colors));
    lines.push(...note('fix', meta.recommendation, columns, colors));
  }
  return lines;
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

function place(finding: Rooted<Finding>, gutter: number, columns: number, colors: Colors, verbose: boolean): string[] {
  const at = finding.line === null ? '' : `:${finding.line}:${finding.column ?? 1}`;
  const pad = ' '.repeat(gutter + 2);
  const grade = finding.confidence === 'low' ? colors.dim(' (low confidence)') : '';
  const lines = [
    `${pad} ${colors.cyan('╭─')} ${colors.bold(oneLine(pathOf(finding)) + at)} ${colors.dim(finding.severity)}${grade}`,
    ...snippet(finding, gutter, columns, colors),
  ];
  for (const line of wrap(oneLine(finding.description), columns - gutter - 5)) {
    lines.push(`${pad} ${colors.cyan('│')} ${line}`);
  }
  for (const { file, line, note } of verbose ? (finding.related ?? []) : []) {
    lines.push(
      `${pad} ${colors.cyan('│')} ${colors.dim(`${oneLine(pathOf({ root: finding.root, file }))}:${line} ${oneLine(note)}`)}`,
    );
  }
  lines[lines.length - 1] = (lines.at(-1) ?? '').replace('│', '╰');
  return lines;
}

function snippet(finding: Rooted<Finding>, gutter: number, columns: number, colors: Colors): string[] {
  if (finding.snippet === null || finding.line === null) return [];
  const all = finding.snippet.split('\n');
  const endLine = finding.endLine ?? finding.line;
  const shown = all.length > 4 ? 2 : all.length;
  const lines: string[] = [];
  for (let index = 0; index < shown; index += 1) {
    const number = finding.line + index;
    const raw = (all[index] ?? '').slice(0, MAX_LINE);
    const room = columns - gutter - 8;
    const start = index === 0 ? (finding.column ?? 1) - 1 : indentOf(raw);
    const end = number === endLine ? (finding.endColumn ?? raw.length + 1) - 1 : raw.length;
    const from = start > room - 20 ? Math.max(0, start - 20) : 0;
    const text = visible(raw.slice(from)).slice(0, room);
    const before = visible(raw.slice(from, start)).length;
    const length = Math.max(1, Math.min(visible(raw.slice(start, Math.max(end, start))).length, room - before));
    lines.push(`${colors.dim(String(number).padStart(gutter + 2))} ${colors.cyan('│')} ${from > 0 ? '…' : ''}${text}`);
    if (raw.trim() !== '') {
      const mark = ' '.repeat(before + (from > 0 ? 1 : 0)) + colors.red('^'.repeat(length));
      lines.push(`${' '.repeat(gutter + 2)} ${colors.cyan('│')} ${mark}`);
    }
  }
  if (all.length > shown) lines.push(`${' '.repeat(gutter + 2)} ${colors.cyan('┆')}`);
  return lines;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function note(label: string, text: string, columns: number, colors: Colors): string[] {
  return wrap(text, columns - 13).map((line, index) =>
    index === 0 ? `   ${colors.cyan('=')} ${colors.bold(label.padEnd(7))} ${line}` : `     ${' '.repeat(7)} ${line}`,
  );
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

export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
