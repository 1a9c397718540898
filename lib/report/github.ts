import { compareFindings, type Finding, severityRank } from '#lib/scanner/engine/finding.ts';
import type { Severity } from '#lib/scanner/engine/rule.ts';
import { compareText } from '#lib/workflow/text/compare-text.ts';
import { ruleUrl } from './links.ts';
import { coverText } from './path-groups.ts';
import type { PathsReport, ShownPath } from './paths-report.ts';
import { pathOf, type Report, type Rooted } from './report.ts';
import { byRule } from './rule-groups.ts';
import { logLine } from './runner-commands.ts';
import { ceilingText, slsaTitle } from './slsa.ts';
import { summaryLine } from './summary.ts';
import { oneLine } from './visible.ts';

const COMMANDS: Readonly<Record<Severity, 'error' | 'warning' | 'notice'>> = {
  HIGH: 'error',
  MEDIUM: 'warning',
  LOW: 'notice',
  INFO: 'notice',
};

/** GitHub shows the first ten annotations of each kind in a step, so attack paths and severe findings come first. */
export function toGithub(report: Report, paths?: PathsReport): string {
  const groups = byRule(report.findings, paths);
  const order = new Map(groups.map(({ ruleId }, index) => [ruleId, index]));
  const findings = [...report.findings].sort(
    (a, b) =>
      severityRank(a.severity) - severityRank(b.severity) ||
      (order.get(a.ruleId) ?? 0) - (order.get(b.ruleId) ?? 0) ||
      compareText(a.root, b.root) ||
      compareFindings(a, b),
  );
  const lines = [...(paths?.paths ?? []).map(pathLine), ...findings.map(findingLine)];
  for (const diagnostic of report.diagnostics) {
    const at = diagnostic.line === null ? '' : `,line=${diagnostic.line}`;
    lines.push(`::warning file=${escapeProperty(pathOf(diagnostic))}${at}::${escapeData(diagnostic.message)}`);
  }
  for (const { ruleId, severity, findings: own } of groups) {
    lines.push(`${severity.padEnd(6)} ${String(own.length).padStart(4)}  ${ruleId}  ${ruleUrl(ruleId)}`);
  }
  const cover = paths === undefined ? undefined : coverText(paths);
  if (cover !== undefined) lines.push(`Fix first: ${cover}`);
  if (paths !== undefined && paths.paths.length === 0) lines.push('No attack paths found');
  for (const assessment of report.slsa) {
    lines.push(logLine(`${slsaTitle(assessment)}: ${ceilingText(assessment)}`));
  }
  return `${[...lines, summaryLine(report)].join('\n')}\n`;
}

function findingLine(finding: Rooted<Finding>): string {
  const properties: [string, string | number | null][] = [
    ['file', finding.file === null ? null : pathOf(finding)],
    ['line', finding.line],
    ['endLine', finding.endLine],
    ['col', finding.column],
    ['endColumn', finding.endLine === finding.line ? finding.endColumn : null],
    ['title', `${finding.ruleId}: ${finding.title}`],
  ];
  const given = properties.flatMap(([key, value]) =>
    value === null ? [] : [`${key}=${escapeProperty(String(value))}`],
  );
  return `::${COMMANDS[finding.severity]} ${given.join(',')}::${escapeData(`${finding.description} ${finding.recommendation}`)}`;
}

function pathLine({ comboId, title, severity, stages, breakChain, breakChainRule, findings }: ShownPath): string {
  const first = findings.find(({ file }) => file !== null);
  const at = first === undefined ? [] : [`file=${escapeProperty(pathOf(first))}`, `line=${first.line ?? 1}`];
  const given = [...at, `title=${escapeProperty(`${comboId}: ${title}`)}`].join(',');
  const chain = stages.map((stage) => stage.title).join(' → ');
  const command = severity === 'MEDIUM' ? 'warning' : 'error';
  return `::${command} ${given}::${escapeData(`Attack path: ${chain}. Break it: ${breakChain} (${breakChainRule})`)}`;
}

function escapeData(text: string): string {
  return oneLine(text).replaceAll('%', '%25');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
