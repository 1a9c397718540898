import { randomUUID } from 'node:crypto';
import Redis from 'ioredis-mock';
import { findPrograms } from '#lib/cluster/programs.ts';
import { startRedis } from '#lib/cluster/redis.ts';
import { type Answer, type RedisCommands, startRedisBridge } from '#lib/cluster/redis-bridge.ts';
import { connectRedis } from '#lib/cluster/redis-client.ts';
import { ON_CLUSTER } from './topology.ts';

export interface UpstashForTests {
  readonly url: string;
  readonly token: string;
  readonly requests: readonly string[];
  readonly entries: () => Promise<Record<string, string>>;
  fail(how: 'error' | 'hang' | 'page' | null): void;
  readonly waiting: () => number;
  clear(): Promise<void>;
  stop(): Promise<void>;
}

type Backend = RedisCommands & { readonly close: () => Promise<void> };

export async function startUpstash(): Promise<UpstashForTests> {
  const token = `upstash-${randomUUID()}`;
  const redis = await (ON_CLUSTER ? realRedis() : simulatedRedis());
  const requests: string[] = [];
  let waiting = 0;
  let failure: 'error' | 'hang' | 'page' | null = null;

  const bridge = await startRedisBridge({
    redis,
    token,
    intercept(body, { headers, socket }): Answer | 'hang' | null {
      requests.push(body);
      const sent = headers.authorization?.replace(/^Bearer /, '');
      if (failure === 'error') return { status: 500, body: { error: `ERR internal, the token was ${sent}` } };
      if (failure === 'page') return { status: 200, body: `<html>${sent}</html>` };
      if (failure === null) return null;
      waiting += 1;
      socket.once('close', () => (waiting -= 1));
      return failure;
    },
  });
  return {
    url: bridge.url,
    token,
    requests,
    entries: async () => {
      const keys = (await redis.call('keys', '*')) as string[];
      const entries = keys.map(async (key) => [key, ((await redis.call('get', key)) as string | null) ?? ''] as const);
      return Object.fromEntries(await Promise.all(entries));
    },
    waiting: () => waiting,
    fail: (how) => {
      failure = how;
    },
    clear: async () => {
      bridge.forgetScripts();
      requests.length = 0;
      await redis.call('flushall');
    },
    stop: async () => {
      await bridge.stop();
      await redis.close();
    },
  };
}

function simulatedRedis(): Backend {
  const redis = new Redis({ host: randomUUID() });
  // The simulation has a method for each command, and none for any command.
  const commands = redis as unknown as Record<string, (...values: readonly string[]) => Promise<unknown>>;
  return {
    async call(name, ...values) {
      if (name !== 'eval') return commands[name.toLowerCase()]?.(...values);
      const [script = '', keys = '', ...rest] = values;
      return redis.eval(script, Number(keys), ...rest);
    },
    transaction: () => Promise.reject(new Error('not simulated')),
    close: async () => redis.disconnect(),
  };
}

async function realRedis(): Promise<Backend> {
  const server = await startRedis(findPrograms().redis);
  const { close, ...commands } = connectRedis(`redis://127.0.0.1:${server.port}`);
  return {
    ...commands,
    close: async () => {
      close();
      await server.remove();
    },
  };
}
