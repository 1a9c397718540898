import { existsSync } from 'node:fs';
import { AppError } from '#lib/errors.ts';
import { NO_FACTS } from '#lib/facts/facts.ts';
import type { RepositoryPaths } from '#lib/report/paths-report.ts';
import { createReport, type Report } from '#lib/report/report.ts';
import { oldDataNotice } from '#lib/scanner/engine/data-age.ts';
import type { Platform } from '#lib/workflow/model/platform.ts';
import { cacheFolder } from './cache-folder.ts';
import { findRepositories, joinRoot, type LocalRepository, readStream, withoutDoubles } from './files.ts';
import { nowOf } from './now.ts';
import type { FactsSource } from './online-facts.ts';
import { Progress } from './progress.ts';
import { remoteOptions, remoteRepository } from './remote.ts';
import { type CachePlace, ResultCache } from './result-cache.ts';
import { type LocalScan, readLocal, type ScanWishes, scanLocal } from './scan-local.ts';
import { MIN_REPOSITORIES, scanOnThreads } from './scan-threads.ts';
import type { Terminal } from './terminal.ts';

export interface ScanPathsOptions extends ScanWishes {
  readonly online: boolean;
  readonly packages: boolean;
  readonly observed: string | undefined;
  readonly stdinName?: string | undefined;
  readonly platform: Platform;
  readonly cache: boolean;
  readonly environment: NodeJS.ProcessEnv;
}

export interface Scanned {
  readonly report: Report;
  readonly repositories: readonly RepositoryPaths[];
  readonly complete: boolean;
  readonly coversEverything: boolean;
}

export async function scanPaths(
  paths: readonly string[],
  options: ScanPathsOptions,
  terminal: Terminal,
): Promise<Scanned> {
  const locals: LocalRepository[] = [];
  for (const path of paths) {
    const found = await findAnywhere(path, options, terminal);
    locals.push(...found.map((local) => (paths.length === 1 ? local : { ...local, root: joinRoot(path, local.root) })));
  }
  const distinct = withoutDoubles(locals);
  const progress = new Progress(distinct.length, terminal.stderr);
  const scans = new Map<number, LocalScan>();
  const keep = (index: number, scan: LocalScan): void => {
    scans.set(index, scan);
    progress.advance(distinct[index]?.root ?? '');
  };
  const lookUp = await factsSource(options);
  const asksNobody = !options.online && distinct.every(({ remote }) => remote === undefined);
  const place = asksNobody ? cachePlace(options, terminal) : undefined;
  const cache = new ResultCache(place, options.platform, options);
  if (asksNobody) {
    if (place !== undefined) findKnown(distinct, cache, keep);
    const left = [...distinct.entries()].filter(([index]) => !scans.has(index));
    const locals = left.map(([, local]) => local);
    await scanOnThreads(locals, { ...options, place, program: terminal.program }, (nth, scan) => {
      keep(left[nth]?.[0] as number, scan);
    });
  }
  for (const [index, local] of distinct.entries()) {
    if (scans.has(index)) continue;
    if (asksNobody) {
      keep(index, cache.scan(local));
      continue;
    }
    const repository = readLocal(local, options.platform, options);
    const settings = local.remote === undefined ? NO_FACTS.settings : local.remote.settings;
    const facts = { ...(await lookUp.factsFor(repository, local)), settings };
    keep(index, scanLocal(local, repository, options, facts));
  }
  cache.prune();
  const inOrder = distinct.flatMap(({ root }, index) => ({ root, ...(scans.get(index) as LocalScan) }));
  const results = inOrder.map(({ root, result }) => ({ root, result }));
  const repositories = inOrder.flatMap((scan) => scan.paths ?? []);
  const understood = inOrder.reduce((sum, scan) => sum + scan.understood, 0);
  lookUp.keep();
  progress.end();
  const notice = oldDataNotice(nowOf(options.environment));
  const report = createReport(terminal.version, options.ruleset, results, notice === undefined ? [] : [notice]);
  if (report.files === 0) {
    throw new AppError('unreadable', `No workflow, action or Dependabot file to scan in ${describe(paths)}.`);
  }
  const failed = report.notAssessed.some(({ reason }) => reason === 'rule_error');
  const coversEverything =
    options.ruleset === 'all' && options.chosen === undefined && distinct.every(({ only }) => only === undefined);
  return { report, repositories, complete: understood > 0 && !failed, coversEverything };
}

function cachePlace({ cache, environment }: ScanPathsOptions, { engine }: Terminal): CachePlace | undefined {
  const folder = cache ? cacheFolder(environment) : undefined;
  return folder === undefined || engine === undefined ? undefined : { folder, engine };
}

function findKnown(
  locals: readonly LocalRepository[],
  cache: ResultCache,
  keep: (index: number, scan: LocalScan) => void,
): void {
  let missing = 0;
  for (const [index, local] of locals.entries()) {
    const known = cache.find(local);
    if (known !== undefined) keep(index, known);
    else missing += 1;
    if (missing >= MIN_REPOSITORIES) return;
  }
}

export async function factsSource(options: ScanPathsOptions): Promise<FactsSource> {
  if (options.online) {
    const { onlineFacts } = await import('./online-facts.ts');
    return onlineFacts(options);
  }
  if (options.observed !== undefined) throw new AppError('usage', '--observed requires --online.');
  return { factsFor: async () => NO_FACTS, keep: () => {} };
}

async function findAnywhere(
  path: string,
  { environment, stdinName }: ScanPathsOptions,
  { stdin }: Terminal,
): Promise<LocalRepository[]> {
  if (path === '-' && stdin !== undefined) return [await readStream(stdin, stdinName ?? 'stdin.yml')];
  if (existsSync(path)) return findRepositories(path);
  const remote = remoteOptions(environment);
  const name = remoteRepository(path, remote);
  if (name === undefined) return findRepositories(path);
  const { readRemote } = await import('./remote-host.ts');
  const read = await readRemote(name, remote);
  const folder = `${remote.webUrl}/${name.owner}/${name.name}${name.ref === undefined ? '' : `@${name.ref}`}`;
  return [{ folder, root: '.', only: undefined, remote: read }];
}

function describe(paths: readonly string[]): string {
  return paths.length === 1 && paths[0] === '.' ? 'this folder' : paths.join(', ');
}
