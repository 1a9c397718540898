import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AppCredentials, BadCredentials, type Caller, Credentials } from './credentials.ts';
import { type Effect, type Fault, Faults, interrupt } from './faults.ts';
import { answerQuery } from './graphql.ts';
import { type Push, push } from './push.ts';
import { readBody, textOf } from './request.ts';
import { type Answer, answerRest, refuse } from './rest.ts';
import { findOperation, requestProblems, responseProblems } from './rest-api.ts';
import { accessToken, authorize, authorizePage, type PageAnswer, page } from './sign-in.ts';
import { type Delivery, Webhooks } from './webhooks.ts';
import { World } from './world.ts';

export interface SimulatorOptions {
  /** 0 for any free one. */
  readonly port: number;
  /** Holds the git repositories and all else that survives a restart. */
  readonly dataFolder: string;
  /** Called once, when the folder is new. */
  readonly seed?: (world: World) => Promise<void>;
  readonly app: AppCredentials;
  /** Reads public repositories, as an account of its own that belongs to nobody. */
  readonly publicToken: string;
  readonly callbackUrls?: readonly string[];
  /** Where the app's events go; nowhere when left out. */
  readonly webhookUrl?: string;
}

export interface LoggedRequest {
  readonly at: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** 0 while there is no answer. */
  status: number;
  caller: Caller['kind'] | 'refused';
  /** The name of a GraphQL operation. */
  operation: string | undefined;
  readonly fault: Effect['kind'] | undefined;
}

export interface Simulator {
  readonly port: number;
  readonly webUrl: string;
  readonly apiUrl: string;
  readonly graphqlUrl: string;
  readonly world: World;
  readonly log: readonly LoggedRequest[];
  /** Requests that GitHub does not know or that this code host does not answer, and answers unlike GitHub's. */
  takeViolations(): string[];
  fault(fault: Fault): void;
  tokenOf(login: string, throughApp: boolean): string;
  /** A commit on a repository, with its event; resolves when that is delivered. */
  push(fullName: string, options: Push): ReturnType<typeof push>;
  readonly deliveries: readonly Delivery[];
  stop(): Promise<void>;
}

const MAX_LOG = 10_000;
const MAX_VIOLATIONS = 200;
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** GitHub on this machine: as much of it as the service calls, over bare git repositories. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const world = World.open(options.dataFolder);
  await world.seed(options.seed ?? (async () => {}));
  const reader = world.addAccount({ login: 'public-reader', type: 'User', email: null });
  const credentials = new Credentials(world, options.app, options.publicToken, reader);
  const webhooks = new Webhooks(options.app, options.webhookUrl);
  const host = new Host(world, credentials, webhooks, options.callbackUrls ?? []);
  const server = createServer((request, response) => {
    host.serve(request, response).catch((error: unknown) => {
      host.violate(`failed: ${error instanceof Error ? error.message : 'unknown error'}`);
      if (response.headersSent) response.destroy();
      else response.writeHead(500, JSON_TYPE).end('{"message":"The local code host failed."}');
    });
  });
  await listen(server, options.port);
  const { port } = server.address() as AddressInfo;
  host.webUrl = `http://127.0.0.1:${port}`;
  return {
    port,
    webUrl: host.webUrl,
    apiUrl: host.places.apiUrl,
    graphqlUrl: `${host.webUrl}/api/graphql`,
    world,
    log: host.log,
    takeViolations: () => host.violations.splice(0),
    fault: (fault) => host.faults.add(fault),
    tokenOf(login, throughApp) {
      const account = world.account(login);
      if (account === undefined) throw new Error(`There is no account "${login}".`);
      return credentials.mintUserToken(account, throughApp);
    },
    async push(fullName, change) {
      const repository = world.repository(fullName);
      if (repository === undefined) throw new Error(`There is no repository "${fullName}".`);
      return push(repository, change, { world, webhooks, places: host.places });
    },
    deliveries: webhooks.deliveries,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      world.close();
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly effect: Effect | undefined;
  readonly logged: LoggedRequest;
}

class Host {
  readonly log: LoggedRequest[] = [];
  readonly violations: string[] = [];
  readonly faults = new Faults();
  webUrl = '';
  readonly #world: World;
  readonly #credentials: Credentials;
  readonly #webhooks: Webhooks;
  readonly #callbackUrls: readonly string[];

  constructor(world: World, credentials: Credentials, webhooks: Webhooks, callbackUrls: readonly string[]) {
    this.#world = world;
    this.#credentials = credentials;
    this.#webhooks = webhooks;
    this.#callbackUrls = callbackUrls;
  }

  get places(): { webUrl: string; apiUrl: string } {
    return { webUrl: this.webUrl, apiUrl: `${this.webUrl}/api/v3` };
  }

  violate(...violations: readonly string[]): void {
    this.violations.push(...violations.slice(0, MAX_VIOLATIONS - this.violations.length));
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A page elsewhere whose name points here must not talk to us in a browser.
    if (!/^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(request.headers.host ?? '')) {
      response.writeHead(421, JSON_TYPE).end('{"message":"Wrong host"}');
      return;
    }
    const url = new URL(request.url ?? '/', this.webUrl);
    const { pathname } = url;
    const method = request.method ?? 'GET';
    if (pathname.startsWith('/_sim/')) {
      await this.#serveControl(request, method, pathname, response);
      return;
    }
    const effect = this.faults.take(method, pathname.replace(/^\/api\/v3(?=\/)/, ''));
    const logged = this.#remember(method, pathname, effect);
    if (effect !== undefined && interrupt(effect, response)) {
      if (response.headersSent) logged.status = response.statusCode;
      request.resume();
      return;
    }
    const exchange = { request, method, path: pathname, query: url.searchParams, effect, logged };
    const answer = await this.#answer(exchange);
    logged.status = answer.status;
    response.writeHead(answer.status, answer.headers);
    if (effect?.kind === 'drip') await drip(response, answer.body, effect);
    else response.end(answer.body);
  }

  async #answer(exchange: Exchange): Promise<PageAnswer> {
    const { method, path } = exchange;
    const signIn = { world: this.#world, credentials: this.#credentials, callbackUrls: this.#callbackUrls };
    if (path === '/api/graphql' && method === 'POST')
      return this.#withCaller(exchange, (caller) => this.#graphql(exchange, caller));
    if (path.startsWith('/api/v3/')) return this.#withCaller(exchange, (caller) => this.#rest(exchange, caller));
    if (path === '/login/oauth/authorize' && method === 'GET') return authorizePage(exchange.query, signIn);
    if (path === '/login/oauth/authorize' && method === 'POST') {
      return authorize(new URLSearchParams(textOf(await readBody(exchange.request))), signIn);
    }
    if (path === '/login/oauth/access_token' && method === 'POST') {
      const { accept, 'content-type': type = '' } = exchange.request.headers;
      const text = textOf(await readBody(exchange.request));
      const body = type.includes('json')
        ? (JSON.parse(text) as Record<string, string>)
        : Object.fromEntries(new URLSearchParams(text));
      return accessToken(body, accept?.includes('json') === true, signIn);
    }
    if (method === 'GET' && path === '/') return page(200, '<h1>Local code host</h1>');
    // What a person opens in a browser is no request of the service's.
    const repository = this.#world.repository(path.slice(1));
    if (method === 'GET' && repository?.visibility === 'public') {
      return page(200, `<h1>${this.#world.fullNameOf(repository)}</h1><p>A repository of the local code host.</p>`);
    }
    this.violate(`unknown route: ${method} ${path}`);
    return page(404, '<h1>There is nothing here</h1>');
  }

  async #withCaller(exchange: Exchange, answer: (caller: Caller) => Promise<Answer>): Promise<PageAnswer> {
    let result: Answer;
    try {
      const caller = this.#credentials.callerOf(exchange.request.headers.authorization);
      exchange.logged.caller = caller.kind;
      result = await answer(caller);
    } catch (error) {
      if (!(error instanceof BadCredentials)) throw error;
      exchange.logged.caller = 'refused';
      result = refuse(401, error.message);
    }
    const limits = {
      'x-ratelimit-limit': '5000',
      'x-ratelimit-remaining': '4999',
      'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + 3_600),
    };
    const headers = { ...JSON_TYPE, ...limits, ...result.headers };
    return { status: result.status, headers, body: result.body === undefined ? '' : JSON.stringify(result.body) };
  }

  async #graphql(exchange: Exchange, caller: Caller): Promise<Answer> {
    const sent = parseObject(textOf(await readBody(exchange.request)));
    if (caller.kind === 'anonymous' || caller.kind === 'app') {
      return refuse(401, 'This endpoint requires you to be authenticated.');
    }
    if (typeof sent?.['query'] !== 'string')
      return refuse(400, 'A query attribute must be specified and must be a string.');
    const { query, variables, operationName } = sent;
    const answer = await answerQuery(
      {
        query,
        variables: typeof variables === 'object' && variables !== null ? (variables as Record<string, unknown>) : {},
        operationName: typeof operationName === 'string' ? operationName : undefined,
      },
      caller,
      this.#world,
      this.webUrl,
    );
    exchange.logged.operation = answer.operation;
    if (answer.notSimulated.length > 0) {
      this.violate(...answer.notSimulated.map((field) => `not simulated: ${field}`));
      return refuse(500, `Not simulated: ${answer.notSimulated.join(', ')}`);
    }
    if (answer.body.data === undefined) {
      this.violate(`refused query: ${JSON.stringify(answer.body.errors).slice(0, 500)}`);
    }
    const body = exchange.effect?.kind === 'partial' ? withPartial(answer.body, exchange.effect) : answer.body;
    return { status: 200, body };
  }

  async #rest(exchange: Exchange, caller: Caller): Promise<Answer> {
    const { method, query } = exchange;
    const path = exchange.path
      .slice('/api/v3'.length)
      .replace(/^\/repositories\/(\d+)(?=\/|$)/, (whole, id: string) => {
        const repository = this.#world.repositories.find((candidate) => candidate.id === Number(id));
        return repository === undefined ? whole : `/repos/${this.#world.fullNameOf(repository)}`;
      });
    const matched = findOperation(method, path);
    if (matched === undefined) {
      this.violate(`unknown route: ${method} ${path}`);
      return refuse(404, 'Not Found');
    }
    const text = textOf(await readBody(exchange.request));
    const body: unknown = text === '' ? undefined : parseObject(text);
    const problems = requestProblems(matched, query, body);
    if (problems.length > 0) {
      this.violate(...problems.map((problem) => `request ${method} ${matched.operation.path}: ${problem}`));
      return refuse(422, 'Invalid request.');
    }
    const answer = answerRest({
      ...matched,
      webhooks: this.#webhooks,
      caller,
      query,
      body: (body ?? {}) as Record<string, unknown>,
      world: this.#world,
      credentials: this.#credentials,
      places: this.places,
    });
    if (answer === undefined) {
      this.violate(`not simulated: ${method} ${matched.operation.path}`);
      return refuse(500, 'Not simulated');
    }
    const wrong = responseProblems(matched.operation, answer.status, answer.body);
    if (wrong.length === 0) return answer;
    this.violate(...wrong.map((problem) => `response ${method} ${matched.operation.path}: ${problem}`));
    return refuse(500, `The answer is unlike GitHub's: ${wrong.join('; ')}`);
  }

  /** What tests and the launcher ask. */
  async #serveControl(request: IncomingMessage, method: string, path: string, response: ServerResponse): Promise<void> {
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, JSON_TYPE).end(JSON.stringify(body));
    };
    // A page that a person has open may send requests here, but not without saying where it comes from.
    if (request.headers.origin !== undefined) send(403, { message: 'Not for pages' });
    else if (method === 'GET' && path === '/_sim/health')
      send(200, { status: 'ok', repositories: this.#world.repositories.length });
    else if (method === 'GET' && path === '/_sim/log') send(200, this.log);
    else if (method === 'GET' && path === '/_sim/violations') send(200, this.violations);
    else if (method === 'POST' && path === '/_sim/faults') {
      this.faults.add(JSON.parse(textOf(await readBody(request))) as Fault);
      send(201, {});
    } else send(404, { message: 'Not Found' });
  }

  #remember(method: string, path: string, effect: Effect | undefined): LoggedRequest {
    if (this.log.length >= MAX_LOG) this.log.splice(0, MAX_LOG / 2);
    const logged: LoggedRequest = {
      at: new Date().toISOString(),
      method,
      path,
      status: 0,
      caller: 'anonymous',
      operation: undefined,
      fault: effect?.kind,
    };
    this.log.push(logged);
    return logged;
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function withPartial(
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

async function drip(
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
