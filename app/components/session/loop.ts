import pMap from 'p-map';
import type { Refused } from '../scan/sentences.ts';
import type { Answer } from './call-api.ts';

export type LoopRow<T> =
  | { readonly kind: 'queued' | 'running' }
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly refused: Refused };

export interface LoopRun {
  readonly ids: readonly string[];
  /** `waiting` is for another loop of this browser, in this tab or in another one. */
  readonly state: 'waiting' | 'running' | 'paused' | 'stopping' | 'ended';
  readonly wait: { readonly seconds: number; readonly why: 'limit' | 'pace' } | null;
}

export interface LoopState<T> {
  readonly rows: ReadonlyMap<string, LoopRow<T>>;
  readonly run: LoopRun | null;
  readonly unfinished: readonly string[];
}

export interface LoopOptions {
  readonly atOnce: number;
  /** Requests per minute. The server allows 120; the rest is left for what else the user does. */
  readonly perMinute?: number;
  readonly endsOnFailure?: boolean | ((refused: Refused) => boolean);
}

type Send<T> = (id: string) => Promise<Answer<T>>;

const LOCK = 'chainbreak.loop';
const KEPT = 'chainbreak.rest.';
const PER_MINUTE = 90;
const MINUTE_MS = 60_000;
const USUAL_WAIT_SECONDS = 5;

let sentAt: number[] = [];

export class Loop<T> {
  readonly #name: string | null;
  readonly #listeners = new Set<() => void>();
  #state: LoopState<T>;
  #controller = new AbortController();
  #resume: () => void = () => {};
  #notBefore = 0;
  readonly #ask = (event: BeforeUnloadEvent): void => event.preventDefault();

  constructor(name: string | null = null) {
    this.#name = name;
    this.#state = { rows: new Map(), run: null, unfinished: name === null ? [] : readKept(name) };
  }

  readonly getState = (): LoopState<T> => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  get isBusy(): boolean {
    const { run } = this.#state;
    return run !== null && run.state !== 'ended';
  }

  async start(ids: readonly string[], send: Send<T>, options: LoopOptions): Promise<void> {
    if (this.isBusy) return;
    const controller = new AbortController();
    this.#controller = controller;
    this.#notBefore = 0;
    const queued = ids.map((id) => [id, { kind: 'queued' }] as const);
    this.#set({
      run: { ids, state: 'running', wait: null },
      rows: new Map([...this.#state.rows, ...queued]),
      unfinished: [],
    });
    this.#keep(ids);
    addEventListener('beforeunload', this.#ask);
    const work = () => this.#sendAll(ids, send, options, controller);
    await (ids.length === 1 ? work() : this.#alone(work, controller.signal));
    removeEventListener('beforeunload', this.#ask);
    const { rows, run } = this.#state;
    const rest = ids.filter((id) => rows.get(id)?.kind === 'queued');
    this.#set({
      run: run && { ...run, state: 'ended', wait: null },
      rows: new Map([...rows].filter(([, { kind }]) => kind !== 'queued')),
      unfinished: rest,
    });
    this.#keep(rest);
  }

  readonly pause = (): void => this.#setRun((run) => (run.state === 'running' ? { state: 'paused', wait: null } : {}));

  readonly resume = (): void => {
    this.#setRun((run) => (run.state === 'paused' ? { state: 'running' } : {}));
    this.#resume();
  };

  readonly stop = (): void => {
    this.#controller.abort();
    removeEventListener('beforeunload', this.#ask);
    this.#setRun((run) => (run.state === 'ended' ? {} : { state: 'stopping', wait: null }));
  };

  readonly forgetUnfinished = (): void => {
    this.#set({ ...this.#state, unfinished: [] });
    this.#keep([]);
  };

  async #alone(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    // Browsers offer locks to secure pages only.
    const { locks } = globalThis.navigator as { readonly locks?: LockManager };
    if (locks === undefined) return work();
    const hasRun = await locks.request(LOCK, { ifAvailable: true }, async (lock) => {
      if (lock !== null) await work();
      return lock !== null;
    });
    if (hasRun || signal.aborted) return;
    this.#setRun(() => ({ state: 'waiting' }));
    await locks
      .request(LOCK, { signal }, async () => {
        this.#setRun((run) => (run.state === 'waiting' ? { state: 'running' } : {}));
        await work();
      })
      .catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
  }

  async #sendAll(
    ids: readonly string[],
    send: Send<T>,
    { atOnce, perMinute = PER_MINUTE, endsOnFailure = false }: LoopOptions,
    controller: AbortController,
  ): Promise<void> {
    const { signal } = controller;
    const one = async (id: string) => {
      for (;;) {
        await this.#turn(perMinute, signal);
        if (signal.aborted) return;
        this.#setRun(() => ({ wait: null }));
        this.#put(id, { kind: 'running' });
        const { ok, refused } = await send(id);
        if (refused === undefined) return this.#end(id, { kind: 'done', value: ok });
        if (refused.code === 'rate-limited') {
          const seconds = refused.wait ?? USUAL_WAIT_SECONDS;
          this.#notBefore = Math.max(this.#notBefore, performance.now() + seconds * 1_000);
          this.#put(id, { kind: 'queued' });
          this.#setRun((run) => (run.state === 'running' ? { wait: { seconds, why: 'limit' } } : {}));
        } else if (refused.code === 'unauthenticated') {
          this.#put(id, { kind: 'queued' });
          controller.abort();
          return;
        } else {
          if (typeof endsOnFailure === 'function' ? endsOnFailure(refused) : endsOnFailure) controller.abort();
          return this.#end(id, { kind: 'failed', refused });
        }
      }
    };
    await pMap(ids, one, { concurrency: atOnce });
  }

  async #turn(perMinute: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const now = performance.now();
      sentAt = sentAt.filter((at) => at > now - MINUTE_MS);
      const oldest = sentAt.length < perMinute ? undefined : sentAt.at(-perMinute);
      const paced = oldest === undefined ? 0 : oldest + MINUTE_MS;
      if (this.#state.run?.state === 'paused') await this.#untilResumed(signal);
      else if (Math.max(this.#notBefore, paced) <= now) break;
      else {
        if (paced > this.#notBefore) {
          const seconds = Math.ceil((paced - now) / 1_000);
          this.#setRun((run) =>
            run.state === 'running' && run.wait === null ? { wait: { seconds, why: 'pace' } } : {},
          );
        }
        await pause(Math.max(this.#notBefore, paced) - now, signal);
      }
    }
    if (!signal.aborted) sentAt.push(performance.now());
  }

  #untilResumed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const others = this.#resume;
      this.#resume = () => {
        others();
        resolve();
      };
      signal.addEventListener('abort', () => resolve());
    });
  }

  #put(id: string, row: LoopRow<T>): void {
    this.#set({ ...this.#state, rows: new Map(this.#state.rows).set(id, row) });
  }

  #end(id: string, row: LoopRow<T>): void {
    this.#put(id, row);
    const { rows, run } = this.#state;
    this.#keep(run?.ids.filter((each) => ['queued', 'running'].includes(rows.get(each)?.kind ?? '')) ?? []);
  }

  #setRun(change: (run: LoopRun) => Partial<LoopRun>): void {
    const { run } = this.#state;
    if (run !== null) this.#set({ ...this.#state, run: { ...run, ...change(run) } });
  }

  #set(state: LoopState<T>): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }

  #keep(ids: readonly string[]): void {
    if (this.#name === null) return;
    if (ids.length === 0) sessionStorage.removeItem(KEPT + this.#name);
    else sessionStorage.setItem(KEPT + this.#name, JSON.stringify(ids));
  }
}

function readKept(name: string): readonly string[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEPT + name) ?? '[]');
    return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
