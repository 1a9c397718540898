import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { App } from '@supabase/lite';
import { CompiledQuery } from 'kysely';
import { AppError } from '#lib/errors.ts';
import { isServed } from '#lib/served-hosts.mjs';
import { answerPreflight, readableAnywhere } from './cross-origin.ts';
import { refuse } from './gate.ts';
import { takeLock } from './lock.mjs';
import { allAtOnce, oneByOne, type Turns } from './queue.ts';
import { quietly } from './quiet.ts';
import { type OpenStore, openStore, type Store } from './store.ts';
import { keepUp } from './upkeep.ts';

export interface DatabaseOptions {
  readonly store: Store;
  readonly publishableKey: string;
  readonly secretKey: string;
  readonly jwtSecret: string;
  /** 0 takes any free port; sign-in needs a fixed one. */
  readonly port?: number;
  readonly lockWaitMs?: number;
  readonly siteUrl?: string;
  readonly upkeepEveryMs?: number;
  readonly codeHost?: { readonly webUrl: string; readonly clientId: string; readonly clientSecret: string };
}

export interface Database {
  readonly url: string;
  readonly sql: (text: string, parameters?: readonly unknown[]) => Promise<Record<string, unknown>[]>;
  readonly archive: (() => Promise<Blob>) | undefined;
  readonly stop: () => Promise<void>;
}

const MAX_BODY_BYTES = 64 << 20;
const UPKEEP_EVERY_MS = 30_000;

/** Starts a database with Supabase's protocols (PostgREST and Auth) on 127.0.0.1 and applies all migrations. */
export async function startDatabase(options: DatabaseOptions): Promise<Database> {
  const folder = typeof options.store === 'object' && 'folder' in options.store ? options.store.folder : null;
  const cleanUp: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const step of cleanUp.splice(0).reverse()) await step();
  };
  try {
    if (folder !== null) {
      const release = await takeLock(folder, 'database', options.lockWaitMs ?? 5000);
      if (release === null) throw new AppError('usage', `Another process has the database in ${folder} open.`);
      cleanUp.push(release);
    }
    // The Supabase client does not load without a global WebSocket; nothing opens one.
    globalThis.WebSocket ??= Object as unknown as typeof WebSocket;
    const store = await openMigrated(options);
    const turns = store.oneSession ? oneByOne() : allAtOnce();
    cleanUp.push(() => turns.runLast(() => store.connection.close()));
    const app = await createApp(store, options);
    await takeBackGrants(store);
    if (store.oneSession) cleanUp.push(keepUp(store, turns, options.upkeepEveryMs ?? UPKEEP_EVERY_MS));
    // An idle connection that closes during the next request would fail it, which happens on busy machines.
    const server = await listen(
      createServer({ keepAliveTimeout: 0 }, handler(app, turns, siteUrlOf(options))),
      options.port ?? 0,
    );
    cleanUp.push(() => close(server));
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      sql: (text, parameters = []) => turns.run(() => store.sql(text, parameters)),
      archive: store.archive && (() => turns.run(async () => store.archive?.() as Promise<Blob>)),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openMigrated(options: DatabaseOptions): Promise<OpenStore> {
  const { applyPendingMigrations } = await import('@supabase/lite/cli');
  const store = await openStore(options.store, { maxSessions: 1 });
  try {
    const app = await createApp(store, options);
    await quietly(() => applyPendingMigrations(app));
  } catch (error) {
    await store.connection.close();
    throw error;
  }
  if (store.oneSession) return store;
  await store.connection.close();
  return openStore(options.store, { maxSessions: 10 });
}

function siteUrlOf({ siteUrl = 'http://127.0.0.1:3000' }: DatabaseOptions): string {
  return siteUrl;
}

async function createApp(store: OpenStore, options: DatabaseOptions): Promise<App> {
  const { App, InMemoryEmailDriver, NoopSmsDriver } = await import('@supabase/lite');
  const { codeHost, port = 0 } = options;
  const app = new App({
    connection: store.connection,
    api: {
      enabled: true,
      schemas: ['public'],
      extra_search_path: ['public'],
      max_rows: 1000,
      ...(port > 0 && { external_url: `http://127.0.0.1:${port}` }),
    },
    storage: { enabled: false },
    auth: {
      enabled: true,
      jwt_secret: options.jwtSecret,
      publishable_key: options.publishableKey,
      secret_key: options.secretKey,
      site_url: siteUrlOf(options),
      additional_redirect_urls: [],
      enable_signup: true,
      enable_anonymous_sign_ins: false,
      email: { enable_signup: false },
      ...(codeHost && {
        external: {
          github: {
            enabled: true,
            client_id: codeHost.clientId,
            secret: codeHost.clientSecret,
            url: codeHost.webUrl,
          },
        },
      }),
    },
    options: {
      // In admin mode, local requests without a key act as the service.
      server: { admin: false, disableStudio: true },
      drivers: { email: new InMemoryEmailDriver({ maxKeepCount: 1 }), sms: new NoopSmsDriver() },
    },
  });
  await app.init();
  return app;
}

/**
 * The library's first statement checks for row-level security: with it, grants every table to everyone once; without
 * it, runs all requests as owner. So a protected table exists, and the grants are revoked before serving.
 */
async function takeBackGrants({ connection, sql }: OpenStore): Promise<void> {
  await sql(
    `drop schema if exists embedded_start cascade; create schema embedded_start;
     create table embedded_start.marker (); alter table embedded_start.marker enable row level security`,
    [],
  );
  const role = await connection.withContext({ auth: { role: 'anon' } }, async (db) => {
    const { rows } = await db.executeQuery<{ role: string }>(CompiledQuery.raw('select current_user as role'));
    return rows[0]?.role;
  });
  if (role !== 'anon') throw new AppError('internal', 'The database does not separate its roles.');
  await sql('drop schema embedded_start cascade; select internal.apply_grants()', []);
}

function handler(app: App, turns: Turns, siteUrl: string) {
  return getRequestListener(
    async (request, { incoming }) => {
      if (!isServed(incoming.headers.host, incoming.socket)) {
        return Response.json({ message: 'This host is not served here.' }, { status: 421 });
      }
      const answer = refuse(request, siteUrl) ?? answerPreflight(request);
      if (answer !== null) return answer;
      if (Number(request.headers.get('content-length') ?? 0) > MAX_BODY_BYTES)
        return new Response(null, { status: 413 });
      const body = request.body === null ? null : await readBody(request.body);
      if (body === undefined) return new Response(null, { status: 413 });
      return turns.run(async () => {
        const { url, method } = request;
        const headers = new Headers(request.headers);
        // Auth would fall back to it for `redirect_to`, and accepts any port of 127.0.0.1.
        headers.delete('referer');
        const peerAddress = incoming.socket.remoteAddress ?? null;
        const response = await quietly(() => app.fetch(new Request(url, { method, headers, body }), { peerAddress }));
        const content = response.body === null ? null : await response.arrayBuffer();
        const { status, statusText } = response;
        return new Response(content, { status, statusText, headers: readableAnywhere(response.headers) });
      });
    },
    { hostname: '127.0.0.1', overrideGlobalObjects: false },
  );
}

async function readBody(stream: AsyncIterable<Uint8Array>): Promise<Buffer<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function listen(server: Server, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE';
      reject(taken ? new AppError('usage', `Port ${port} is taken.`, { cause: error }) : error);
    });
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
    server.closeAllConnections();
  });
}
