import { Redis } from 'ioredis';
import type { RedisCommands, Reply } from './redis-bridge.ts';

/** Connects to a Redis for a bridge. Commands fail at once while it is down. */
export function connectRedis(url: string): RedisCommands & { readonly close: () => void } {
  const redis = new Redis(url, {
    maxRetriesPerRequest: 1,
    commandTimeout: 1_000,
    retryStrategy: () => 100,
  });
  redis.on('error', () => {});
  return {
    call: (name, ...values) => redis.call(name, ...values),
    async transaction(commands) {
      const batch = redis.multi();
      for (const [name = '', ...values] of commands) batch.call(name, ...values);
      const results = (await batch.exec()) ?? [];
      return results.map(([error, result]): Reply => (error === null ? { result } : { error: error.message }));
    },
    close: () => redis.disconnect(),
  };
}
