import { randomUUID } from 'node:crypto';

export const REQUEST_ID_HEADER = 'x-request-id';

const ACCEPTABLE = /^[A-Za-z0-9._:-]{1,128}$/;

/** Returns the id that a proxy set, or a new one if it is missing or unsafe to log. */
export function requestIdOf(headers: Headers): string {
  const given = headers.get(REQUEST_ID_HEADER);
  return given !== null && ACCEPTABLE.test(given) ? given : randomUUID();
}
