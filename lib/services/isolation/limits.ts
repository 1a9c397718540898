export type Lane = 'public' | 'connected';

export const MAX_WAITING = 20;

export const MAX_WAIT_MS: Readonly<Record<Lane, number>> = { public: 10_000, connected: 30_000 };

export const BUSY_SECONDS = 10;

export const RUN_MS = { public: 10_000, connected: 60_000 } as const;

export const HEAP_MB = 512;

/** Starting a thread takes several hundred milliseconds. */
export const IDLE_MS = 5 * 60_000;

export const THREAD_NICENESS = 5;
