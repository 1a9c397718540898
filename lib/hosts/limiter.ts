/**
 * Applies a host's limits to a token: bounded concurrency, and no requests while the host asks to wait. Early callers
 * are refused rather than queued.
 */
export class Limiter {
  readonly #maxConcurrent: number;
  readonly #now: () => number;
  readonly #queue: (() => void)[] = [];
  #running = 0;
  #closedUntil = 0;

  constructor(options: { readonly maxConcurrent?: number; readonly now?: () => number } = {}) {
    this.#maxConcurrent = options.maxConcurrent ?? 8;
    this.#now = options.now ?? Date.now;
  }

  get waitSeconds(): number | undefined {
    const left = this.#closedUntil - this.#now();
    return left > 0 ? Math.max(1, Math.ceil(left / 1000)) : undefined;
  }

  close(seconds: number): void {
    this.#closedUntil = Math.max(this.#closedUntil, this.#now() + seconds * 1000);
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#maxConcurrent) await new Promise<void>((resolve) => this.#queue.push(resolve));
    else this.#running += 1;
    try {
      return await task();
    } finally {
      // Hands the slot on, so that no newcomer takes it.
      const next = this.#queue.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
