import { isProblemCode } from '#lib/errors.ts';
import type { Refused } from '../scan/sentences.ts';

export type Answer<T> =
  | { readonly ok: T; readonly refused?: never }
  | { readonly refused: Refused; readonly ok?: never };

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Never throws: a request without an answer is refused as `offline`. */
export type CallApi = <T>(path: string, body?: unknown, method?: Method) => Promise<Answer<T>>;

export interface Tokens {
  readonly token: () => Promise<string | null>;
  readonly renew: () => Promise<string | null>;
}

export function createCallApi({ token, renew }: Tokens, onEnded: () => void = () => {}): CallApi {
  return async <T>(path: string, body?: unknown, method?: Method): Promise<Answer<T>> => {
    try {
      const bearer = await token();
      if (bearer === null) return ended(onEnded);
      let response = await send(bearer, path, body, method);
      if (response.status === 401) {
        const renewed = await renew();
        if (renewed === null) return ended(onEnded);
        response = await send(renewed, path, body, method);
        if (response.status === 401) return ended(onEnded);
      }
      const content: unknown = response.status === 204 ? null : await response.json();
      return response.ok ? { ok: content as T } : { refused: refusedBy(response, content) };
    } catch {
      return { refused: { code: 'offline' } };
    }
  };
}

function send(bearer: string, path: string, body: unknown, method: Method | undefined): Promise<Response> {
  return fetch(path, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    ...(body !== undefined && { body: JSON.stringify(body) }),
    headers: {
      authorization: `Bearer ${bearer}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
  });
}

function ended(onEnded: () => void): { readonly refused: Refused } {
  onEnded();
  return { refused: { code: 'unauthenticated' } };
}

function refusedBy({ headers }: Response, problem: unknown): Refused {
  const { code, detail, request_id: requestId } = problem as Readonly<Record<string, unknown>>;
  const known = typeof code === 'string' && isProblemCode(code) ? code : 'internal';
  const wait = Number.parseInt(headers.get('retry-after') ?? '', 10);
  return {
    code: known,
    ...(wait >= 1 && { wait }),
    ...(typeof detail === 'string' && { detail }),
    ...(known === 'internal' && typeof requestId === 'string' && { requestId }),
  };
}
