const SHORTEST_MS = 10;
const LONGEST_MS = 300;
const REST_MS = 250;
const QUICK_MS = 30;

export interface Work {
  readonly file: (path: string) => void;
  readonly all: () => void;
}

/**
 * Scans a changed file immediately if the last scan is long enough ago to leave time for other messages, else after a
 * pause in typing as long as that scan took. After a longer pause, or immediately if that takes no time, scans
 * everything that is open. A change cancels waiting scans.
 */
export class Schedule {
  readonly #work: Work;
  #timer: NodeJS.Timeout | undefined;
  #changed = new Set<string>();
  #fileMs = SHORTEST_MS;
  #allMs = Number.POSITIVE_INFINITY;
  #ended = Number.NEGATIVE_INFINITY;

  constructor(work: Work) {
    this.#work = work;
  }

  change(path: string): void {
    this.#changed.add(path);
    const pause = Math.min(Math.max(this.#fileMs, SHORTEST_MS), LONGEST_MS);
    const isQuiet = performance.now() - this.#ended > pause;
    this.#wait(isQuiet ? 0 : pause, () => this.#scanChanged());
  }

  changeAll(): void {
    this.#wait(LONGEST_MS / 3, () => this.#scanAll());
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #wait(ms: number, then: () => void): void {
    this.stop();
    this.#timer = setTimeout(then, ms);
  }

  #scanChanged(): void {
    if (this.#allMs <= QUICK_MS) {
      this.#scanAll();
      return;
    }
    const [path, ...others] = this.#changed;
    if (path !== undefined) this.#fileMs = this.#timed(() => this.#work.file(path));
    this.#changed = new Set(others);
    // Between two scans the next message is read, which can cancel the second.
    const pause = others.length > 0 ? 0 : this.#allMs === Number.POSITIVE_INFINITY ? SHORTEST_MS : REST_MS;
    this.#wait(pause, () => (others.length > 0 ? this.#scanChanged() : this.#scanAll()));
  }

  #scanAll(): void {
    this.#changed.clear();
    this.#allMs = this.#timed(() => this.#work.all());
  }

  #timed(run: () => void): number {
    const start = performance.now();
    run();
    this.#ended = performance.now();
    return this.#ended - start;
  }
}
