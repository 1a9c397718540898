import { randomUUID } from 'node:crypto';

export const REQUEST_ID_HEADER = 'x-request-id';

/** Also in `serve.mjs`, which is no TypeScript. */
const ACCEPTABLE = /^[A-Za-z0-9._:-]{1,128}$/;

/** The id that a proxy in front gave the request, or a new one when there is none or it could hurt a log. */
export function requestIdOf(headers: Headers): string {
  const given = headers.get(REQUEST_ID_HEADER);
  return given !== null && ACCEPTABLE.test(given) ? given : randomUUID();
}
