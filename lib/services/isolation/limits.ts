/** Who waits for a thread: anonymous visitors, or the owners of connected repositories, who go first. */
export type Lane = 'public' | 'connected';

/** Waiting tasks of each lane; another one is refused. */
export const MAX_WAITING = 20;

/** How long a task waits for a thread before it is refused. */
export const WAIT_MS: Readonly<Record<Lane, number>> = { public: 10_000, connected: 30_000 };

/** When somebody who was refused may try again. */
export const BUSY_SECONDS = 10;

/** How long a task may run before its thread is ended. */
export const RUN_MS = { public: 10_000, connected: 60_000 } as const;

export const HEAP_MB = 512;

/** An idle thread is kept this long, since starting one takes some hundred milliseconds. */
export const IDLE_MS = 5 * 60_000;

/** Added to the priority of threads, so that the thread of the requests goes first; a lower priority is a higher number. */
export const NICE = 10;
