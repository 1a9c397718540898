import { Octokit } from '@octokit/core';
import { CodeHostFailure, type Headers, limitSeconds } from './errors.ts';
import { Limiter } from './limiter.ts';

export interface CodeHostOptions {
  /** Such as `https://api.github.com` or `https://HOST/api/v3`. */
  readonly apiUrl: string;
  readonly graphqlUrl: string;
  readonly token: string;
  /** For one attempt, the answer's last byte included. */
  readonly timeoutMs?: number;
}

export interface GraphqlError {
  readonly type?: string;
  readonly path?: readonly (string | number)[];
  readonly message?: string;
}

export interface GraphqlAnswer {
  readonly data: unknown;
  readonly errors: readonly GraphqlError[];
}

/** GitHub gives a query some ten seconds before it gives up. */
const TIMEOUT_MS = 10_000;
/** Some twenty times what the largest of 2,300 measured repositories answers. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/** Sends one request at a time to a code host and names what went wrong. It never sends anything twice. */
export class Client {
  readonly #octokit: Octokit;
  readonly #graphqlUrl: string;
  readonly #limiter = new Limiter();

  constructor({ apiUrl, graphqlUrl, token, timeoutMs = TIMEOUT_MS }: CodeHostOptions) {
    for (const url of [apiUrl, graphqlUrl]) assertSafe(url);
    this.#graphqlUrl = graphqlUrl;
    this.#octokit = new Octokit({
      auth: token,
      baseUrl: apiUrl.replace(/\/$/, ''),
      userAgent: 'chainbreak',
      request: { fetch: boundedFetch(timeoutMs) },
      log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    });
  }

  /** Throws a CodeHostFailure. What GraphQL itself refuses is in the answer's errors, beside what it did answer. */
  async query(query: string, variables: Readonly<Record<string, unknown>>): Promise<GraphqlAnswer> {
    return this.#limiter.run(async () => {
      const wait = this.#limiter.waitSeconds;
      if (wait !== undefined) throw new CodeHostFailure('limit', 'Not sent: the code host told us to wait.', wait);
      let answer: { data: unknown; headers: Headers };
      try {
        answer = await this.#octokit.request({
          method: 'POST',
          url: this.#graphqlUrl,
          headers: { 'x-github-api-version': '2022-11-28' },
          query,
          variables,
        });
      } catch (error) {
        throw this.#noting(toFailure(error));
      }
      const { data, headers } = answer;
      if (typeof data !== 'object' || data === null) {
        throw new CodeHostFailure('unexpected', 'The answer to a query was no JSON object.');
      }
      const { data: fields, errors } = data as { data?: unknown; errors?: unknown };
      const list = Array.isArray(errors) ? (errors as GraphqlError[]) : [];
      // GraphQL tells of a limit with status 200.
      if (list.some(({ type }) => type === 'RATE_LIMITED')) {
        throw this.#noting(new CodeHostFailure('limit', 'GraphQL: RATE_LIMITED', limitSeconds(headers, true)));
      }
      return { data: fields, errors: list };
    });
  }

  #noting(failure: CodeHostFailure): CodeHostFailure {
    if (failure.kind === 'limit') this.#limiter.close(failure.retryAfterSeconds ?? 1);
    return failure;
  }
}

function ignore(): void {}

/** A token goes over the network only where nobody can read it on the way. */
function assertSafe(url: string): void {
  const { protocol, hostname } = new URL(url);
  const local = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  if (protocol !== 'https:' && !(local && protocol === 'http:')) {
    throw new TypeError(`The code host's address must begin with https: ${protocol}//${hostname}`);
  }
}

/**
 * Reads the whole answer within the time and the size allowed. The client library would take a body that breaks off
 * for an empty one, and waits for ever.
 */
function boundedFetch(timeoutMs: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.byteLength;
      if (size > MAX_ANSWER_BYTES)
        throw new CodeHostFailure('too-large', `An answer has more than ${MAX_ANSWER_BYTES} bytes.`);
      chunks.push(chunk);
    }
    const { status, statusText, headers } = response;
    const body = [101, 204, 205, 304].includes(status) ? null : Buffer.concat(chunks);
    return new Response(body, { status, statusText, headers });
  };
}

function toFailure(error: unknown): CodeHostFailure {
  if (!(error instanceof Error)) return new CodeHostFailure('unexpected', 'Something that is no error was thrown.');
  const { status, response, cause } = error as {
    status?: number;
    response?: { headers: Headers; data?: unknown };
    cause?: unknown;
  };
  if (response === undefined || status === undefined) {
    if (cause instanceof CodeHostFailure) return cause;
    const timedOut = [error, cause].some((each) => each instanceof Error && /^(?:Timeout|Abort)Error$/.test(each.name));
    return timedOut
      ? new CodeHostFailure('timeout', 'No whole answer in time.')
      : new CodeHostFailure('network', `No answer: ${error.message}`);
  }
  const said = messageOf(response.data);
  const told = `HTTP ${status}: ${said.slice(0, 200)}`;
  if (status === 403 || status === 429) {
    const seconds = limitSeconds(response.headers, status === 429 || /rate limit|abuse detection/i.test(said));
    if (seconds !== undefined) return new CodeHostFailure('limit', told, seconds);
  }
  if (status === 401 || status === 403) return new CodeHostFailure('refused', told);
  return new CodeHostFailure(status >= 500 ? 'server' : 'unexpected', told);
}

function messageOf(data: unknown): string {
  const message = typeof data === 'object' && data !== null && 'message' in data ? data.message : '';
  return typeof message === 'string' ? message : '';
}
