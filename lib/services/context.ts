import { type AdminDb, createAdminDb } from '#lib/db/clients.ts';
import type { Env } from '#lib/env.ts';
import { AppError } from '#lib/errors.ts';
import { createCodeHostApp } from '#lib/hosts/code-host/app.ts';
import { createCodeHost } from '#lib/hosts/code-host/github.ts';
import type { CodeHost, CodeHostApp } from '#lib/hosts/code-host/port.ts';
import type { Log } from '#lib/log.ts';

export interface Services {
  readonly env: Env;
  readonly log: Log;
  readonly adminDb: () => AdminDb;
  readonly publicCodeHost: () => CodeHost;
  readonly codeHostApp: () => CodeHostApp;
}

let connected: { readonly env: Env; adminDb?: AdminDb; codeHost?: CodeHost; app?: CodeHostApp } | undefined;

export function createServices(env: Env, log: Log): Services {
  if (connected?.env !== env) connected = { env };
  const clients = connected;
  return {
    env,
    log,
    adminDb: () => {
      clients.adminDb ??= createAdminDb(requireDatabase(env));
      return clients.adminDb;
    },
    publicCodeHost: () => {
      const { apiUrl, graphqlUrl } = env.scm;
      clients.codeHost ??= createCodeHost({ apiUrl, graphqlUrl, token: requirePublicToken(env) });
      return clients.codeHost;
    },
    codeHostApp: () => {
      clients.app ??= createCodeHostApp({ ...env.scm, app: requireApp(env) });
      return clients.app;
    },
  };
}

export function requireDatabase({ database }: Env): NonNullable<Env['database']> {
  if (database === null) throw notConfigured('database');
  return database;
}

export function requirePublicToken({ scmPublicToken }: Env): string {
  if (scmPublicToken === null) throw notConfigured('token for scanning public repositories');
  return scmPublicToken;
}

export function requireApp({ scmApp }: Env): NonNullable<Env['scmApp']> {
  if (scmApp === null) throw notConfigured('app at the code host');
  return scmApp;
}

export function notConfigured(what: string): AppError {
  return new AppError('not-configured', `This installation has no ${what}.`);
}
