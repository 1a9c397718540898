import { randomBytes } from 'node:crypto';
import { type PostgresServer, startPostgres } from '#lib/cluster/postgres.ts';
import { findPrograms } from '#lib/cluster/programs.ts';
import { startProxy } from '#lib/cluster/proxy.ts';
import { type RedisServer, startRedis } from '#lib/cluster/redis.ts';
import { startRedisBridge } from '#lib/cluster/redis-bridge.ts';
import { connectRedis } from '#lib/cluster/redis-client.ts';
import { type Database, startDatabase } from '#lib/embedded/database.ts';
import { freePort } from '#lib/launcher/ports.ts';
import type { World } from '#lib/simulator/world.ts';
import { type CodeHostForTests, startCodeHost } from './code-host.ts';
import { startWeb, type Web } from './web.ts';

export interface Cluster {
  readonly url: string;
  readonly webs: readonly Web[];
  readonly host: CodeHostForTests;
  readonly database: Database;
  readonly postgres: PostgresServer;
  readonly redis: RedisServer;
  readonly variables: Readonly<Record<string, string>>;
  readonly revive: (index: number) => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface ClusterOptions {
  readonly variables?: Readonly<Record<string, string>>;
  readonly seed?: (world: World) => Promise<void>;
  readonly webhooks?: boolean;
}

/** Set to one to compare figures; tests that kill an instance need two. */
const INSTANCES = Number(process.env['CLUSTER_INSTANCES'] ?? 2);

export async function startCluster({ variables = {}, seed, webhooks = false }: ClusterOptions = {}): Promise<Cluster> {
  const programs = findPrograms();
  const cleanUp: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const step of cleanUp.splice(0).reverse()) await step();
  };
  try {
    const webPort = Number(variables['PORT'] ?? (await freePort(undefined)));
    const databasePort = await freePort(undefined, [webPort]);
    const url = `http://127.0.0.1:${webPort}`;
    const postgres = await startPostgres(programs.postgres);
    cleanUp.push(postgres.remove);
    const redis = await startRedis(programs.redis);
    cleanUp.push(redis.remove);
    const commands = connectRedis(`redis://127.0.0.1:${redis.port}`);
    cleanUp.push(async () => commands.close());
    const token = secret();
    const bridge = await startRedisBridge({ redis: commands, token });
    cleanUp.push(bridge.stop);
    const host = await startCodeHost({
      ...(seed && { seed }),
      callbackUrls: [`http://127.0.0.1:${databasePort}/auth/v1/callback`, `${url}/api/scm/callback`],
      setup: { url: `${url}/setup`, withCode: false },
      ...(webhooks && { webhookUrl: `${url}/api/webhooks/scm` }),
    });
    cleanUp.push(() => host.stop());
    const { clientId, clientSecret } = host.app;
    const keys = {
      publishableKey: `sb_publishable_${secret()}`,
      secretKey: `sb_secret_${secret()}`,
      jwtSecret: secret(),
    };
    const database = await startDatabase({
      store: { postgresUrl: postgres.url },
      port: databasePort,
      siteUrl: url,
      codeHost: { webUrl: host.webUrl, clientId, clientSecret },
      ...keys,
    });
    cleanUp.push(database.stop);
    const all: Record<string, string> = {
      SUPABASE_URL: database.url,
      SUPABASE_PUBLISHABLE_KEY: keys.publishableKey,
      SUPABASE_SECRET_KEY: keys.secretKey,
      SUPABASE_JWT_SECRET: keys.jwtSecret,
      ...codeHostVariables(host),
      IMAGE_LOOKUP: 'off',
      PACKAGE_LOOKUP: 'off',
      CRON_SECRET: secret(),
      TRUSTED_PROXY_HOPS: '1',
      UPSTASH_REDIS_REST_URL: bridge.url,
      UPSTASH_REDIS_REST_TOKEN: token,
      WEB_URL: url,
      ...variables,
      PORT: String(webPort),
    };
    const instances = await startInstances(all, webPort);
    cleanUp.push(() => instances.stop());
    return {
      url,
      webs: instances.webs,
      host,
      database,
      postgres,
      redis,
      variables: all,
      revive: instances.revive,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

export interface Instances {
  readonly url: string;
  readonly log: readonly string[];
  readonly webs: readonly Web[];
  readonly revive: (index: number) => Promise<void>;
  readonly stop: () => Promise<void>;
}

export async function startInstances(
  variables: Readonly<Record<string, string>>,
  proxyPort?: number,
): Promise<Instances> {
  const webs: Web[] = [];
  const log: string[] = [];
  const port = proxyPort ?? (await freePort(undefined));
  const proxy = await startProxy(port, () => webs.map((web) => web.url));
  const start = (own: Readonly<Record<string, string>> = {}) =>
    startWeb({ ...variables, WEB_URL: variables['WEB_URL'] ?? proxy.url, PORT: '', ...own }, log);
  const stop = async () => {
    await Promise.all(webs.map((web) => web.stop()));
    await proxy.stop();
  };
  try {
    webs.push(...(await Promise.all(Array.from({ length: INSTANCES }, () => start()))));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: proxy.url,
    webs,
    log,
    async revive(index) {
      const before = webs[index];
      if (before === undefined) throw new RangeError(`There is no instance ${index}.`);
      webs[index] = await start({ PORT: new URL(before.url).port });
    },
    stop,
  };
}

export function codeHostVariables(host: CodeHostForTests): Record<string, string> {
  return {
    SCM_WEB_URL: host.webUrl,
    SCM_API_URL: host.apiUrl,
    SCM_GRAPHQL_URL: host.graphqlUrl,
    SCM_PUBLIC_TOKEN: host.publicToken,
    SCM_APP_ID: String(host.app.id),
    SCM_APP_SLUG: host.app.slug,
    SCM_APP_PRIVATE_KEY: host.app.privateKey,
    SCM_CLIENT_ID: host.app.clientId,
    SCM_CLIENT_SECRET: host.app.clientSecret,
    SCM_WEBHOOK_SECRET: host.app.webhookSecret,
  };
}

function secret(): string {
  return randomBytes(32).toString('base64url');
}
