import { isProblemCode } from '#lib/errors.ts';
import type { Refused } from '../scan/sentences.ts';

export type Answer<T> =
  | { readonly ok: T; readonly refused?: never }
  | { readonly refused: Refused; readonly ok?: never };

/** Calls the API with the user's token. Never throws; a request without an answer is refused as `offline`. */
export type CallApi = <T>(path: string, body?: unknown) => Promise<Answer<T>>;

export function createCallApi(token: () => Promise<string | null>): CallApi {
  return async <T>(path: string, body?: unknown): Promise<Answer<T>> => {
    try {
      const bearer = await token();
      if (bearer === null) return { refused: { code: 'unauthenticated' } };
      const response = await fetch(path, {
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
        headers: {
          authorization: `Bearer ${bearer}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
      });
      const content: unknown = await response.json();
      return response.ok ? { ok: content as T } : { refused: refusedBy(response, content) };
    } catch {
      return { refused: { code: 'offline' } };
    }
  };
}

function refusedBy({ headers }: Response, problem: unknown): Refused {
  const { code, request_id: requestId } = problem as { readonly code?: unknown; readonly request_id?: unknown };
  const known = typeof code === 'string' && isProblemCode(code) ? code : 'internal';
  const wait = Number.parseInt(headers.get('retry-after') ?? '', 10);
  return {
    code: known,
    ...(wait >= 1 && { wait }),
    ...(known === 'internal' && typeof requestId === 'string' && { requestId }),
  };
}
