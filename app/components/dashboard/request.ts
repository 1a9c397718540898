import type { Refused } from '../scan/sentences.ts';
import type { CallApi } from '../session/call-api.ts';

export class RequestError extends Error {
  readonly refused: Refused;

  constructor(refused: Refused) {
    super(refused.code);
    this.refused = refused;
  }
}

export type Request = <T>(...[path, body, method]: Parameters<CallApi>) => Promise<T>;

const MOST_WAIT_SECONDS = 5;
const AGAIN_AFTER_MS = 1_000;

/**
 * Like `call`, but rejects with a `RequestError`. What the rate limit refuses for a few seconds is sent again after them.
 * A change that got no answer is sent once more, unless sending it twice could do it twice.
 */
export function requestWith(call: CallApi): Request {
  return async <T>(...[path, body, method]: Parameters<CallApi>): Promise<T> => {
    const first = await call<T>(path, body, method);
    if (first.refused === undefined) return first.ok;
    const { code, wait = Number.POSITIVE_INFINITY } = first.refused;
    const wasLost = code === 'offline' && (method === 'PUT' || method === 'DELETE') && navigator.onLine;
    if (!wasLost && !(code === 'rate-limited' && wait <= MOST_WAIT_SECONDS)) throw new RequestError(first.refused);
    await new Promise((resolve) => setTimeout(resolve, wasLost ? AGAIN_AFTER_MS : wait * 1_000));
    const { ok, refused } = await call<T>(path, body, method);
    if (refused === undefined) return ok;
    if (wasLost && method === 'DELETE' && refused.code === 'not-found') return null as T;
    throw new RequestError(refused);
  };
}

interface Asked {
  readonly isPending: boolean;
  readonly errorUpdateCount: number;
}

/**
 * Returns true until each query was answered or failed once. A failed one is pending again as soon as the part of the page
 * that shows its failure asks for it; who waits for that too would take this part away again, for ever.
 */
export function isAwaited(queries: readonly Asked[]): boolean {
  return queries.some(({ isPending, errorUpdateCount }) => isPending && errorUpdateCount === 0);
}

export function refusedBy(error: unknown): Refused {
  return error instanceof RequestError ? error.refused : { code: 'internal' };
}

const MAY_PASS = new Set(['offline', 'internal', 'timed-out', 'scm-unreachable']);

export function mayPass(error: unknown): boolean {
  return MAY_PASS.has(refusedBy(error).code) || isBusy(error);
}

export function isBusy(error: unknown): boolean {
  const { code, wait } = refusedBy(error);
  return code === 'not-configured' && wait !== undefined;
}

export interface DatabaseAnswer<T> {
  readonly data: T;
  readonly error: { readonly message: string } | null;
  readonly status: number;
}

export function rowsOf<T>({ data, error, status }: DatabaseAnswer<T>): NonNullable<T> {
  if (error === null && data !== null && data !== undefined) return data;
  if (status === 401) throw new RequestError({ code: 'unauthenticated' });
  throw new RequestError({ code: status === 0 ? 'offline' : 'internal' });
}

const MOST_ROWS = 1_000;

/** Returns all rows of a direct read with a total order; the database answers with at most 1,000 at once. */
export async function allRows<T>(
  read: (from: number, to: number) => PromiseLike<DatabaseAnswer<readonly T[] | null>>,
): Promise<readonly T[]> {
  const all: T[] = [];
  for (;;) {
    const rows = rowsOf(await read(all.length, all.length + MOST_ROWS - 1));
    all.push(...rows);
    if (rows.length < MOST_ROWS) return all;
  }
}
