import { pathJson } from '#lib/combos/path-json.ts';
import type { Finding } from '#lib/scanner/engine/finding.ts';
import type { PathsReport, ShownPath } from './paths-report.ts';
import type { Report, Rooted } from './report.ts';
import { printableJson } from './runner-commands.ts';
import { slsaJson } from './slsa.ts';

export function toJson(report: Report, added?: PathsReport): string {
  const { version, ruleset, findings, suppressed, notAssessed, diagnostics, files, counts, slsa, base } = report;
  return printableJson(
    {
      version,
      ruleset,
      ...(base === undefined ? {} : { base: base.commit }),
      findings: findings.map(findingJson),
      suppressed: suppressed.map(({ root, finding, by, reason }) => ({
        root,
        finding: findingJson({ ...finding, root }),
        by,
        reason,
      })),
      not_assessed: notAssessed.map(({ ruleId, reason }) => ({ rule_id: ruleId, reason })),
      diagnostics: diagnostics.map(({ root, file, line, column, severity, message }) => ({
        root,
        file,
        line,
        column,
        severity,
        message,
      })),
      ...(added === undefined ? {} : { combos: added.paths.map(shownPathJson) }),
      ...(slsa.length === 0 ? {} : { slsa: slsa.map(slsaJson) }),
      summary: { files, ...counts, suppressed: suppressed.length },
    },
    2,
  );
}

export function shownPathJson(path: ShownPath): Record<string, unknown> {
  const components = path.findings.map((finding) => ({ rule_id: finding.ruleId, finding: findingJson(finding) }));
  return { root: path.root, ...pathJson(path, components) };
}

export function findingJson(finding: Rooted<Finding>): Record<string, unknown> {
  return {
    root: finding.root,
    rule_id: finding.ruleId,
    severity: finding.severity,
    confidence: finding.confidence,
    category: finding.category,
    title: finding.title,
    file: finding.file,
    line: finding.line,
    column: finding.column,
    end_line: finding.endLine,
    end_column: finding.endColumn,
    description: finding.description,
    recommendation: finding.recommendation,
    snippet: finding.snippet,
    fingerprint: finding.fingerprint,
    fixable: finding.fixable,
  };
}
