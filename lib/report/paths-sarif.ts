import type { ReportingDescriptor, Result } from 'sarif';
import { COMBO_SEVERITIES, type Combo, type ComboSeverity } from '#lib/combos/combo.ts';
import { combos } from '#lib/combos/combos/index.ts';
import { combinationUrl, HOMEPAGE } from './links.ts';
import type { PathsReport, ShownPath } from './paths-report.ts';
import { printableJson } from './runner-commands.ts';
import { location, type MoreResults, plainText } from './sarif.ts';

const MAX_RESULTS = 2_000;

const LEVELS: Readonly<Record<ComboSeverity, 'error' | 'warning'>> = {
  CRITICAL: 'error',
  HIGH: 'error',
  MEDIUM: 'warning',
};
const SECURITY_SEVERITY: Readonly<Record<ComboSeverity, string>> = { CRITICAL: '9.5', HIGH: '8.0', MEDIUM: '5.5' };

export function pathsToSarif(report: PathsReport): string {
  const { rules, resultsFrom } = pathResults(report);
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: { name: 'chainbreak', semanticVersion: report.version, informationUri: HOMEPAGE, rules },
        },
        columnKind: 'utf16CodeUnits',
        results: resultsFrom(0),
      },
    ],
  };
  return printableJson(log, 1);
}

/** The attack paths as results, whose rules follow `firstRule` others. */
export function pathResults({ paths }: PathsReport): MoreResults {
  const kept = paths.slice(0, MAX_RESULTS);
  const used = combos.filter(({ id }) => kept.some(({ comboId }) => comboId === id));
  const index = new Map(used.map(({ id }, at) => [id, at]));
  return {
    count: kept.length,
    rules: used.map(describe),
    resultsFrom: (firstRule) => kept.map((path) => result(path, firstRule + (index.get(path.comboId) ?? 0))),
  };
}

function result(path: ShownPath, ruleIndex: number): Result {
  const [first] = path.findings;
  const steps = path.stages.flatMap(({ title, description, ruleId, fingerprints }, order) => {
    const finding = path.findings.find(({ fingerprint }) => fingerprint === fingerprints[0]);
    if (finding === undefined) return [];
    const text = `${order + 1}. ${title} (${ruleId ?? ''}). ${description}`;
    return [{ location: { ...location(finding), message: { text: plainText(text) } }, executionOrder: order + 1 }];
  });
  const chain = path.stages.map(({ title }) => title).join(' → ');
  return {
    ruleId: path.comboId,
    ruleIndex,
    level: LEVELS[path.severity],
    message: {
      text: plainText(`${path.title}. ${chain}. ${path.impact} Break it: ${path.breakChain} (${path.breakChainRule}).`),
    },
    locations: first === undefined ? [] : [location(first)],
    ...(steps.length === 0 ? {} : { codeFlows: [{ threadFlows: [{ locations: steps }] }] }),
    relatedLocations: path.findings.map((finding, id) => ({
      id,
      ...location(finding),
      message: { text: plainText(finding.description) },
    })),
    partialFingerprints: { 'chainbreak/path/v1': `${path.comboId}:${path.cuts[0]?.[0] ?? path.anchor}` },
    properties: {
      severity: path.severity,
      'security-severity': SECURITY_SEVERITY[path.severity],
      breakChainRule: path.breakChainRule,
      mitigatedBy: path.mitigatedBy,
    },
  };
}

function describe(combo: Combo): ReportingDescriptor {
  const { id, title, severity, impact, stages, breakChain, references } = combo;
  return {
    id,
    name: id.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase()),
    shortDescription: { text: title },
    fullDescription: { text: impact },
    helpUri: combinationUrl(id),
    defaultConfiguration: { level: LEVELS[severity] },
    help: {
      text: `${impact}\n\n${breakChain.text}`,
      markdown: [
        `**Step by step.**\n\n${stages.map((stage) => `1. **${stage.title}.** ${stage.description}`).join('\n')}`,
        `**Impact.** ${impact}`,
        `**How to break it.** ${breakChain.text}`,
        ...references.map((reference) => `- <${reference}>`),
      ].join('\n\n'),
    },
    properties: {
      'security-severity': SECURITY_SEVERITY[severity],
      precision: severity === COMBO_SEVERITIES[0] ? 'high' : 'medium',
      tags: ['security', 'github-actions', 'attack-path'],
    },
  };
}
