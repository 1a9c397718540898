import { randomUUID } from 'node:crypto';
import { expect, vi } from 'vitest';
import { openApiDocument } from '#lib/http/openapi/document.ts';
import type { Verb } from '#lib/http/route/operation.ts';
import type { Handlers } from '#lib/http/route/respond.ts';
import { callRoute, type RouteAnswer, type RouteCall, sendOver } from './call-route.ts';
import { type Instances, startInstances } from './cluster.ts';
import { emptyDatabase, sharedDatabase, type TestDatabase } from './database.ts';
import { configure } from './environment.ts';
import { routeFileOf } from './route-file.ts';
import { signToken } from './token.ts';
import { ON_CLUSTER } from './topology.ts';

export interface TestUser {
  readonly id: string;
  readonly email: string | null;
  readonly token: string;
}

export interface ServiceCall extends Omit<RouteCall, 'method' | 'path'> {
  readonly as?: TestUser;
}

export type OperationName = `${Verb} /api/${string}`;

export interface TestService {
  readonly database: TestDatabase;
  readonly log: readonly string[];
  user(given?: { readonly email?: string | null; readonly claims?: Readonly<Record<string, unknown>> }): TestUser;
  call(operation: OperationName, call?: ServiceCall): Promise<RouteAnswer>;
  readonly instances: Instances | null;
  send(path: string, init: RequestInit & { readonly method: Verb }): Promise<Response>;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly ownDatabase?: boolean;
  readonly database?: TestDatabase;
}

export async function startService(
  variables: Readonly<Record<string, string>> = {},
  { ownDatabase = false, database: given }: ServiceOptions = {},
): Promise<TestService> {
  const log: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
    log.push(String(line));
    return true;
  });
  const database = given ?? (await (ownDatabase ? emptyDatabase() : sharedDatabase()));
  const all = {
    SUPABASE_URL: database.url,
    SUPABASE_PUBLISHABLE_KEY: database.publishableKey,
    SUPABASE_SECRET_KEY: database.secretKey,
    SUPABASE_JWT_SECRET: database.jwtSecret,
    IMAGE_LOOKUP: 'off',
    PACKAGE_LOOKUP: 'off',
    ...variables,
  };
  configure(all);
  const share = !ownDatabase && given === undefined && Object.keys(variables).length === 0;
  const instances = ON_CLUSTER ? await (share ? sharedInstances(all) : startInstances(all)) : null;
  const document = openApiDocument('full', 'https://example.com');
  return {
    database,
    log: instances?.log ?? log,
    instances,
    user({ email, claims = {} } = {}) {
      const id = randomUUID();
      const address = email === undefined ? `${id.slice(0, 8)}@example.com` : email;
      const claimed = address === null ? claims : { email: address, ...claims };
      return { id, email: address, token: signToken(database.jwtSecret, id, claimed) };
    },
    async call(operation, { as, headers = {}, ...call } = {}) {
      const [method, template] = operation.split(' ') as [Verb, string];
      const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(call.params?.[name] ?? ''));
      const authorization = as === undefined ? {} : { authorization: `Bearer ${as.token}` };
      const complete = { ...call, method, path, headers: { ...authorization, ...headers } };
      const answer =
        instances === null
          ? await callRoute(await handlersOf(template), complete)
          : await sendOver(instances.url, complete);
      expectDescribed(document, method, template, answer);
      return answer;
    },
    async send(path, init) {
      if (instances !== null) return fetch(`${instances.url}${path}`, init);
      const request = new Request(`http://127.0.0.1${path}`, init);
      return (await handlersOf(path))[init.method](request, { params: Promise.resolve({}) });
    },
    async stop() {
      vi.restoreAllMocks();
      await instances?.stop();
      if (given === undefined) await database.stop();
    },
  };
}

async function handlersOf(template: string): Promise<Handlers> {
  return (await import(/* @vite-ignore */ `../../${routeFileOf(template)}`)) as Handlers;
}

let shared: Promise<Instances> | undefined;

async function sharedInstances(variables: Readonly<Record<string, string>>): Promise<Instances> {
  shared ??= startInstances(variables);
  return { ...(await shared), stop: () => Promise.resolve() };
}

type Described = Readonly<
  Record<string, Readonly<Record<string, { responses: Readonly<Record<string, { description: string }>> }>>>
>;

function expectDescribed(document: Readonly<Record<string, unknown>>, verb: Verb, path: string, answer: RouteAnswer) {
  const operation = (document['paths'] as Described)[path]?.[verb.toLowerCase()];
  const description = operation?.responses[answer.status]?.description;
  expect(description, `${verb} ${path} answers ${answer.status}: ${answer.text}`).toBeDefined();
  if (answer.status >= 400) expect(description).toContain(`\`${String(answer.json['code'])}\``);
}
