import { existsSync } from 'node:fs';
import { AppError } from '../errors.ts';
import { toGithub } from '../report/github.ts';
import { toJson } from '../report/json.ts';
import { toMarkdown } from '../report/markdown.ts';
import { createReport, type Report, withFindings } from '../report/report.ts';
import { toSarif } from '../report/sarif.ts';
import { toTerminal } from '../report/terminal.ts';
import { oldDataNotice } from '../scanner/data-age.ts';
import { type Facts, NO_FACTS } from '../scanner/facts.ts';
import { type Finding, severityRank } from '../scanner/finding.ts';
import type { Severity } from '../scanner/rule.ts';
import type { Ruleset } from '../scanner/rulesets.ts';
import { type ScanResult, scanRepository } from '../scanner/scan.ts';
import { actionsUsedBy } from '../workflow/actions.ts';
import type { Platform } from '../workflow/platform.ts';
import { createRepository, type Repository } from '../workflow/repository.ts';
import { applyBaseline, writeBaseline } from './baseline.ts';
import { EXIT } from './exit-codes.ts';
import { findRepositories, joinRoot, type LocalRepository, ownerOf, readRepository, withoutDoubles } from './files.ts';
import { observe, readObservations, writeObservations } from './observations.ts';
import { Progress } from './progress.ts';
import { connectForActions, readRemote, remoteOptions, remoteRepository } from './remote.ts';
import type { Terminal } from './terminal.ts';

export const FORMATS = ['text', 'json', 'sarif', 'markdown', 'github'] as const;
export type Format = (typeof FORMATS)[number];
export type FailOn = 'critical' | 'never' | Lowercase<Severity>;
export const FAIL_ON: readonly FailOn[] = ['critical', 'high', 'medium', 'low', 'info', 'never'];

export interface ScanCommandOptions {
  readonly format: Format;
  readonly ruleset: Ruleset;
  readonly failOn: FailOn;
  readonly minSeverity: Severity;
  readonly baseline: string | undefined;
  readonly writeBaseline: boolean;
  readonly verbose: boolean;
  /** Asks the code host about the actions that are used. */
  readonly online: boolean;
  /** A file that keeps what release tags named when they were first seen. */
  readonly observed: string | undefined;
  /** Where the workflows run. */
  readonly platform: Platform;
  /** Names the code host and the token for it. */
  readonly environment: NodeJS.ProcessEnv;
}

export const DEFAULT_BASELINE = 'chainbreak-baseline.json';

/** Scans the paths and repositories named, prints the report and returns the exit code. */
export async function scanCommand(
  paths: readonly string[],
  options: ScanCommandOptions,
  terminal: Terminal,
): Promise<number> {
  const { report, complete } = await scanPaths(paths.length === 0 ? ['.'] : paths, options, terminal);
  if (options.writeBaseline) {
    const file = options.baseline ?? DEFAULT_BASELINE;
    writeBaseline(report, file);
    terminal.stdout.write(
      `${report.findings.length} findings written to ${file}. Scan with --baseline ${file} from now on.\n`,
    );
    return EXIT.clean;
  }
  const fresh = options.baseline === undefined ? report : applyBaseline(report, options.baseline);
  const shown = withFindings(
    fresh,
    fresh.findings.filter(({ severity }) => severityRank(severity) <= severityRank(options.minSeverity)),
  );
  terminal.stdout.write(render(shown, options, terminal));
  if (fails(shown.findings, options.failOn)) return EXIT.found;
  return complete ? EXIT.clean : EXIT.failed;
}

async function scanPaths(
  paths: readonly string[],
  options: ScanCommandOptions,
  terminal: Terminal,
): Promise<{ report: Report; complete: boolean }> {
  const locals: LocalRepository[] = [];
  for (const path of paths) {
    const found = await findAnywhere(path, options.environment);
    locals.push(...found.map((local) => (paths.length === 1 ? local : { ...local, root: joinRoot(path, local.root) })));
  }
  const distinct = withoutDoubles(locals);
  const progress = new Progress(distinct.length, terminal.stderr);
  let understood = 0;
  const lookUp = onlineFacts(options);
  const results: { root: string; result: ScanResult }[] = [];
  for (const local of distinct) {
    const repository = createRepository(readRepository(local), ownerOf(local), {
      partial: local.only !== undefined,
      platform: options.platform,
    });
    understood += repository.files.filter(({ definition }) => definition !== undefined).length;
    const settings = local.remote === undefined ? NO_FACTS.settings : local.remote.settings;
    const facts = { ...(await lookUp.factsFor(repository)), settings };
    const result = scanRepository(repository, { ruleset: options.ruleset, facts });
    progress.advance(local.root);
    results.push({ root: local.root, result });
  }
  lookUp.keep();
  progress.end();
  const notice = oldDataNotice(nowOf(options.environment));
  const report = createReport(terminal.version, options.ruleset, results, notice === undefined ? [] : [notice]);
  if (report.files === 0) {
    throw new AppError('unreadable', `${describe(paths)} no workflow, action or Dependabot file to scan.`);
  }
  const failed = report.notAssessed.some(({ reason }) => reason === 'rule_error');
  return { report, complete: understood > 0 && !failed };
}

/** SOURCE_DATE_EPOCH makes output repeatable: https://reproducible-builds.org/specs/source-date-epoch/ */
function nowOf(environment: NodeJS.ProcessEnv): Date {
  const seconds = Number(environment['SOURCE_DATE_EPOCH']);
  return seconds > 0 && seconds < 1e11 ? new Date(seconds * 1_000) : new Date();
}

interface OnlineFacts {
  factsFor(repository: Repository): Promise<Facts>;
  /** Writes what was seen for the first time. */
  keep(): void;
}

/** What the code host tells of actions, when it may be asked. */
function onlineFacts({ online, observed, environment }: ScanCommandOptions): OnlineFacts {
  if (!online) {
    if (observed !== undefined) throw new AppError('usage', '--observed needs --online.');
    return { factsFor: async () => NO_FACTS, keep: () => {} };
  }
  const host = connectForActions(remoteOptions(environment));
  const before = observed === undefined ? undefined : readObservations(observed);
  const after = observed === undefined ? undefined : readObservations(observed);
  return {
    async factsFor(repository) {
      const used = actionsUsedBy(repository);
      const network = await host.readActions(used);
      if (after !== undefined && 'value' in network) observe(after, used, network.value, nowOf(environment));
      return { ...NO_FACTS, network, ...(before === undefined ? {} : { observations: { value: before } }) };
    },
    keep() {
      if (observed !== undefined && after !== undefined) writeObservations(after, observed);
    },
  };
}

/** What an argument stands for on this machine or, when there is nothing of the name, at the code host. */
async function findAnywhere(path: string, environment: NodeJS.ProcessEnv): Promise<LocalRepository[]> {
  if (existsSync(path)) return findRepositories(path);
  const remote = remoteOptions(environment);
  const name = remoteRepository(path, remote);
  if (name === undefined) return findRepositories(path);
  const read = await readRemote(name, remote);
  const folder = `${remote.webUrl}/${name.owner}/${name.name}`;
  return [{ folder, root: '.', only: undefined, remote: read }];
}

function describe(paths: readonly string[]): string {
  return paths.length === 1 && paths[0] === '.' ? 'This folder has' : `${paths.join(', ')}: there is`;
}

function render(report: Report, { format, verbose }: ScanCommandOptions, terminal: Terminal): string {
  switch (format) {
    case 'json':
      return toJson(report);
    case 'sarif':
      return toSarif(report);
    case 'markdown':
      return toMarkdown(report);
    case 'github':
      return toGithub(report);
    case 'text':
      return toTerminal(report, { color: terminal.color, width: terminal.stdout.columns ?? 100, verbose });
  }
}

/** `critical` is for attack paths, which single findings are not. */
export function fails(findings: readonly Pick<Finding, 'severity'>[], failOn: FailOn): boolean {
  if (failOn === 'never' || failOn === 'critical') return false;
  const threshold = severityRank(failOn.toUpperCase() as Severity);
  return findings.some(({ severity }) => severityRank(severity) <= threshold);
}
