import { comboSeverityRank } from '#lib/combos/match.ts';
import { toGithub } from '#lib/report/github.ts';
import { toJson } from '#lib/report/json.ts';
import { toMarkdown } from '#lib/report/markdown.ts';
import type { RepositoryPaths } from '#lib/report/paths-report.ts';
import { pathsSection } from '#lib/report/paths-text.ts';
import { type Report, withFindings } from '#lib/report/report.ts';
import { logLine } from '#lib/report/runner-commands.ts';
import { toSarif } from '#lib/report/sarif.ts';
import { toTerminal } from '#lib/report/terminal.ts';
import { type Finding, severityRank } from '#lib/scanner/engine/finding.ts';
import type { Severity } from '#lib/scanner/engine/rule.ts';
import { applyBaseline, writeBaseline } from './baseline.ts';
import { EXIT } from './exit-codes.ts';
import { type ScanPathsOptions, scanPaths } from './scan-paths.ts';
import type { Terminal } from './terminal.ts';

export const FORMATS = ['text', 'json', 'sarif', 'markdown', 'github'] as const;
export type Format = (typeof FORMATS)[number];
export type FailOn = 'critical' | 'never' | Lowercase<Severity>;
export const FAIL_ON: readonly FailOn[] = ['critical', 'high', 'medium', 'low', 'info', 'never'];

export interface ScanCommandOptions extends Omit<ScanPathsOptions, 'attackPaths' | 'packages'> {
  readonly format: Format;
  readonly failOn: FailOn;
  readonly minSeverity: Severity;
  readonly baseline: string | undefined;
  readonly writeBaseline: boolean;
  readonly verbose: boolean;
  readonly pedantic: boolean;
}

export const DEFAULT_BASELINE = 'chainbreak-baseline.json';

export async function scanCommand(
  named: readonly string[],
  options: ScanCommandOptions,
  terminal: Terminal,
): Promise<number> {
  // Only the text format shows attack paths, but they can decide the exit code.
  const attackPaths = options.format === 'text' || options.failOn !== 'never';
  const { report, repositories, complete } = await scanPaths(
    named.length === 0 ? ['.'] : named,
    { ...options, attackPaths, packages: true },
    terminal,
  );
  if (options.writeBaseline) {
    const file = options.baseline ?? DEFAULT_BASELINE;
    writeBaseline(report, file);
    terminal.stdout.write(
      `${logLine(`Wrote ${report.findings.length} findings to ${file}. Use --baseline ${file} to report only new ones.`)}\n`,
    );
    return EXIT.clean;
  }
  const fresh = options.baseline === undefined ? report : applyBaseline(report, options.baseline);
  const isShown = ({ severity }: Pick<Finding, 'severity'>): boolean =>
    severityRank(severity) <= severityRank(options.minSeverity);
  // Levels of SLSA are about what a default scan calls opinion.
  const all = options.pedantic || options.ruleset.startsWith('slsa');
  const regular = fresh.findings.filter((finding) => isShown(finding) && (all || finding.pedantic !== true));
  const shown = {
    ...withFindings(fresh, regular),
    omitted: fresh.omitted.filter(isShown),
    pedantic: fresh.findings.filter(isShown).length - regular.length,
  };
  const paths = options.baseline === undefined ? repositories : newPaths(repositories, fresh);
  terminal.stdout.write(render(shown, paths, options, terminal));
  if (scanFails(shown, paths, options.failOn)) return EXIT.found;
  return complete ? EXIT.clean : EXIT.failed;
}

function newPaths(repositories: readonly RepositoryPaths[], { findings }: Report): RepositoryPaths[] {
  return repositories.map((repository) => {
    const fresh = new Set(findings.flatMap(({ root, fingerprint }) => (root === repository.root ? [fingerprint] : [])));
    const paths = repository.paths.filter(({ components }) =>
      components.some(({ fingerprint }) => fresh.has(fingerprint)),
    );
    return { ...repository, paths };
  });
}

function render(
  report: Report,
  repositories: readonly RepositoryPaths[],
  { format, verbose }: ScanCommandOptions,
  terminal: Terminal,
): string {
  switch (format) {
    case 'json':
      return toJson(report);
    case 'sarif':
      return toSarif(report);
    case 'markdown':
      return toMarkdown(report);
    case 'github':
      return toGithub(report);
    case 'text': {
      const options = { color: terminal.color, width: terminal.stdout.columns ?? 100, verbose };
      return toTerminal(report, options, pathsSection(repositories, options));
    }
  }
}

function scanFails({ findings, omitted }: Report, repositories: readonly RepositoryPaths[], failOn: FailOn): boolean {
  if (failOn === 'never') return false;
  if (repositories.some(({ paths }) => paths.some(({ severity }) => comboSeverityRank(severity) === 0))) return true;
  // Unlisted findings cannot be in a baseline.
  return fails(findings, failOn) || fails(omitted, failOn);
}

export function fails(findings: readonly Pick<Finding, 'severity'>[], failOn: FailOn): boolean {
  if (failOn === 'never' || failOn === 'critical') return false;
  const threshold = severityRank(failOn.toUpperCase() as Severity);
  return findings.some(({ severity }) => severityRank(severity) <= threshold);
}
