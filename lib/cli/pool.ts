import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { Ruleset } from '../scanner/rulesets.ts';
import { type ScanResult, scanRepository } from '../scanner/scan.ts';
import { createRepository } from '../workflow/repository.ts';
import { type LocalRepository, ownerOf, readRepository } from './files.ts';

/** A scanned repository. */
export interface Scanned {
  readonly root: string;
  readonly result: ScanResult;
  /** Files that could be understood. */
  readonly understood: number;
}

interface Task {
  readonly repositories: readonly LocalRepository[];
  readonly ruleset: Ruleset;
}

/** Fewer repositories are scanned sooner than a second thread is warm. */
const MIN_REPOSITORIES = 24;
/** Each thread holds a heap of its own. */
const MAX_THREADS = 4;
/** A small young generation is collected more often, and costs a third less memory at the peak. */
const WORKER_LIMITS = { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 160 };

/**
 * Scans repositories, on several threads when there are many. The result is in the order given, whatever the number of
 * threads. `onDone` is called after each repository.
 */
export async function scanAll(
  repositories: readonly LocalRepository[],
  ruleset: Ruleset,
  onDone: (root: string) => void,
): Promise<Scanned[]> {
  const threads = repositories.length < MIN_REPOSITORIES ? 1 : Math.min(availableParallelism(), MAX_THREADS);
  if (threads === 1) return scanEach({ repositories, ruleset }, (scanned) => onDone(scanned.root));
  // Dealt like cards: neighbours by name tend to be of like size.
  const shares = Array.from({ length: threads }, (_, thread) =>
    repositories.filter((__, index) => index % threads === thread),
  );
  const [own = [], ...others] = shares;
  const running = others.map((share) => inWorker({ repositories: share, ruleset }, onDone));
  const done = [
    scanEach({ repositories: own, ruleset }, (scanned) => onDone(scanned.root)),
    ...(await Promise.all(running)),
  ];
  return repositories.map((_, index) => done[index % threads]?.[Math.floor(index / threads)] as Scanned);
}

function scanEach({ repositories, ruleset }: Task, onDone: (scanned: Scanned) => void): Scanned[] {
  return repositories.map((local) => {
    const repository = createRepository(readRepository(local), ownerOf(local));
    const understood = repository.files.filter(({ definition }) => definition !== undefined).length;
    const scanned = { root: local.root, result: scanRepository(repository, { ruleset }), understood };
    onDone(scanned);
    return scanned;
  });
}

function inWorker(task: Task, onDone: (root: string) => void): Promise<Scanned[]> {
  return new Promise((resolve, reject) => {
    const scanned: Scanned[] = [];
    // The program is one file: the worker runs it again and finds its task.
    const worker = new Worker(new URL(import.meta.url), { workerData: task, resourceLimits: WORKER_LIMITS });
    worker.on('message', (one: Scanned) => {
      scanned.push(one);
      onDone(one.root);
    });
    let failed = false;
    worker.on('error', () => {
      failed = true;
    });
    worker.on('exit', () => {
      // A worker that dies, of its memory limit most likely, leaves the rest of its share to the main thread.
      const rest = failed ? task.repositories.slice(scanned.length) : [];
      try {
        resolve([...scanned, ...scanEach({ ...task, repositories: rest }, ({ root }) => onDone(root))]);
      } catch (error) {
        reject(error);
      }
    });
  });
}

/** Carries out a worker's task; false in the main thread, which has none. */
export function runWorkerTask(): boolean {
  if (isMainThread) return false;
  scanEach(workerData as Task, (scanned) => parentPort?.postMessage(scanned));
  return true;
}
