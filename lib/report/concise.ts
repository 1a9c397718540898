import { placeOf } from './path-groups.ts';
import type { PathsReport, ShownPath } from './paths-report.ts';
import { pathOf, type Report } from './report.ts';
import { withoutCommands } from './runner-commands.ts';
import { summaryLine } from './summary.ts';
import { oneLine } from './visible.ts';

/** One line each: `file:line:column: SEVERITY rule message`, which editors and `grep` understand. */
export function toConcise(report: Report, paths?: PathsReport): string {
  const lines = [
    ...(paths?.paths ?? []).map(pathLine),
    ...report.findings.map((finding) => {
      const at = finding.line === null ? '' : `:${finding.line}:${finding.column ?? 1}`;
      const fix = finding.fixable ? (finding.fix?.safety === 'review' ? ' [fix --unsafe]' : ' [fix]') : '';
      return `${pathOf(finding)}${at}: ${finding.severity} ${finding.ruleId} ${finding.description}${fix}`;
    }),
    ...report.diagnostics.map((entry) => {
      const at = entry.line === null ? '' : `:${entry.line}:${entry.column ?? 1}`;
      return `${pathOf(entry)}${at}: ${entry.severity} ${entry.message}`;
    }),
    `${summaryLine(report)}.`,
  ];
  return `${withoutCommands(lines.map(oneLine).join('\n'))}\n`;
}

function pathLine(path: ShownPath): string {
  const first = path.findings.find(({ file }) => file !== null);
  const at = first === undefined ? placeOf(path) : `${pathOf(first)}:${first.line ?? 1}:${first.column ?? 1}`;
  return `${at}: ${path.severity} ${path.comboId} ${path.title}. Break it: ${path.breakChain} (${path.breakChainRule})`;
}
