import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerControl } from './control.ts';
import { BadCredentials, type Caller, type InstallationCaller, Suspended } from './credentials.ts';
import { type Asked, drip, type Effect, Faults, interrupt, withPartial } from './faults.ts';
import { answerQuery } from './graphql.ts';
import { type Touched, touchedBy } from './graphql-touched.ts';
import { type PageAnswer, page } from './page.ts';
import { answerPage, type PageOptions, type PageRequest } from './pages.ts';
import { People } from './people.ts';
import type { Places } from './representations.ts';
import { parseObject, readBody, textOf } from './request.ts';
import { answerRest } from './rest.ts';
import { type Answer, NOT_FOUND, refuse } from './rest-answer.ts';
import { findOperation, requestProblems, responseProblems } from './rest-api.ts';

const MAX_LOG = 10_000;
const MAX_VIOLATIONS = 200;
export const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

export interface LoggedRequest {
  readonly at: string;
  readonly method: string;
  readonly path: string;
  status: number;
  caller: Caller['kind'] | 'refused';
  token?: Pick<InstallationCaller, 'permissions' | 'repositoryIds'>;
  operation: string | undefined;
  readonly fault: Effect['kind'] | undefined;
}

interface Exchange extends PageRequest {
  readonly sent: Buffer | undefined;
  readonly effect: Effect | undefined;
  readonly logged: LoggedRequest;
}

export class Host {
  readonly log: LoggedRequest[] = [];
  readonly violations: string[] = [];
  readonly faults = new Faults();
  readonly people: People;
  webUrl = '';
  readonly #parts: Omit<PageOptions, 'places' | 'people'>;

  constructor(parts: Omit<PageOptions, 'places' | 'people'>) {
    this.#parts = parts;
    const { world, webhooks, credentials } = parts;
    this.people = new People(() => ({ world, webhooks, places: this.places }), credentials);
  }

  get places(): Places {
    return { webUrl: this.webUrl, apiUrl: `${this.webUrl}/api/v3` };
  }

  violate(...violations: readonly string[]): void {
    this.violations.push(...violations.slice(0, MAX_VIOLATIONS - this.violations.length));
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Refuses DNS rebinding: a foreign name that resolves here.
    if (!/^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(request.headers.host ?? '')) {
      response.writeHead(421, JSON_TYPE).end('{"message":"Wrong host"}');
      return;
    }
    const url = new URL(request.url ?? '/', this.webUrl);
    const { pathname } = url;
    const method = request.method ?? 'GET';
    if (pathname.startsWith('/_sim/')) {
      const { status, body } = await answerControl(request, method, pathname, { ...this.#parts, host: this });
      response.writeHead(status, JSON_TYPE).end(JSON.stringify(body));
      return;
    }
    const sent = pathname === '/api/graphql' && method === 'POST' ? await readBody(request) : undefined;
    const asked = this.#askedOf(method, pathname, sent);
    const effect = this.faults.take(asked);
    const logged = this.#remember(method, pathname, effect);
    if (effect !== undefined && interrupt(effect, response, asked)) {
      if (response.headersSent) logged.status = response.statusCode;
      request.resume();
      return;
    }
    if (effect?.kind === 'slow') await new Promise((resolve) => setTimeout(resolve, effect.ms));
    const exchange = { request, sent, method, path: pathname, query: url.searchParams, effect, logged };
    const done = await this.#answer(exchange);
    const answer = effect?.kind === 'after' ? failed(effect.status) : done;
    logged.status = answer.status;
    response.writeHead(answer.status, answer.headers);
    if (effect?.kind === 'drip') await drip(response, answer.body, effect);
    else response.end(answer.body);
  }

  async #answer(exchange: Exchange): Promise<PageAnswer> {
    const { method, path } = exchange;
    if (path === '/api/graphql' && method === 'POST')
      return this.#withCaller(exchange, (caller) => this.#graphql(exchange, caller));
    if (path.startsWith('/api/v3/')) return this.#withCaller(exchange, (caller) => this.#rest(exchange, caller));
    const shown = await answerPage(exchange, { ...this.#parts, places: this.places, people: this.people });
    if (shown !== undefined) return shown;
    this.violate(`unknown route: ${method} ${path}`);
    return page(404, '<h1>There is nothing here</h1>');
  }

  async #withCaller(exchange: Exchange, answer: (caller: Caller) => Promise<Answer>): Promise<PageAnswer> {
    let result: Answer;
    try {
      const caller = this.#parts.credentials.callerOf(exchange.request.headers.authorization);
      exchange.logged.caller = caller.kind;
      if (caller.kind === 'installation') {
        const { permissions, repositoryIds } = caller;
        exchange.logged.token = { permissions, repositoryIds };
      }
      result = await answer(caller);
    } catch (error) {
      if (!(error instanceof BadCredentials || error instanceof Suspended)) throw error;
      exchange.logged.caller = 'refused';
      result = refuse(error instanceof Suspended ? 403 : 401, error.message);
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
    const sent = parseObject(textOf(exchange.sent ?? Buffer.alloc(0)));
    if (caller.kind === 'anonymous' || caller.kind === 'app') {
      return refuse(401, 'This endpoint requires you to be authenticated.');
    }
    if (typeof sent?.['query'] !== 'string')
      return refuse(400, 'A query attribute must be specified and must be a string.');
    const { query, variables, operationName } = sent;
    const { world, credentials, webhooks } = this.#parts;
    const answer = await answerQuery(
      {
        query,
        variables: typeof variables === 'object' && variables !== null ? (variables as Record<string, unknown>) : {},
        operationName: typeof operationName === 'string' ? operationName : undefined,
      },
      { caller, world, credentials, webhooks, places: this.places },
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
    const { world, credentials, webhooks } = this.#parts;
    let path = exchange.path.slice('/api/v3'.length);
    // Redirects lead to this address, which GitHub's description omits.
    const [byNumber = '', id] = /^\/repositories\/(\d+)(?=\/|$)/.exec(path) ?? [];
    if (id !== undefined) {
      const repository = world.repositories.find((candidate) => candidate.id === Number(id));
      if (repository === undefined) return NOT_FOUND;
      path = `/repos/${world.fullNameOf(repository)}${path.slice(byNumber.length)}`;
    }
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
    const answer = await answerRest({
      ...matched,
      caller,
      query,
      body: (body ?? {}) as Record<string, unknown>,
      world,
      credentials,
      webhooks,
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

  #askedOf(method: string, pathname: string, sent: Buffer | undefined): Asked {
    const path = pathname.replace(/^\/api\/v3(?=\/)/, '');
    const [, owner, name] = /^\/repos\/([^/]+)\/([^/]+)/.exec(path) ?? [];
    const named = owner === undefined ? [] : [`${owner}/${name}`.toLowerCase()];
    let touched: Touched | undefined;
    return {
      method,
      path,
      touched: () => {
        touched ??=
          sent === undefined
            ? { repositories: named, fields: [] }
            : touchedBy(parseObject(textOf(sent)), this.#parts.world);
        return touched;
      },
    };
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

function failed(status: number): PageAnswer {
  return { status, headers: { 'content-type': 'text/html' }, body: '<html><body>Unicorn!</body></html>' };
}
