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
  const { method = 'GET', params = {} } = call;
  const request = new Request(...requestOf('http://127.0.0.1', call));
  return read(await route[method](request, { params: Promise.resolve(params) }));
}

export async function sendOver(url: string, call: RouteCall): Promise<RouteAnswer> {
  return read(await fetch(...requestOf(url, call)));
}

function requestOf(url: string, call: RouteCall): [string, RequestInit] {
  const { method = 'GET', path = '/api/called', query = '', headers = {}, body } = call;
  const sent =
    body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } };
  return [`${url}${path}${query}`, { method, headers, ...sent }];
}

async function read(response: Response): Promise<RouteAnswer> {
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : {} };
}

export function statusesOf(answers: readonly RouteAnswer[]): number[] {
  return answers.map(({ status }) => status).sort((a, b) => a - b);
}
