import { availableParallelism } from 'node:os';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { NO_FACTS } from '../scanner/facts.ts';
import type { Ruleset } from '../scanner/rulesets.ts';
import { factsOf, type Platform, platformWith } from '../workflow/platform.ts';
import type { LocalRepository } from './files.ts';
import { type LocalScan, readLocal, scanLocal } from './scan-local.ts';

/** Below this many repositories, starting threads takes longer than they save. */
const MIN_REPOSITORIES = 12;
const MAX_THREADS = 4;
/** Repositories that a thread is given at a time: the next is there when one is done. */
const AHEAD = 2;
/**
 * Of each thread. A scan needs a fraction of it at a time; without a limit, garbage is left lying until there is much
 * of it. A repository that needs more is scanned by the main thread, which has no limit of its own.
 */
const RESOURCES = { maxOldGenerationSizeMb: 112, maxYoungGenerationSizeMb: 24 };

/** What a thread is told when it starts; marks it as one of these, too. */
interface Settings {
  readonly chainbreak: 'scan';
  readonly ruleset: Ruleset;
  readonly platform: readonly string[];
}

interface Task {
  readonly index: number;
  readonly local: LocalRepository;
}

interface Answer {
  readonly index: number;
  /** Absent when the scan threw: the main thread scans it again and so reports why. */
  readonly scan: LocalScan | undefined;
}

export interface ScanThreadsOptions {
  /** The program's own file, which a thread runs; undefined when there is none to run. */
  readonly program: URL | undefined;
  readonly ruleset: Ruleset;
  readonly platform: Platform;
}

/**
 * Scans repositories of this machine, whose scans ask nobody, on several threads. Calls back with each result as it
 * comes, in any order. Those that are never called back for are left for the caller to scan: all of them when threads
 * would not pay, and those that a thread failed at.
 */
export async function scanOnThreads(
  locals: readonly LocalRepository[],
  { program, ruleset, platform }: ScanThreadsOptions,
  onScan: (index: number, scan: LocalScan) => void,
): Promise<void> {
  const count = Math.min(MAX_THREADS, availableParallelism());
  if (program === undefined || count < 2 || locals.length < MIN_REPOSITORIES) return;
  const settings: Settings = { chainbreak: 'scan', ruleset, platform: factsOf(platform) };
  let next = 0;
  const take = (worker: Worker): boolean => {
    const local = locals[next];
    if (local === undefined) return false;
    worker.postMessage({ index: next, local } satisfies Task);
    next += 1;
    return true;
  };
  const run = (): Promise<void> =>
    new Promise((resolve) => {
      const worker = new Worker(program, { workerData: settings, resourceLimits: RESOURCES });
      let underWay = 0;
      worker.on('message', ({ index, scan }: Answer) => {
        underWay -= 1;
        if (scan !== undefined) onScan(index, scan);
        if (take(worker)) underWay += 1;
        if (underWay === 0) void worker.terminate();
      });
      worker.on('error', () => {});
      worker.on('exit', () => resolve());
      while (underWay < AHEAD && take(worker)) underWay += 1;
      if (underWay === 0) void worker.terminate();
    });
  await Promise.all(Array.from({ length: count }, run));
}

/** Whether this is one of the threads that {@link scanOnThreads} starts; then it has begun to serve. */
export function serveScans(): boolean {
  const settings = workerData as Settings | null;
  if (parentPort === null || settings?.chainbreak !== 'scan') return false;
  const port = parentPort;
  const platform = platformWith(settings.platform);
  port.on('message', ({ index, local }: Task) => {
    let scan: LocalScan | undefined;
    try {
      scan = scanLocal(local, readLocal(local, platform), settings.ruleset, NO_FACTS);
    } catch {
      scan = undefined;
    }
    port.postMessage({ index, scan } satisfies Answer);
  });
  return true;
}
