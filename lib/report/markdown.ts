import { type Finding, SEVERITIES, severityRank } from '#lib/scanner/engine/finding.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { compareText } from '#lib/workflow/text/compare-text.ts';
import { codeSpan, escapeForeign, escapeProse, escapeText } from './markdown-text.ts';
import type { PathsReport, ShownPath } from './paths-report.ts';
import { pathOf, REASONS, type Report, type Rooted } from './report.ts';
import { withoutCommands } from './runner-commands.ts';
import { ceilingText, levelName, placesOf, SLSA_NOTE, STANDINGS, slsaTitle } from './slsa.ts';
import { summaryLine } from './summary.ts';

const MAX_PLACES = 50;
const MAX_STAGE_PLACES = 3;

export function toMarkdown(report: Report, added?: PathsReport): string {
  const lines = ['# Chainbreak', '', `${summaryLine(report)}.`, ''];
  if (report.findings.length > 0) {
    lines.push('| severity | findings |', '| --- | ---: |');
    for (const severity of SEVERITIES) lines.push(`| ${severity} | ${report.counts[severity]} |`);
    lines.push('');
  }
  if (added !== undefined) lines.push(...pathSections(added));
  for (const [ruleId, findings] of byRule(report.findings)) lines.push(...section(ruleId, findings));
  for (const assessment of report.slsa) lines.push(...slsaSection(assessment));
  if (report.notAssessed.length > 0) {
    lines.push('## Not assessed', '');
    for (const { ruleId, reason } of report.notAssessed) lines.push(`- \`${ruleId}\`: ${REASONS[reason]}`);
    lines.push('');
  }
  if (report.diagnostics.length > 0) {
    lines.push('## Files with problems', '');
    for (const entry of report.diagnostics.slice(0, MAX_PLACES)) {
      const line = entry.line === null ? '' : `:${entry.line}`;
      lines.push(`- ${codeSpan(`${pathOf(entry)}${line}`)} ${escapeForeign(entry.message)}`);
    }
    if (report.diagnostics.length > MAX_PLACES) lines.push(`- and ${report.diagnostics.length - MAX_PLACES} more`);
    lines.push('');
  }
  return `${withoutCommands(lines.join('\n').trimEnd())}\n`;
}

function pathSections({ paths }: PathsReport): string[] {
  if (paths.length === 0) return [];
  const lines = ['## Attack paths', ''];
  for (const path of paths.slice(0, MAX_PLACES)) {
    lines.push(...pathSection(path));
  }
  if (paths.length > MAX_PLACES) lines.push(`and ${paths.length - MAX_PLACES} more`, '');
  return lines;
}

/** One path: its stages with the places that the rules found, and what breaks it. */
export function pathSection(path: ShownPath): string[] {
  const { severity, comboId, title, stages, findings, impact, breakChain, breakChainRule, mitigatedBy } = path;
  const steps = stages.map((stage, index) => {
    const at = findings
      .filter(({ fingerprint }) => stage.fingerprints.includes(fingerprint))
      .slice(0, MAX_STAGE_PLACES)
      .map((finding) => codeSpan(`${pathOf(finding)}${finding.line === null ? '' : `:${finding.line}`}`));
    const places = at.length === 0 ? '' : ` (${at.join(', ')})`;
    return `${index + 1}. **${escapeForeign(stage.title)}**${places}: ${escapeForeign(stage.description)}`;
  });
  return [
    `### ${severity} \`${comboId}\`: ${escapeText(title)}`,
    '',
    ...steps,
    '',
    `**Impact.** ${escapeProse(impact)}`,
    '',
    ...mitigatedBy.flatMap((reason) => [`**Less severe here.** ${escapeForeign(reason)}`, '']),
    `**Break it.** ${escapeProse(breakChain)} (\`${breakChainRule}\`)`,
    '',
  ];
}

export function byRule(findings: readonly Rooted<Finding>[]): [string, Rooted<Finding>[]][] {
  const groups = new Map<string, Rooted<Finding>[]>();
  for (const finding of findings) groups.set(finding.ruleId, [...(groups.get(finding.ruleId) ?? []), finding]);
  for (const group of groups.values()) group.sort((a, b) => severityRank(a.severity) - severityRank(b.severity));
  const worst = (group: readonly Finding[]): number => Math.min(...group.map(({ severity }) => severityRank(severity)));
  return [...groups].sort(([idA, a], [idB, b]) => worst(a) - worst(b) || compareText(idA, idB));
}

function section(ruleId: string, findings: readonly Rooted<Finding>[]): string[] {
  const meta = rules.find(({ id }) => id === ruleId)?.meta;
  const lines = [`## ${findings[0]?.severity ?? ''} \`${ruleId}\`: ${escapeText(findings[0]?.title ?? '')}`, ''];
  if (meta !== undefined) lines.push(escapeText(meta.why), '', `**Fix.** ${escapeText(meta.recommendation)}`, '');
  for (const finding of findings.slice(0, MAX_PLACES)) {
    const line = finding.line === null ? '' : `:${finding.line}`;
    lines.push(`- ${finding.severity} ${codeSpan(`${pathOf(finding)}${line}`)} ${escapeForeign(finding.description)}`);
  }
  if (findings.length > MAX_PLACES) lines.push(`- and ${findings.length - MAX_PLACES} more`);
  return [...lines, ''];
}

function slsaSection(assessment: Report['slsa'][number]): string[] {
  const lines = [`## ${escapeForeign(slsaTitle(assessment))}`, '', `${ceilingText(assessment)} ${SLSA_NOTE}`, ''];
  lines.push('| level | requirement | evidence | reason |', '| --- | --- | --- | --- |');
  for (const { level, requirements } of assessment.levels) {
    for (const requirement of requirements) {
      const places = placesOf(requirement, assessment.root).map(codeSpan);
      const because = requirement.reason === null ? places.join(', ') : escapeForeign(requirement.reason);
      lines.push(`| ${levelName(level)} | ${requirement.title} | ${STANDINGS[requirement.standing]} | ${because} |`);
    }
  }
  return [...lines, ''];
}
