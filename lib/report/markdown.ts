import { COMBO_SEVERITIES } from '#lib/combos/combo.ts';
import { SEVERITIES } from '#lib/scanner/engine/finding.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { ruleUrl } from './links.ts';
import { codeSpan, escapeForeign, escapeProse } from './markdown-text.ts';
import { coverText, groupPaths, placeOf } from './path-groups.ts';
import type { PathsReport, ShownPath } from './paths-report.ts';
import { pathOf, REASONS, type Report } from './report.ts';
import { byRule, fixableCounts, type RuleGroup } from './rule-groups.ts';
import { withoutCommands } from './runner-commands.ts';
import { ceilingText, levelName, placesOf, SLSA_NOTE, STANDINGS, slsaTitle } from './slsa.ts';
import { plural, summaryLine } from './summary.ts';

const MAX_FIXES = 5;
const MAX_SAME = 10;
const MAX_PLACES = 50;
const MAX_STAGE_PLACES = 3;

/** Formats a report for a pull request or page: counts and attack paths first, LOW folded, INFO as a number. */
export function toMarkdown(report: Report, paths?: PathsReport): string {
  const lines = ['# Chainbreak', '', `${summaryLine(report)}.`, ''];
  const listed = report.findings.filter(({ severity }) => severity !== 'INFO');
  const groups = byRule(listed, paths);
  lines.push(...countsTable(report, paths), ...(paths === undefined ? [] : pathSections(paths)));
  for (const group of groups) {
    if (group.severity === 'HIGH' || group.severity === 'MEDIUM') lines.push(...section(group));
  }
  lines.push(...foldedSection(groups, report.findings.length - listed.length));
  for (const assessment of report.slsa) lines.push(...slsaSection(assessment));
  if (report.diagnostics.length > 0) {
    lines.push('## Files with problems', '');
    for (const entry of report.diagnostics.slice(0, MAX_PLACES)) {
      const line = entry.line === null ? '' : `:${entry.line}`;
      lines.push(`- ${codeSpan(`${pathOf(entry)}${line}`)} ${escapeForeign(entry.message)}`);
    }
    if (report.diagnostics.length > MAX_PLACES) lines.push(`- and ${report.diagnostics.length - MAX_PLACES} more`);
    lines.push('');
  }
  lines.push(...byRuleTable(groups), ...notAssessed(report));
  return `${withoutCommands(lines.join('\n').trimEnd())}\n`;
}

function countsTable({ findings, counts }: Report, paths: PathsReport | undefined): string[] {
  if (findings.length === 0 && (paths?.paths.length ?? 0) === 0) return [];
  const rank = (name: string): string => String(paths?.paths.filter(({ severity }) => severity === name).length ?? 0);
  return [
    '| | critical | high | medium | low | info |',
    '| --- | ---: | ---: | ---: | ---: | ---: |',
    ...(paths === undefined ? [] : [`| attack paths | ${COMBO_SEVERITIES.map(rank).join(' | ')} | | |`]),
    `| findings | | ${SEVERITIES.map((severity) => counts[severity]).join(' | ')} |`,
    '',
  ];
}

function pathSections(report: PathsReport): string[] {
  const { paths } = report;
  if (paths.length === 0) return ['**No attack paths found.**', ''];
  const lines = ['## Attack paths', ''];
  const cover = coverText(report);
  if (cover !== undefined) {
    lines.push(`**Fix first:** ${cover}.`, '');
    for (const { finding, breaks } of report.fixFirst.slice(0, MAX_FIXES)) {
      const at = codeSpan(`${pathOf(finding)}${finding.line === null ? '' : `:${finding.line}`}`);
      lines.push(`1. ${ruleLink(finding.ruleId)} in ${at}${breaks === 0 ? ', with others' : ` ends ${breaks}`}`);
    }
    if (report.fixFirst.length > MAX_FIXES) lines.push('', `and ${report.fixFirst.length - MAX_FIXES} more`);
    lines.push('');
  }
  const groups = groupPaths(paths);
  for (const { first, paths: same } of groups.slice(0, MAX_PLACES)) {
    lines.push(...pathSection(first));
    if (same.length === 1) continue;
    const places = same.slice(1, MAX_SAME + 1).map((path) => codeSpan(placeOf(path)));
    const more = same.length - 1 > MAX_SAME ? ` and ${same.length - 1 - MAX_SAME} more` : '';
    lines.push(`**The same in** ${places.join(', ')}${more}.`, '');
  }
  if (groups.length > MAX_PLACES) lines.push(`and ${groups.length - MAX_PLACES} more`, '');
  return lines;
}

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
    `### ${severity} \`${comboId}\`: ${escapeProse(title)}`,
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

function section({ ruleId, title, severity, findings }: RuleGroup): string[] {
  const meta = rules.find(({ id }) => id === ruleId)?.meta;
  const lines = [`## ${severity} ${ruleLink(ruleId)}: ${escapeProse(title)}`, ''];
  if (meta !== undefined) lines.push(escapeProse(meta.why), '', `**Fix.** ${escapeProse(meta.recommendation)}`, '');
  return [...lines, ...placeList(findings), ''];
}

function placeList(findings: RuleGroup['findings']): string[] {
  const lines = findings.slice(0, MAX_PLACES).map((finding) => {
    const line = finding.line === null ? '' : `:${finding.line}`;
    const fix = finding.fixable ? (finding.fix?.safety === 'review' ? ' _(fix --unsafe)_' : ' _(fix)_') : '';
    const place = `${codeSpan(`${pathOf(finding)}${line}`)}${fix}`;
    return `- ${finding.severity} ${place} ${escapeForeign(finding.description)}`;
  });
  if (findings.length > MAX_PLACES) lines.push(`- and ${findings.length - MAX_PLACES} more`);
  return lines;
}

function foldedSection(groups: readonly RuleGroup[], info: number): string[] {
  const low = groups.filter(({ severity }) => severity === 'LOW');
  const lines: string[] = [];
  if (low.length > 0) {
    const count = low.reduce((sum, { findings }) => sum + findings.length, 0);
    lines.push('<details>', `<summary>LOW: ${plural(count, 'finding')} of ${plural(low.length, 'rule')}</summary>`, '');
    for (const { ruleId, title, findings } of low) {
      lines.push(`**${ruleLink(ruleId)}: ${escapeProse(title)}**`, '', ...placeList(findings), '');
    }
    lines.push('</details>', '');
  }
  if (info > 0) lines.push(`INFO: ${plural(info, 'finding')}, not listed.`, '');
  return lines;
}

function byRuleTable(groups: readonly RuleGroup[]): string[] {
  if (groups.length < 2) return [];
  const rows = groups.map(({ ruleId, severity, findings }) => {
    const { safe, review } = fixableCounts(findings);
    const fixes = [...(safe > 0 ? [`${safe} safe`] : []), ...(review > 0 ? [`${review} to review`] : [])];
    return `| ${severity} | ${ruleLink(ruleId)} | ${findings.length} | ${fixes.join(', ')} |`;
  });
  return ['## By rule', '', '| severity | rule | findings | fixes |', '| --- | --- | ---: | --- |', ...rows, ''];
}

function notAssessed(report: Report): string[] {
  if (report.notAssessed.length === 0) return [];
  const reasons = new Map<string, string[]>();
  for (const { ruleId, reason } of report.notAssessed) {
    reasons.set(REASONS[reason], [...(reasons.get(REASONS[reason]) ?? []), `\`${ruleId}\``]);
  }
  return [
    '## Not assessed',
    '',
    ...[...reasons].map(([reason, ids]) => `- ${plural(ids.length, 'rule')}, ${reason}: ${ids.join(', ')}`),
    '',
  ];
}

function ruleLink(id: string): string {
  return `[\`${id}\`](${ruleUrl(id)})`;
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
