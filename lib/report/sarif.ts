import type { Fix, Location, Log, Notification, ReportingDescriptor, Result } from 'sarif';
import { type Finding, severityRank } from '#lib/scanner/engine/finding.ts';
import { redact } from '#lib/scanner/engine/redact.ts';
import type { Rule, Severity } from '#lib/scanner/engine/rule.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { HOMEPAGE, ruleUrl } from './links.ts';
import { pathOf, REASONS, type Report, type Rooted } from './report.ts';
import { printableJson } from './runner-commands.ts';
import { slsaJson } from './slsa.ts';
import { oneLine } from './visible.ts';

const MAX_RESULTS = 5_000;

const LEVELS: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  HIGH: 'error',
  MEDIUM: 'warning',
  LOW: 'note',
  INFO: 'note',
};

const SECURITY_SEVERITY: Readonly<Record<Severity, string>> = { HIGH: '8.0', MEDIUM: '5.5', LOW: '3.0', INFO: '1.0' };

export interface MoreResults {
  readonly count: number;
  readonly rules: readonly ReportingDescriptor[];
  readonly resultsFrom: (firstRule: number) => readonly Result[];
}

export function toSarif(report: Report, more: MoreResults = { count: 0, rules: [], resultsFrom: () => [] }): string {
  const all: Entry[] = [
    ...report.findings.map((finding) => ({ finding })),
    ...report.suppressed.map((entry) => ({ finding: { ...entry.finding, root: entry.root }, suppressed: entry })),
  ];
  const kept = all
    .sort((a, b) => severityRank(a.finding.severity) - severityRank(b.finding.severity))
    .slice(0, Math.max(0, MAX_RESULTS - more.count));
  const used = rules.filter(({ id }) => kept.some(({ finding }) => finding.ruleId === id));
  const ruleIndex = new Map(used.map(({ id }, index) => [id, index]));
  const log: Log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'chainbreak',
            semanticVersion: report.version,
            informationUri: HOMEPAGE,
            rules: [...used.map(describeRule), ...more.rules],
          },
        },
        columnKind: 'utf16CodeUnits',
        ...(report.slsa.length === 0 ? {} : { properties: { slsa: report.slsa.map(slsaJson) } }),
        invocations: [
          {
            executionSuccessful: !report.diagnostics.some(({ severity }) => severity === 'error'),
            toolExecutionNotifications: notifications(report, all.length - kept.length),
          },
        ],
        results: [
          ...more.resultsFrom(used.length),
          ...kept.map(({ finding, suppressed }) => ({
            ruleId: finding.ruleId,
            ruleIndex: ruleIndex.get(finding.ruleId) ?? -1,
            level: LEVELS[finding.severity],
            message: { text: plainText(finding.description) },
            locations: [location(finding)],
            ...relatedLocations(finding),
            ...fixesOf(finding),
            partialFingerprints: { 'chainbreak/v1': finding.fingerprint },
            properties: {
              confidence: finding.confidence,
              category: finding.category,
              severity: finding.severity,
              fixable: finding.fixable,
            },
            ...suppressionOf(suppressed),
          })),
        ],
      },
    ],
  };
  return printableJson(log, 1);
}

interface Entry {
  readonly finding: Rooted<Finding>;
  readonly suppressed?: Report['suppressed'][number];
}

function suppressionOf(entry: Entry['suppressed']): Pick<Result, 'suppressions'> {
  if (entry === undefined) return {};
  const justification = entry.reason === null ? {} : { justification: oneLine(entry.reason.trim()) };
  return { suppressions: [{ kind: entry.by === 'comment' ? 'inSource' : 'external', ...justification }] };
}

function describeRule(rule: Rule): ReportingDescriptor {
  const { title, why, attack, recommendation, limits, severity, confidence, category, references } = rule.meta;
  return {
    id: rule.id,
    name: rule.id.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase()),
    shortDescription: { text: title },
    fullDescription: { text: why },
    helpUri: ruleUrl(rule.id),
    defaultConfiguration: { level: LEVELS[severity] },
    help: {
      text: `${why}\n\n${attack}\n\n${recommendation}`,
      markdown: [
        `**Why it matters.** ${why}`,
        `**How it is exploited.** ${attack}`,
        `**How to fix it.** ${recommendation}`,
        `**Limitations.** ${limits}`,
        ...references.map((reference) => `- <${reference}>`),
      ].join('\n\n'),
    },
    properties: {
      'security-severity': SECURITY_SEVERITY[severity],
      precision: confidence === 'low' ? 'low' : confidence === 'medium' ? 'medium' : 'high',
      tags: ['security', 'github-actions', category],
    },
  };
}

export function location(finding: Rooted<Finding>): Location {
  if (finding.file === null) {
    // GitHub requires a file for each result, which settings lack.
    return {
      physicalLocation: {
        artifactLocation: { uri: uriOf(finding.root === '.' ? '.github' : `${finding.root}/.github`) },
      },
      logicalLocations: [{ kind: 'resource', fullyQualifiedName: 'repository settings' }],
    };
  }
  return {
    physicalLocation: {
      artifactLocation: { uri: uriOf(pathOf(finding)), uriBaseId: '%SRCROOT%' },
      region: {
        startLine: finding.line ?? 1,
        startColumn: finding.column ?? 1,
        endLine: finding.endLine ?? finding.line ?? 1,
        endColumn: finding.endColumn ?? finding.column ?? 1,
        ...(finding.snippet === null ? {} : { snippet: { text: finding.snippet } }),
      },
    },
  };
}

function relatedLocations({ related = [], root }: Rooted<Finding>): Record<string, unknown> {
  if (related.length === 0) return {};
  return {
    relatedLocations: related.map(({ file, line, column, endLine, endColumn, note }, id) => ({
      id,
      physicalLocation: {
        artifactLocation: { uri: uriOf(pathOf({ file, root })), uriBaseId: '%SRCROOT%' },
        region: { startLine: line, startColumn: column, endLine, endColumn },
      },
      message: { text: plainText(note) },
    })),
  };
}

function fixesOf(finding: Rooted<Finding>): { readonly fixes?: Fix[] } {
  const { fix, file } = finding;
  if (fix === undefined || file === null) return {};
  if (fix.edits.some(({ text }) => redact(text) !== text)) return {};
  const note = fix.note === undefined ? '' : ` ${redact(fix.note)}`;
  const kind = fix.safety === 'safe' ? 'Safe fix.' : 'Review this fix: it can change behaviour.';
  return {
    fixes: [
      {
        description: { text: plainText(`${kind}${note}`) },
        artifactChanges: [
          {
            artifactLocation: { uri: uriOf(pathOf(finding)), uriBaseId: '%SRCROOT%' },
            replacements: fix.edits.map(({ span, text }) => ({
              deletedRegion: { charOffset: span.start, charLength: span.end - span.start },
              insertedContent: { text },
            })),
          },
        ],
      },
    ],
  };
}

function uriOf(path: string): string {
  return path.toWellFormed().split('/').map(encodeURIComponent).join('/');
}

/**
 * Escapes brackets and backslashes that a viewer could read as an embedded link. Leaves others, since some viewers show
 * the backslashes. Section 3.11.6 of https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
 */
export function plainText(text: string): string {
  const line = oneLine(text);
  return line.includes('](') ? line.replace(/[[\]\\]/g, '\\$&') : line;
}

function notifications(report: Report, leftOut: number): Notification[] {
  const list: Notification[] = report.diagnostics.map((diagnostic) => ({
    level: diagnostic.severity,
    message: { text: plainText(diagnostic.message) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(pathOf(diagnostic)), uriBaseId: '%SRCROOT%' },
          ...(diagnostic.line === null
            ? {}
            : { region: { startLine: diagnostic.line, startColumn: diagnostic.column ?? 1 } }),
        },
      },
    ],
  }));
  for (const { ruleId, reason } of report.notAssessed) {
    list.push({ level: 'note', message: { text: `The rule ${ruleId} was not assessed: ${REASONS[reason]}.` } });
  }
  if (leftOut > 0) {
    list.push({
      level: 'warning',
      message: { text: `${leftOut} less severe results were left out: an upload shows at most ${MAX_RESULTS}.` },
    });
  }
  return list;
}
