import { Piscina } from 'piscina';
import { AppError } from '#lib/errors.ts';
import { BUSY_SECONDS, HEAP_MB, IDLE_MS, type Lane, MAX_WAIT_MS, MAX_WAITING, THREAD_NICENESS } from './limits.ts';
import { bugOf, failureOf, type Outcome } from './perform.ts';
import type { TaskCall, TaskName, TaskResult } from './tasks.ts';

export interface ThreadsOptions {
  readonly program: string;
  readonly threads: number;
  readonly heapMb?: number;
  readonly onFailure?: (error: unknown) => void;
}

interface Waiting {
  readonly start: () => void;
}

export class Threads {
  readonly #pool: Piscina;
  readonly #waiting: Readonly<Record<Lane, Waiting[]>> = { connected: [], public: [] };
  #free: number;

  constructor({ program, threads, heapMb = HEAP_MB, onFailure = () => {} }: ThreadsOptions) {
    this.#free = threads;
    this.#pool = new Piscina({
      filename: program,
      name: 'perform',
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: IDLE_MS,
      atomics: 'disabled',
      niceIncrement: THREAD_NICENESS,
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
      // Threads get no credentials and no preloaded modules.
      env: {},
      execArgv: [],
    });
    this.#pool.on('error', (error: unknown) => onFailure(failureOf(bugOf(error))));
  }

  /** Throws `not-configured` with `retryAfterSeconds` if too many tasks wait, `timed-out` if a limit is exceeded. */
  async run<Name extends TaskName>(
    lane: Lane,
    call: TaskCall<Name>,
    runMs: number,
  ): Promise<Outcome<TaskResult<Name>>> {
    await this.#turn(lane);
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), runMs);
    try {
      return (await this.#pool.run(call, { signal: deadline.signal })) as Outcome<TaskResult<Name>>;
    } catch (error) {
      if (!deadline.signal.aborted && !isOutOfMemory(error)) throw failureOf(bugOf(error));
      throw new AppError('timed-out', 'Checking the files takes more time or memory than one request may use.');
    } finally {
      clearTimeout(timer);
      this.#next();
    }
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  async #turn(lane: Lane): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const line = this.#waiting[lane];
    if (line.length >= MAX_WAITING) throw busy();
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = {
        start: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        line.splice(line.indexOf(waiting), 1);
        reject(busy());
      }, MAX_WAIT_MS[lane]);
      line.push(waiting);
    });
  }

  #next(): void {
    const next = this.#waiting.connected.shift() ?? this.#waiting.public.shift();
    if (next === undefined) this.#free += 1;
    else next.start();
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function busy(): AppError {
  const message = 'All threads that check files are busy.';
  return new AppError('not-configured', message, { retryAfterSeconds: BUSY_SECONDS });
}
