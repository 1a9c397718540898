import type { Handlers } from '#lib/http/route/respond.ts';

export interface RouteCall {
  readonly method?: keyof Handlers;
  readonly path?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface RouteAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
}

export async function callRoute(route: Handlers, call: RouteCall = {}): Promise<RouteAnswer> {
  const { method = 'GET', path = '/api/called', params = {}, query = '', headers = {}, body } = call;
  const sent =
    body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } };
  const request = new Request(`http://127.0.0.1${path}${query}`, { method, headers, ...sent });
  const response = await route[method](request, { params: Promise.resolve(params) });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : {} };
}

export function statusesOf(answers: readonly RouteAnswer[]): number[] {
  return answers.map(({ status }) => status).sort((a, b) => a - b);
}
