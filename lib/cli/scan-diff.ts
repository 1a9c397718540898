import { type Comparison, compareSides, type Side } from '#lib/changes/compare.ts';
import { withMoves } from '#lib/changes/moved-files.ts';
import { AppError } from '#lib/errors.ts';
import type { RepositoryPaths } from '#lib/report/paths-report.ts';
import { createReport, type Report } from '#lib/report/report.ts';
import { oldDataNotice } from '#lib/scanner/engine/data-age.ts';
import type { Ruleset } from '#lib/scanner/engine/rulesets.ts';
import type { FileDiagnostic, ScanResult } from '#lib/scanner/engine/scan.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import type { InputFile } from '#lib/workflow/repository.ts';
import { findRepositories, readRepository } from './files.ts';
import { findCommits, readCommit } from './git.ts';
import { nowOf } from './now.ts';
import { createLocal, rulesAmong, withNotChosen } from './scan-local.ts';
import { factsSource, type ScanPathsOptions } from './scan-paths.ts';
import type { Terminal } from './terminal.ts';

export interface Diffed {
  readonly comparison: Pick<Comparison, 'added' | 'head'>;
  readonly report: Report;
  readonly repositories: readonly RepositoryPaths[];
  readonly complete: boolean;
}

/**
 * Compares the merge base of `wanted` with a commit or the files in the folder. Each side is trusted as far as the
 * options say. Throws an AppError if the path is no clone or a commit is missing.
 */
export async function scanDiff(
  named: readonly string[],
  wanted: string,
  options: ScanPathsOptions,
  terminal: Terminal,
): Promise<Diffed> {
  const { environment, platform, ruleset } = options;
  const [local, ...others] = named.flatMap((path) => findRepositories(path));
  if (local === undefined || others.length > 0 || local.only !== undefined || local.root !== '.') {
    throw new AppError('usage', '--diff compares two commits of one clone: name its folder, or run it there.');
  }
  const { base, head } = await findCommits(local.folder, wanted, environment);
  const after = head === undefined ? readRepository(local) : await readCommit(local.folder, head, environment);
  const before = withMoves(await readCommit(local.folder, base, environment), after);
  if (after.length === 0 && before.length === 0) {
    throw new AppError('unreadable', 'No workflow, action or Dependabot file to scan on either side.');
  }
  const lookUp = await factsSource(options);
  const repositoryOf = (files: readonly InputFile[]) => createLocal(local, files, platform, options);
  const repositories = { before: repositoryOf(before), after: repositoryOf(after) };
  const facts = await lookUp.factsFor(repositories.after, head === undefined ? local : undefined);
  lookUp.keep();
  const sides = (among: Ruleset): { readonly before: Side; readonly after: Side } => {
    const scan = (repository: Repository): Side => {
      const { suppressions, chosen } = options;
      const result = scanRepository(repository, { ruleset: among, facts, suppressions, ...rulesAmong(chosen) });
      return { repository, result };
    };
    return { before: scan(repositories.before), after: scan(repositories.after) };
  };
  const { before: known, after: scanned } = sides(ruleset);
  const whole = ruleset === 'all' ? { before: known, after: scanned } : sides('all');
  const paths = compareSides(whole.before, whole.after, { facts });
  const findings = ruleset === 'all' ? paths : compareSides(known, scanned, { facts });
  const comparison = {
    added: { ...findings.added, paths: paths.added.paths },
    head: { ...findings.head, paths: paths.head.paths },
  };
  const notice = oldDataNotice(nowOf(environment));
  const results = [{ root: '.', result: onlyAdded(known.result, scanned.result, comparison) }];
  const report = createReport(terminal.version, ruleset, results, notice === undefined ? [] : [notice]);
  const failed = report.notAssessed.some(({ reason }) => reason === 'rule_error');
  const { files } = repositories.after;
  const {
    result: { findings: all },
  } = whole.after;
  const { notAssessed } = withNotChosen(whole.after.result, options.chosen);
  return {
    comparison,
    report: { ...report, base: { commit: base, known: comparison.head.findings.length - report.findings.length } },
    repositories: [{ root: '.', findings: all, notAssessed, found: paths.head.paths, paths: paths.added.paths }],
    complete: (files.length === 0 || files.some(({ definition }) => definition !== undefined)) && !failed,
  };
}

function onlyAdded(base: ScanResult, head: ScanResult, { added }: Pick<Comparison, 'added'>): ScanResult {
  const silentBefore = new Set(base.suppressed.map(({ finding }) => finding.fingerprint));
  const toldBefore = new Set(base.diagnostics.map(keyOf));
  return {
    ...head,
    findings: added.findings,
    omitted: added.omitted,
    suppressed: head.suppressed.filter(({ finding }) => !silentBefore.has(finding.fingerprint)),
    diagnostics: head.diagnostics.filter((diagnostic) => !toldBefore.has(keyOf(diagnostic))),
  };
}

function keyOf({ file, message }: FileDiagnostic): string {
  return JSON.stringify([file, message]);
}
