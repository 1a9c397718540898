/**
 * Keeps to what the code host allows one token: so many requests at once, and none while it has told us to wait.
 * Whoever comes too early is refused at once instead of being kept waiting.
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

  /** Seconds until requests are allowed again, at least 1; undefined when they are. */
  get waitSeconds(): number | undefined {
    const left = this.#closedUntil - this.#now();
    return left > 0 ? Math.max(1, Math.ceil(left / 1000)) : undefined;
  }

  /** Sends nothing for so long. A shorter wait never ends a longer one. */
  close(seconds: number): void {
    this.#closedUntil = Math.max(this.#closedUntil, this.#now() + seconds * 1000);
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#maxConcurrent) await new Promise<void>((resolve) => this.#queue.push(resolve));
    else this.#running += 1;
    try {
      return await task();
    } finally {
      // The place is handed on, so that nobody slips in between.
      const next = this.#queue.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
