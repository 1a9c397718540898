import { availableParallelism } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, type ResourceLimits, Worker, workerData } from 'node:worker_threads';
import { NO_FACTS } from '#lib/facts/facts.ts';
import { factsOf, type Platform, platformWith } from '#lib/workflow/model/platform.ts';
import type { LocalRepository } from './files.ts';
import { type LocalScan, readLocal, type ScanWishes, scanLocal } from './scan-local.ts';

/** Below this many repositories, starting threads takes longer than they save. */
const MIN_REPOSITORIES = 12;
/** With the heaps below, all of them together take 290 MB on Node.js 20 and up to 315 on 22; a fourth adds 55. */
const MAX_THREADS = 3;
/**
 * Of a thread beside the first. A scan needs a fraction of it at a time; a smaller one is cleaned more often, which takes
 * a tenth more time. A repository that needs more is scanned by the first, which has no limit of its own.
 */
const ONE_MORE = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 };
const SEVERAL_MORE = { maxOldGenerationSizeMb: 48, maxYoungGenerationSizeMb: 4 };

/** What a thread is told when it starts; marks it as one of these, too. */
interface Settings {
  readonly chainbreak: 'scan';
  readonly locals: readonly LocalRepository[];
  readonly wishes: ScanWishes;
  readonly platform: readonly string[];
  /** One number that all threads share: the first repository that nobody has taken. */
  readonly next: Int32Array;
}

interface Answer {
  readonly index: number;
  readonly scan: LocalScan;
}

export interface ScanThreadsOptions extends ScanWishes {
  /** The program's own file, which a thread runs; undefined when there is none to run. */
  readonly program: URL | undefined;
  readonly platform: Platform;
}

/**
 * Scans repositories of this machine, whose scans ask nobody, on this thread and others. Calls back with each result as
 * it comes, in any order. Those that are never called back for are left for the caller to scan: all of them when
 * threads would not pay, and those whose scan threw or was more than a thread could hold.
 */
export async function scanOnThreads(
  locals: readonly LocalRepository[],
  { program, platform, ruleset, attackPaths }: ScanThreadsOptions,
  onScan: (index: number, scan: LocalScan) => void,
): Promise<void> {
  const others = Math.min(MAX_THREADS, availableParallelism()) - 1;
  if (program === undefined || others < 1 || locals.length < MIN_REPOSITORIES) return;
  const next = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const wishes = { ruleset, attackPaths };
  const settings: Settings = { chainbreak: 'scan', locals, wishes, platform: factsOf(platform), next };
  const heap = others === 1 ? ONE_MORE : SEVERAL_MORE;
  const ended = Array.from({ length: others }, () => runThread(program, settings, heap, onScan));
  for (const [index, scan] of scansOf(settings, platform)) {
    onScan(index, scan);
    // What the others have done meanwhile is heard between two repositories.
    await nextTurn();
  }
  await Promise.all(ended);
}

/** Resolves when the thread has ended, however it did; at once where none may be started. */
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

/** Whether this is one of the threads that {@link scanOnThreads} starts; then it has done its part. */
export function serveScans(): boolean {
  const settings = workerData as Settings | null;
  if (parentPort === null || settings?.chainbreak !== 'scan') return false;
  for (const [index, scan] of scansOf(settings, platformWith(settings.platform))) {
    parentPort.postMessage({ index, scan } satisfies Answer);
  }
  return true;
}

/** Scans the next repository that nobody has taken, until there is none; passes over those whose scan throws. */
function* scansOf({ locals, wishes, next }: Settings, platform: Platform): Generator<[number, LocalScan]> {
  for (;;) {
    const index = Atomics.add(next, 0, 1);
    const local = locals[index];
    if (local === undefined) return;
    let scan: LocalScan;
    try {
      scan = scanLocal(local, readLocal(local, platform), wishes, NO_FACTS);
    } catch {
      continue;
    }
    yield [index, scan];
  }
}
