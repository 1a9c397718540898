import type { Row } from './seed.ts';
import { type Actor, secretsFrom, type Tenants } from './tenants.ts';

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly code: string | null;
  readonly rows: readonly Row[] | null;
  readonly total: number | null;
}

export interface Attempt {
  readonly label: string;
  readonly send: () => Promise<Answer>;
  /** Request text, whose echo is not a leak. */
  readonly said: string;
  readonly judge: (answer: Answer) => string | null;
}

export interface HttpRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export function request(
  { database }: Pick<Tenants, 'database'>,
  actor: Pick<Actor, 'headers'>,
  { method = 'GET', path, headers = {}, body }: HttpRequest,
  judge: Attempt['judge'],
): Attempt {
  const content = body === undefined ? null : JSON.stringify(body);
  const sent = content === null ? { ...headers } : { 'content-type': 'application/json', ...headers };
  const send = async (): Promise<Answer> => {
    const response = await fetch(`${database.url}${path}`, {
      method,
      headers: { ...actor.headers, ...sent },
      body: content,
    });
    return readAnswer(response);
  };
  const said = decodeURIComponent(`${path} ${Object.values(headers).join(' ')} ${content ?? ''}`);
  return { label: `${method} ${path} ${JSON.stringify(headers)}`, send, said, judge };
}

async function readAnswer(response: Response): Promise<Answer> {
  const body = await response.text();
  const parsed = parse(body);
  const total = /\/(\d+)$/.exec(response.headers.get('content-range') ?? '')?.[1];
  return {
    status: response.status,
    text: `${[...response.headers.values()].join(' ')} ${body}`,
    code: typeof parsed === 'object' && parsed !== null && 'code' in parsed ? String(parsed.code) : null,
    rows: Array.isArray(parsed) ? (parsed as Row[]) : null,
    total: total === undefined ? null : Number(total),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function clientAnswer(result: {
  readonly status: number;
  readonly data: unknown;
  readonly error: { readonly code: string } | null;
  readonly count: number | null;
}): Answer {
  return {
    status: result.status,
    text: JSON.stringify(result),
    code: result.error?.code ?? null,
    rows: Array.isArray(result.data) ? (result.data as Row[]) : null,
    total: result.count,
  };
}

export function isRefused({ status, code, rows }: Answer): string | null {
  const refused = status === 401 || (status === 403 && code === '42501');
  return refused && rows === null ? null : `answered ${status} ${code}`;
}

export function showsExactly(expected: readonly Row[], key: readonly string[]): Attempt['judge'] {
  const keysOf = (rows: readonly Row[]) => rows.map((row) => JSON.stringify(key.map((column) => row[column]))).sort();
  const wanted = keysOf(expected);
  return ({ status, rows }) => {
    if ((status !== 200 && status !== 206) || rows === null) return `answered ${status}`;
    const shown = keysOf(rows);
    return JSON.stringify(shown) === JSON.stringify(wanted)
      ? null
      : `showed ${shown.join()} instead of ${wanted.join()}`;
  };
}

export async function findLeaks(tenants: Tenants, actor: Actor, attempts: readonly Attempt[]): Promise<string[]> {
  const secrets = secretsFrom(tenants, actor);
  const leaks: string[] = [];
  for (const { label, send, said, judge } of attempts) {
    const answer = await send();
    const told = secrets.find((secret) => answer.text.includes(secret) && !said.includes(secret));
    const problem = told === undefined ? judge(answer) : `told ${told}`;
    if (problem !== null) leaks.push(`${label}: ${problem}`);
  }
  return leaks;
}
