import { AppError } from '#lib/errors.ts';
import { startRedisBridge } from './redis-bridge.ts';
import { connectRedis } from './redis-client.ts';

const { PORT: port, REDIS_URL: redisUrl, UPSTASH_REDIS_REST_TOKEN: token } = process.env;

if (!port || !redisUrl || !token) {
  throw new AppError('usage', 'Set PORT, REDIS_URL and UPSTASH_REDIS_REST_TOKEN.');
}
const redis = connectRedis(redisUrl);
const bridge = await startRedisBridge({ redis, token, port: Number(port) });
process.stdout.write(`The bridge serves ${bridge.url}.\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    redis.close();
    void bridge.stop().then(() => process.exit(0));
  });
}
