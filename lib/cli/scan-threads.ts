import { availableParallelism } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, type ResourceLimits, Worker, workerData } from 'node:worker_threads';
import { factsOf, type Platform, platformWith } from '#lib/workflow/model/platform.ts';
import type { LocalRepository } from './files.ts';
import { type CachePlace, ResultCache } from './result-cache.ts';
import type { LocalScan, ScanWishes } from './scan-local.ts';
import { limitYoungGeneration } from './tune.ts';

export const MIN_REPOSITORIES = 12;
/** With these heaps three threads take 290 MB on Node.js 20 and up to 315 on 22; a fourth adds 55. */
const MAX_THREADS = 3;
/**
 * Heap of an extra thread. Smaller heaps cost a tenth more time; repositories that need more are left to the main
 * thread, whose heap is unlimited.
 */
const ONE_MORE = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 };
const SEVERAL_MORE = { maxOldGenerationSizeMb: 48, maxYoungGenerationSizeMb: 4 };

interface Settings {
  readonly chainbreak: 'scan';
  readonly locals: readonly LocalRepository[];
  readonly wishes: ScanWishes;
  readonly platform: readonly string[];
  readonly place: CachePlace | undefined;
  readonly next: Int32Array;
}

interface Answer {
  readonly index: number;
  readonly scan: LocalScan;
}

export interface ScanThreadsOptions extends ScanWishes {
  readonly program: URL | undefined;
  readonly platform: Platform;
  readonly place?: CachePlace | undefined;
}

/**
 * Scans local repositories on several threads and calls back with each result, in any order. Repositories
 * without a callback are left to the caller: all of them if threads would not pay off, and those whose scan
 * failed.
 */
export async function scanOnThreads(
  locals: readonly LocalRepository[],
  { program, place, platform, ruleset, chosen, attackPaths, suppressions, config }: ScanThreadsOptions,
  onScan: (index: number, scan: LocalScan) => void,
): Promise<void> {
  const others = Math.min(MAX_THREADS, availableParallelism()) - 1;
  if (program === undefined || others < 1 || locals.length < MIN_REPOSITORIES) return;
  const next = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const wishes = { ruleset, chosen, attackPaths, suppressions, config };
  const settings: Settings = { chainbreak: 'scan', locals, wishes, platform: factsOf(platform), place, next };
  const heap = others === 1 ? ONE_MORE : SEVERAL_MORE;
  const ended = Array.from({ length: others }, () => runThread(program, settings, heap, onScan));
  for (const [index, scan] of scansOf(settings, platform)) {
    onScan(index, scan);
    limitYoungGeneration();
    await nextTurn();
  }
  await Promise.all(ended);
}

function runThread(
  program: URL,
  settings: Settings,
  heap: ResourceLimits,
  onScan: (index: number, scan: LocalScan) => void,
): Promise<void> {
  return new Promise((resolve) => {
    try {
      const worker = new Worker(program, { workerData: settings, resourceLimits: heap });
      worker.on('message', ({ index, scan }: Answer) => onScan(index, scan));
      worker.on('error', () => {});
      worker.on('exit', () => resolve());
    } catch {
      resolve();
    }
  });
}

export function serveScans(): boolean {
  const settings = workerData as Settings | null;
  if (parentPort === null || settings?.chainbreak !== 'scan') return false;
  for (const [index, scan] of scansOf(settings, platformWith(settings.platform))) {
    parentPort.postMessage({ index, scan } satisfies Answer);
  }
  return true;
}

function* scansOf({ locals, wishes, place, next }: Settings, platform: Platform): Generator<[number, LocalScan]> {
  const cache = new ResultCache(place, platform, wishes);
  for (;;) {
    const index = Atomics.add(next, 0, 1);
    const local = locals[index];
    if (local === undefined) return;
    let scan: LocalScan;
    try {
      scan = cache.scan(local);
    } catch {
      continue;
    }
    yield [index, scan];
  }
}
