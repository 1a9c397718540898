import type { NotAssessedReason } from '#lib/facts/facts.ts';
import { type Counts, compareFindings, countBySeverity, type Finding } from '#lib/scanner/engine/finding.ts';
import type { Omitted } from '#lib/scanner/engine/listing.ts';
import type { Ruleset } from '#lib/scanner/engine/rulesets.ts';
import type { FileDiagnostic, NotAssessed, ScanResult } from '#lib/scanner/engine/scan.ts';
import type { SlsaAssessment } from '#lib/scanner/engine/slsa.ts';
import type { Suppressed } from '#lib/scanner/engine/suppress.ts';
import { compareText } from '#lib/workflow/text/compare-text.ts';

export interface Report {
  readonly version: string;
  readonly ruleset: Ruleset;
  readonly findings: readonly Rooted<Finding>[];
  readonly suppressed: readonly Rooted<Suppressed>[];
  readonly diagnostics: readonly Rooted<FileDiagnostic>[];
  readonly omitted: readonly Omitted[];
  readonly notAssessed: readonly NotAssessed[];
  readonly files: number;
  readonly repositories: number;
  readonly counts: Counts;
  readonly inBaseline: number | undefined;
  readonly pedantic?: number;
  /** The commit compared with, when only what was added since is reported, and the findings that both have. */
  readonly base?: { readonly commit: string; readonly known: number };
  readonly slsa: readonly Rooted<SlsaAssessment>[];
}

export type Rooted<T> = T & { readonly root: string };

export function createReport(
  version: string,
  ruleset: Ruleset,
  results: readonly { readonly root: string; readonly result: ScanResult }[],
  notices: readonly FileDiagnostic[] = [],
): Report {
  const findings = results.flatMap(({ root, result }) => result.findings.map((finding) => ({ ...finding, root })));
  const suppressed = results.flatMap(({ root, result }) => result.suppressed.map((entry) => ({ ...entry, root })));
  const diagnostics = [
    ...notices.map((entry) => ({ ...entry, root: '.' })),
    ...results.flatMap(({ root, result }) =>
      [...result.diagnostics, ...(result.unused ?? [])].map((entry) => ({ ...entry, root })),
    ),
  ];
  const notAssessed = new Map<string, NotAssessed>();
  for (const { result } of results) {
    for (const entry of result.notAssessed) notAssessed.set(`${entry.ruleId} ${entry.reason}`, entry);
  }
  return {
    version,
    ruleset,
    findings: findings.sort((a, b) => compareText(a.root, b.root) || compareFindings(a, b)),
    suppressed,
    diagnostics,
    omitted: results.flatMap(({ result }) => result.omitted.filter(({ suppressed: silent }) => !silent)),
    notAssessed: [...notAssessed.values()].sort((a, b) => compareText(a.ruleId, b.ruleId)),
    files: results.reduce((sum, { result }) => sum + result.files, 0),
    repositories: results.length,
    counts: countBySeverity(findings),
    inBaseline: undefined,
    slsa: results.flatMap(({ root, result }) => result.slsa.map((assessment) => ({ ...assessment, root }))),
  };
}

export function withFindings(report: Report, findings: Report['findings'], inBaseline = report.inBaseline): Report {
  return { ...report, findings, counts: countBySeverity(findings), inBaseline };
}

export function pathOf(place: { readonly root: string; readonly file: string | null }): string {
  const file = place.file ?? 'repository settings';
  return place.root === '.' ? file : `${place.root}/${file}`;
}

export const REASONS: Readonly<Record<NotAssessedReason, string>> = {
  disabled: 'disabled',
  not_run: 'added after the last scan',
  no_permission: 'needs a permission that the token lacks',
  offline: 'needs data from GitHub or a registry',
  rate_limited: 'rate-limited by GitHub or a registry',
  rule_error: 'the rule failed; please report it',
  unsupported_host: 'not supported by this code host',
};
