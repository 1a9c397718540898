import type { Parts } from '#lib/changes/compare.ts';
import { judge } from '#lib/changes/judge.ts';
import { type FailOn, findingFails } from '#lib/changes/policy.ts';
import { comboSeverityRank } from '#lib/combos/match.ts';
import { toConcise } from '#lib/report/concise.ts';
import { toGithub } from '#lib/report/github.ts';
import { toJson } from '#lib/report/json.ts';
import { toMarkdown } from '#lib/report/markdown.ts';
import { createPathsReport, type PathsReport, type RepositoryPaths } from '#lib/report/paths-report.ts';
import { pathResults } from '#lib/report/paths-sarif.ts';
import { type Report, withFindings } from '#lib/report/report.ts';
import { logLine } from '#lib/report/runner-commands.ts';
import { toSarif } from '#lib/report/sarif.ts';
import { plural } from '#lib/report/summary.ts';
import { toTerminal } from '#lib/report/terminal.ts';
import { type Finding, severityRank } from '#lib/scanner/engine/finding.ts';
import type { Confidence, Severity } from '#lib/scanner/engine/rule.ts';
import { EXIT } from './exit-codes.ts';
import { type ScanPathsOptions, scanPaths } from './scan-paths.ts';
import { type Terminal, textOptions } from './terminal.ts';

export const FORMATS = ['text', 'concise', 'json', 'sarif', 'markdown', 'github'] as const;
export type Format = (typeof FORMATS)[number];
export interface ScanCommandOptions extends Omit<ScanPathsOptions, 'attackPaths' | 'packages'> {
  readonly format: Format;
  readonly failOn: FailOn;
  readonly minSeverity: Severity;
  readonly minConfidence: Confidence;
  readonly strict: boolean;
  readonly baseline: string | undefined;
  readonly writeBaseline: boolean;
  readonly verbose: boolean;
  readonly pedantic: boolean;
  readonly diff: string | undefined;
  readonly listInfo: boolean;
}

export const DEFAULT_BASELINE = 'chainbreak-baseline.json';

export async function scanCommand(
  named: readonly string[],
  options: ScanCommandOptions,
  terminal: Terminal,
): Promise<number> {
  if (options.diff !== undefined) return diffCommand(named, options.diff, options, terminal);
  // JSON has no attack paths, but they can decide the exit code.
  const attackPaths = options.format !== 'json' || options.failOn !== 'never';
  const { report, repositories, complete, coversEverything } = await scanPaths(
    named.length === 0 ? ['.'] : named,
    { ...options, attackPaths, packages: true },
    terminal,
  );
  if (options.writeBaseline) {
    const { writeBaseline } = await import('./baseline.ts');
    const file = options.baseline ?? DEFAULT_BASELINE;
    writeBaseline(report, file);
    terminal.stdout.write(
      `${logLine(`Wrote ${report.findings.length} findings to ${file}. Use --baseline ${file} to report only new ones.`)}\n`,
    );
    return EXIT.clean;
  }
  const fresh = await withoutBaseline(report, options.baseline, coversEverything);
  const isShown = showing(options);
  const everything = fresh.findings.filter(showing({ ...options, pedantic: true }));
  const regular = everything.filter(isShown);
  const shown = {
    ...withFindings(fresh, regular),
    omitted: fresh.omitted.filter(isShown),
    pedantic: everything.length - regular.length,
  };
  const paths = options.baseline === undefined ? repositories : newPaths(repositories, fresh);
  const pathsReport = options.format === 'json' ? undefined : createPathsReport(terminal.version, paths);
  terminal.stdout.write(render(shown, pathsReport, options, terminal));
  if (scanFails(shown, paths, options.failOn)) return EXIT.found;
  return complete && !isUnreadable(report, options, terminal) ? EXIT.clean : EXIT.failed;
}

async function withoutBaseline(report: Report, file: string | undefined, coversEverything: boolean): Promise<Report> {
  if (file === undefined) return report;
  const { applyBaseline } = await import('./baseline.ts');
  return applyBaseline(report, file, coversEverything);
}

function isUnreadable(
  { diagnostics }: Report,
  { strict }: Pick<ScanCommandOptions, 'strict'>,
  terminal: Terminal,
): boolean {
  if (!strict) return false;
  const files = new Set(
    diagnostics.filter(({ severity }) => severity === 'error').map(({ root, file }) => `${root}/${file}`),
  );
  if (files.size > 0)
    terminal.stderr.write(`chainbreak: --strict: ${plural(files.size, 'file')} could not be read in full.\n`);
  return files.size > 0;
}

async function diffCommand(
  named: readonly string[],
  wanted: string,
  options: ScanCommandOptions,
  terminal: Terminal,
): Promise<number> {
  const { failOn } = options;
  const wishes: ScanPathsOptions = { ...options, attackPaths: true, packages: true };
  const { scanDiff } = await import('./scan-diff.ts');
  const diffed = await scanDiff(named, wanted, wishes, terminal);
  const isShown = showing(options);
  const added = shownOnly(diffed.comparison.added, isShown);
  const report = { ...withFindings(diffed.report, diffed.report.findings.filter(isShown)), omitted: added.omitted };
  const paths = createPathsReport(terminal.version, diffed.repositories);
  terminal.stdout.write(render(report, paths, options, terminal));
  const { verdict } = judge({ added, head: shownOnly(diffed.comparison.head, isShown) }, { failOn, newOnly: true });
  if (verdict === 'broken') return EXIT.found;
  return diffed.complete && !isUnreadable(diffed.report, options, terminal) ? EXIT.clean : EXIT.failed;
}

type Shown = (item: Pick<Finding, 'severity' | 'pedantic'> & { readonly confidence?: Confidence }) => boolean;

export const CONFIDENCES: readonly Confidence[] = ['high', 'medium', 'low'];

function showing({
  minSeverity,
  minConfidence,
  pedantic,
  ruleset,
}: Pick<ScanCommandOptions, 'minSeverity' | 'minConfidence' | 'pedantic' | 'ruleset'>): Shown {
  // SLSA levels include rules that a default scan treats as opinion.
  const all = pedantic || ruleset.startsWith('slsa');
  const confident = (confidence: Confidence): boolean =>
    CONFIDENCES.indexOf(confidence) <= CONFIDENCES.indexOf(minConfidence);
  return ({ severity, confidence = 'high', pedantic: isPedantic }) =>
    severityRank(severity) <= severityRank(minSeverity) && confident(confidence) && (all || isPedantic !== true);
}

function shownOnly(parts: Parts, isShown: Shown): Parts {
  return { ...parts, findings: parts.findings.filter(isShown), omitted: parts.omitted.filter(isShown) };
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
  paths: PathsReport | undefined,
  { format, verbose, listInfo }: Pick<ScanCommandOptions, 'format' | 'verbose' | 'listInfo'>,
  terminal: Terminal,
): string {
  switch (format) {
    case 'concise':
      return toConcise(report, paths);
    case 'json':
      return toJson(report, paths);
    case 'sarif':
      return toSarif(report, paths && pathResults(paths));
    case 'markdown':
      return toMarkdown(report, paths);
    case 'github':
      return toGithub(report, paths);
    case 'text':
      return toTerminal(report, { ...textOptions(terminal, verbose), listInfo }, paths);
  }
}

function scanFails({ findings, omitted }: Report, repositories: readonly RepositoryPaths[], failOn: FailOn): boolean {
  if (failOn === 'never') return false;
  if (repositories.some(({ paths }) => paths.some(({ severity }) => comboSeverityRank(severity) === 0))) return true;
  // Unlisted findings cannot be in a baseline.
  return fails(findings, failOn) || fails(omitted, failOn);
}

export function fails(findings: readonly Pick<Finding, 'severity'>[], failOn: FailOn): boolean {
  return findings.some(({ severity }) => findingFails(severity, failOn));
}
