import type { ServerResponse } from 'node:http';
import { ARCHIVED, NOT_ACCESSIBLE, noWorkflows } from './acting.ts';
import type { Touched } from './graphql-touched.ts';

export interface Fault {
  /** `METHOD /path` with `*` as a wildcard; without `/api/v3` the path is GitHub's own. */
  readonly match: string;
  readonly repository?: string;
  readonly field?: string;
  readonly times?: number;
  readonly skip?: number;
  readonly effect:
    | {
        readonly kind: 'status';
        readonly status: number;
        readonly body?: string;
        readonly headers?: Record<string, string>;
      }
    /** Hourly limit, reset after some seconds; GraphQL reports it with status 200. */
    | { readonly kind: 'primary-limit'; readonly status: 200 | 403 | 429; readonly resetSeconds: number }
    | { readonly kind: 'secondary-limit'; readonly status: 403 | 429; readonly retryAfterSeconds?: number }
    | {
        readonly kind: 'refuse';
        readonly status: 403 | 404 | 405 | 409 | 422;
        readonly message: string;
        readonly type?: string;
        readonly errors?: readonly unknown[];
      }
    | { readonly kind: 'after'; readonly status: 500 | 502 | 503 | 504 }
    | { readonly kind: 'slow'; readonly ms: number }
    | { readonly kind: 'hang' }
    | { readonly kind: 'reset'; readonly after?: 'headers' }
    | { readonly kind: 'drip'; readonly bytes: number; readonly pauseMs: number }
    | { readonly kind: 'partial'; readonly path: readonly string[]; readonly type: string; readonly message: string };
}

export type Effect = Fault['effect'];

type Refusal = Extract<Effect, { kind: 'refuse' }>;

export const REFUSALS = {
  noPermission: { kind: 'refuse', status: 403, message: NOT_ACCESSIBLE, type: 'FORBIDDEN' },
  noWorkflows: { kind: 'refuse', status: 403, message: noWorkflows('.github/workflows/ci.yml'), type: 'FORBIDDEN' },
  archived: { kind: 'refuse', status: 403, message: ARCHIVED, type: 'FORBIDDEN' },
  protectedBranch: {
    kind: 'refuse',
    status: 422,
    message: 'Repository rule violations found\n\nChanges must be made through a pull request.\n\n',
    type: 'UNPROCESSABLE',
  },
  conflict: { kind: 'refuse', status: 409, message: 'Conflict', type: 'UNPROCESSABLE' },
  invalid: { kind: 'refuse', status: 422, message: 'Validation Failed', type: 'UNPROCESSABLE', errors: [] },
} as const satisfies Readonly<Record<string, Refusal>>;

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly touched: () => Touched;
}

interface Pending {
  readonly pattern: RegExp;
  readonly repository: string | undefined;
  readonly field: string | undefined;
  skip: number;
  left: number;
  readonly effect: Effect;
}

export class Faults {
  readonly #pending: Pending[] = [];

  add({ match, repository, field, times = 1, skip = 0, effect }: Fault): void {
    const escaped = match.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*');
    const pattern = new RegExp(`^${escaped}$`);
    this.#pending.push({ pattern, repository: repository?.toLowerCase(), field, skip, left: times, effect });
  }

  clear(): void {
    this.#pending.length = 0;
  }

  take(asked: Asked): Effect | undefined {
    const index = this.#pending.findIndex((pending) => isMeant(pending, asked));
    const found = this.#pending[index];
    if (found === undefined) return undefined;
    if (found.skip > 0) {
      found.skip -= 1;
      return undefined;
    }
    found.left -= 1;
    if (found.left <= 0) this.#pending.splice(index, 1);
    return found.effect;
  }
}

function isMeant({ pattern, repository, field }: Pending, { method, path, touched }: Asked): boolean {
  if (!pattern.test(`${method} ${path}`)) return false;
  if (repository !== undefined && !touched().repositories.includes(repository)) return false;
  return field === undefined || touched().fields.includes(field);
}

export function interrupt(effect: Effect, response: ServerResponse, { touched, path }: Asked): boolean {
  const json = (status: number, headers: Record<string, string>, body: unknown): true => {
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
    response.end(JSON.stringify(body));
    return true;
  };
  switch (effect.kind) {
    case 'status':
      response.writeHead(effect.status, { 'content-type': 'text/html', ...effect.headers });
      response.end(effect.body ?? '<html><body>Unicorn!</body></html>');
      return true;
    case 'primary-limit': {
      const headers = {
        // The server's own date is of the second in which its event loop last ran a timer.
        date: new Date().toUTCString(),
        'x-ratelimit-limit': '5000',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + effect.resetSeconds),
      };
      const message = 'API rate limit already exceeded for user ID 1.';
      return effect.status === 200
        ? json(200, headers, { errors: [{ type: 'RATE_LIMIT', code: 'graphql_rate_limit', message }] })
        : json(effect.status, headers, { message, documentation_url: 'https://docs.github.com/rest' });
    }
    case 'secondary-limit': {
      const { retryAfterSeconds } = effect;
      const headers: Record<string, string> = { 'x-ratelimit-remaining': '4000' };
      if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds);
      const message = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
      return json(effect.status, headers, { message, documentation_url: 'https://docs.github.com/rest' });
    }
    case 'refuse': {
      const { status, message, type, errors } = effect;
      const refused = { message, ...(errors === undefined ? {} : { errors }), status: String(status) };
      if (!path.endsWith('/graphql')) {
        return json(status, {}, { ...refused, documentation_url: 'https://docs.github.com/rest' });
      }
      const { fields } = touched();
      const data = Object.fromEntries(fields.map((field) => [field, null]));
      return json(200, {}, { data, errors: [{ type, path: fields.slice(0, 1), message }] });
    }
    case 'hang':
      return true;
    case 'reset':
      if (effect.after === 'headers') {
        response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': '1000' });
        response.write('{"data":', () => response.destroy());
      } else response.destroy();
      return true;
    case 'after':
    case 'slow':
    case 'drip':
    case 'partial':
      return false;
  }
}

export function withPartial(
  body: { data?: unknown; errors?: readonly unknown[] },
  { path, type, message }: Extract<Effect, { kind: 'partial' }>,
): unknown {
  const data = structuredClone(body.data) as Record<string, unknown> | undefined;
  let holder: unknown = data;
  for (const segment of path.slice(0, -1)) holder = (holder as Record<string, unknown> | undefined)?.[segment];
  const last = path.at(-1);
  if (typeof holder === 'object' && holder !== null && last !== undefined) Object.assign(holder, { [last]: null });
  return { data, errors: [...(body.errors ?? []), { type, path, message }] };
}

export async function drip(
  response: ServerResponse,
  body: string,
  { bytes, pauseMs }: Extract<Effect, { kind: 'drip' }>,
): Promise<void> {
  const content = Buffer.from(body);
  for (let at = 0; at < content.length && !response.destroyed; at += bytes) {
    response.write(content.subarray(at, at + bytes));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  response.end();
}
