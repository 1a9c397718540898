import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Diagnostic, DiagnosticSeverity, type Range } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { HAS_HOMEPAGE, ruleUrl } from '#lib/report/links.ts';
import { oneLine } from '#lib/report/visible.ts';
import { type Finding, severityRank } from '#lib/scanner/engine/finding.ts';
import type { Severity } from '#lib/scanner/engine/rule.ts';
import type { ScanResult } from '#lib/scanner/engine/scan.ts';
import { createSource, type Position } from '#lib/workflow/text/source.ts';
import type { Settings } from './settings.ts';

const SEVERITY: Readonly<Record<Severity, DiagnosticSeverity>> = {
  HIGH: DiagnosticSeverity.Error,
  MEDIUM: DiagnosticSeverity.Warning,
  LOW: DiagnosticSeverity.Information,
  INFO: DiagnosticSeverity.Hint,
};

export const SOURCE = 'chainbreak';

/** Converts lines and columns of the engine, whose lines end with a line feed only, for one document. */
export function rangesIn(document: TextDocument): (start: Position, end: Position | undefined) => Range {
  const source = createSource('', document.getText());
  return (start, end = { line: start.line, column: source.line(start.line).length + 1 }) => ({
    start: document.positionAt(source.offset(start)),
    end: document.positionAt(source.offset(end)),
  });
}

export function shownIn(path: string, { findings }: ScanResult, { minSeverity, pedantic }: Settings): Finding[] {
  return findings.filter(
    (finding) =>
      finding.file === path &&
      severityRank(finding.severity) <= severityRank(minSeverity) &&
      (pedantic || finding.pedantic !== true),
  );
}

export function rangeOf({ line, column, endLine, endColumn }: Finding, document: TextDocument): Range {
  const start = { line: line ?? 1, column: column ?? 1 };
  return rangesIn(document)(start, { line: endLine ?? start.line, column: endColumn ?? start.column });
}

export function diagnosticOf(finding: Finding, range: Range, folder: string): Diagnostic {
  const { ruleId, severity, description, fingerprint, related = [] } = finding;
  return {
    range,
    severity: SEVERITY[severity],
    code: ruleId,
    source: SOURCE,
    message: oneLine(description),
    data: { fingerprint },
    ...(HAS_HOMEPAGE ? { codeDescription: { href: ruleUrl(ruleId) } } : {}),
    ...(related.length === 0
      ? {}
      : {
          relatedInformation: related.map((place) => ({
            location: {
              uri: pathToFileURL(join(folder, place.file)).href,
              range: {
                start: { line: place.line - 1, character: place.column - 1 },
                end: { line: place.endLine - 1, character: place.endColumn - 1 },
              },
            },
            message: oneLine(place.note),
          })),
        }),
  };
}

export function diagnosticsOf(
  { path, folder, document }: { readonly path: string; readonly folder: string; readonly document: TextDocument },
  result: ScanResult,
  settings: Settings,
): Diagnostic[] {
  const range = rangesIn(document);
  const findings = shownIn(path, result, settings).map((finding) => {
    const { line, column, endLine, endColumn } = finding;
    const start = { line: line ?? 1, column: column ?? 1 };
    const end = endLine === null ? undefined : { line: endLine, column: endColumn ?? 1 };
    return diagnosticOf(finding, range(start, end), folder);
  });
  const problems = [...result.diagnostics, ...(result.unused ?? [])]
    .filter(({ file }) => file === path)
    .map(({ line, column, severity, message }): Diagnostic => {
      const kind = severity === 'error' ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning;
      const at = range({ line: line ?? 1, column: column ?? 1 }, undefined);
      return { range: at, severity: kind, source: SOURCE, message: oneLine(message) };
    });
  return [...problems, ...findings];
}
