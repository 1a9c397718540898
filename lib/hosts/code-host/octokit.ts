import { Octokit } from '@octokit/core';
import { outside } from '#lib/tracing.ts';
import { fetchWhole } from '../fetch-whole.ts';
import { CodeHostFailure } from './errors.ts';

/** GitHub gives up on a query after about ten seconds. */
const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

export const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore };

export function octokitFor(apiUrl: string, timeoutMs: number = TIMEOUT_MS): typeof Octokit {
  assertSafe(apiUrl);
  return Octokit.defaults({
    baseUrl: apiUrl.replace(/\/$/, ''),
    userAgent: 'chainbreak',
    request: { fetch: boundedFetch(timeoutMs), log: SILENT },
    log: SILENT,
  });
}

export function assertSafe(url: string): void {
  const { protocol, hostname } = new URL(url);
  const local = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  if (protocol !== 'https:' && !(local && protocol === 'http:')) {
    throw new TypeError(`The code host's address must begin with https: ${protocol}//${hostname}`);
  }
}

function ignore(): void {}

/**
 * Reads the whole response within limits of time and size; the client library treats an aborted body as empty and waits
 * without limit.
 */
function boundedFetch(timeoutMs: number): typeof fetch {
  return (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    // Names of repositories stay out of names of spans.
    const name = pathname.endsWith('/graphql') ? 'code host: graphql' : 'code host: rest';
    return outside('code_host', name, () => send(input, init, timeoutMs));
  };
}

const send = async (...[input, init, timeoutMs]: [...Parameters<typeof fetch>, number]): Promise<Response> => {
  const headers = new Headers(init?.headers);
  headers.set('x-github-api-version', '2022-11-28');
  const signal = AbortSignal.timeout(timeoutMs);
  const { response, body: whole } = await fetchWhole(
    input,
    { ...init, headers, redirect: 'error', signal },
    {
      maxBytes: MAX_ANSWER_BYTES,
      tooLarge: () => new CodeHostFailure('too-large', `An answer has more than ${MAX_ANSWER_BYTES} bytes.`),
    },
  );
  const { status, statusText } = response;
  const body = [101, 204, 205, 304].includes(status) ? null : whole;
  return new Response(body, { status, statusText, headers: response.headers });
};
