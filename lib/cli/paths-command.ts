import type { FailOn } from '#lib/changes/policy.ts';
import { COMBO_SEVERITIES, type ComboSeverity } from '#lib/combos/combo.ts';
import { comboSeverityRank } from '#lib/combos/match.ts';
import { pathsToHtml } from '#lib/report/paths-html.ts';
import { pathsToJson } from '#lib/report/paths-json.ts';
import { pathsToMermaid } from '#lib/report/paths-mermaid.ts';
import { createPathsReport, type PathsReport } from '#lib/report/paths-report.ts';
import { pathsToSarif } from '#lib/report/paths-sarif.ts';
import { pathsToText } from '#lib/report/paths-text.ts';
import { EXIT } from './exit-codes.ts';
import type { PathFormat } from './path-formats.ts';
import { type ScanPathsOptions, scanPaths } from './scan-paths.ts';
import { type Terminal, textOptions } from './terminal.ts';

export interface PathsCommandOptions extends Omit<ScanPathsOptions, 'ruleset' | 'attackPaths' | 'packages'> {
  readonly format: PathFormat;
  readonly failOn: FailOn;
  readonly verbose: boolean;
}

export async function pathsCommand(
  named: readonly string[],
  options: PathsCommandOptions,
  terminal: Terminal,
): Promise<number> {
  const all: ScanPathsOptions = { ...options, ruleset: 'all', attackPaths: true, packages: false };
  const scanned = await scanPaths(named.length === 0 ? ['.'] : named, all, terminal);
  const report = createPathsReport(terminal.version, scanned.repositories);
  terminal.stdout.write(render(report, options, terminal));
  if (report.paths.some(({ severity }) => fails(severity, options.failOn))) return EXIT.found;
  return scanned.complete ? EXIT.clean : EXIT.failed;
}

function render(report: PathsReport, { format, verbose }: PathsCommandOptions, terminal: Terminal): string {
  switch (format) {
    case 'html':
      return pathsToHtml(report);
    case 'json':
      return pathsToJson(report);
    case 'mermaid':
      return pathsToMermaid(report);
    case 'sarif':
      return pathsToSarif(report);
    case 'text':
      return pathsToText(report, textOptions(terminal, verbose));
  }
}

function fails(severity: ComboSeverity, failOn: FailOn): boolean {
  if (failOn === 'never') return false;
  const threshold = COMBO_SEVERITIES.find((each) => each.toLowerCase() === failOn) ?? 'MEDIUM';
  return comboSeverityRank(severity) <= comboSeverityRank(threshold);
}
