import type { Severity } from '#lib/scanner/engine/rule.ts';
import type { PathsReport, ShownPath } from './paths-report.ts';
import { pathOf, type Report } from './report.ts';
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

export function toGithub(report: Report, added?: PathsReport): string {
  const lines = report.findings.map((finding) => {
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
  });
  for (const path of added?.paths ?? []) lines.push(pathLine(path));
  for (const diagnostic of report.diagnostics) {
    const at = diagnostic.line === null ? '' : `,line=${diagnostic.line}`;
    lines.push(`::warning file=${escapeProperty(pathOf(diagnostic))}${at}::${escapeData(diagnostic.message)}`);
  }
  for (const assessment of report.slsa) {
    lines.push(logLine(`${slsaTitle(assessment)}: ${ceilingText(assessment)}`));
  }
  return `${[...lines, summaryLine(report)].join('\n')}\n`;
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
