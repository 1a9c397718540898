import type { Octokit } from '@octokit/core';
import { Limiter } from '../limiter.ts';
import { limitSeconds } from '../retry-after.ts';
import { CodeHostFailure, toFailure } from './errors.ts';

export interface TokenSource {
  get(refused?: string): Promise<string | undefined>;
}

export interface ClientOptions {
  readonly octokit: Octokit;
  readonly graphqlUrl: string;
  readonly tokens?: TokenSource;
  readonly limiter?: Limiter;
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

type Parameters = Readonly<Record<string, unknown>>;
type Answer = Awaited<ReturnType<Octokit['request']>>;

const TOKEN_SPREADING_MS = 1_000;

export class Client {
  readonly #octokit: Octokit;
  readonly #graphqlUrl: string;
  readonly #tokens: TokenSource | undefined;
  readonly #limiter: Limiter;

  constructor({ octokit, graphqlUrl, tokens, limiter = new Limiter() }: ClientOptions) {
    this.#octokit = octokit;
    this.#graphqlUrl = graphqlUrl;
    this.#tokens = tokens;
    this.#limiter = limiter;
  }

  async query(query: string, variables: Parameters): Promise<GraphqlAnswer> {
    return this.guard(async () => {
      const { data, headers } = await this.#request('POST', this.#graphqlUrl, { query, variables });
      if (typeof data !== 'object' || data === null) {
        throw new CodeHostFailure('unexpected', 'The answer to a query was no JSON object.');
      }
      const { data: fields, errors } = data as { data?: unknown; errors?: unknown };
      const list = Array.isArray(errors) ? (errors as GraphqlError[]) : [];
      // GraphQL reports limits with status 200 and under two names.
      if (list.some(({ type }) => type === 'RATE_LIMIT' || type === 'RATE_LIMITED')) {
        throw new CodeHostFailure('limit', 'GraphQL: RATE_LIMIT', limitSeconds(headers, true));
      }
      return { data: fields, errors: list };
    });
  }

  async read(path: string, parameters: Parameters = {}): Promise<unknown> {
    return again(2, () => this.guard(async () => (await this.#request('GET', path, parameters)).data as unknown));
  }

  async readPage(path: string, parameters: Parameters): Promise<{ readonly data: unknown; readonly next?: string }> {
    const { data, headers } = await again(2, () => this.guard(() => this.#request('GET', path, parameters)));
    const link = /<([^<>]+)>;\s?rel="next"/.exec(headers.link ?? '')?.[1];
    const next = link === undefined ? null : URL.parse(link)?.searchParams.get('cursor');
    return { data: data as unknown, ...(next ? { next } : {}) };
  }

  async send(url: string, body: Parameters): Promise<unknown> {
    return this.guard(async () => (await this.#request('POST', url, body)).data as unknown);
  }

  async change(url: string, body: Parameters): Promise<unknown> {
    return this.guard(async () => (await this.#request('PATCH', url, body)).data as unknown);
  }

  async guard<T>(task: () => Promise<T>): Promise<T> {
    return this.#limiter.run(async () => {
      const wait = this.#limiter.waitSeconds;
      if (wait !== undefined) throw new CodeHostFailure('limit', 'Not sent: the code host asked us to wait.', wait);
      try {
        return await task();
      } catch (error) {
        const failure = toFailure(error);
        if (failure.kind === 'limit') this.#limiter.close(failure.retryAfterSeconds ?? 1);
        throw failure;
      }
    });
  }

  async #request(method: string, url: string, parameters: Parameters): Promise<Answer> {
    let token = await this.#tokens?.get();
    for (let sent = 1; ; sent += 1) {
      try {
        const headers = {
          accept: 'application/json',
          ...(token === undefined ? {} : { authorization: `token ${token}` }),
        };
        return await this.#octokit.request({ ...parameters, method, url, headers } as never);
      } catch (error) {
        if ((error as { status?: unknown }).status !== 401 || token === undefined || sent === 3) throw error;
        const other = sent === 1 ? await this.#tokens?.get(token) : token;
        if (other === undefined) throw error;
        if (other === token) await new Promise((resolve) => setTimeout(resolve, TOKEN_SPREADING_MS));
        token = other;
      }
    }
  }
}

export async function again<T>(attempts: number, read: () => Promise<T>): Promise<T> {
  for (let made = 1; ; made += 1) {
    try {
      return await read();
    } catch (error) {
      if (made >= attempts || !(error instanceof CodeHostFailure) || !error.isPassing) throw error;
    }
  }
}

export function onlyToken(token: string): TokenSource {
  return { get: async (refused) => (refused === undefined ? token : undefined) };
}
