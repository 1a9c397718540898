import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Env, parseEnv } from '#lib/env.ts';
import { takePublic } from '#lib/http/limits/public-limit.ts';
import { createLog } from '#lib/log.ts';
import { createServices, type Services } from '#lib/services/context.ts';
import { emptyDatabase, type TestDatabase } from '../support/database.ts';
import { startUpstash, type UpstashForTests } from '../support/upstash.ts';

const START = Date.UTC(2026, 10, 20, 12, 0, 10);

let database: TestDatabase;
let upstash: UpstashForTests;
const lines: string[] = [];

beforeAll(async () => {
  [database, upstash] = await Promise.all([emptyDatabase(), startUpstash()]);
  // The first request of a process is slow on a busy machine, and a late answer is counted in the database.
  await take(inProcess(), '192.0.2.1');
});

afterAll(async () => {
  await Promise.all([database?.stop(), upstash?.stop()]);
});

beforeEach(async () => {
  await Promise.all([upstash.clear(), database.sql('delete from public.rate_limits')]);
  lines.length = 0;
  vi.useFakeTimers({ toFake: ['Date'], now: START });
});

afterEach(() => {
  upstash.fail(null);
  vi.useRealTimers();
});

function inProcess(own: Partial<Record<'url' | 'token' | 'database', string>> = {}): Services {
  const env: Env = parseEnv({
    SUPABASE_URL: own.database ?? database.url,
    SUPABASE_PUBLISHABLE_KEY: database.publishableKey,
    SUPABASE_SECRET_KEY: database.secretKey,
    UPSTASH_REDIS_REST_URL: own.url ?? upstash.url,
    UPSTASH_REDIS_REST_TOKEN: own.token ?? upstash.token,
  });
  return createServices(
    env,
    createLog((line) => lines.push(line)),
  );
}

const take = (services: Services, address: string, budget: 'public-scan' | 'action-request' = 'public-scan') =>
  takePublic(services, budget, address).then(
    () => null,
    (error: { code: string; retryAfterSeconds?: number }) => {
      if (error.code !== 'rate-limited') throw error;
      return error.retryAfterSeconds;
    },
  );

async function takeEach(services: Services, addresses: readonly string[]): Promise<(number | null | undefined)[]> {
  const answers = [];
  for (const address of addresses) answers.push(await take(services, address));
  return answers;
}

const times = (count: number, address: string) => Array.from({ length: count }, () => address);
const inDatabase = () => database.sql('select * from public.rate_limits');

describe('public limits in Upstash', () => {
  it('allow five requests of an address per minute, and tell the sixth how long to wait', async () => {
    const services = inProcess();
    expect(await takeEach(services, times(6, '203.0.113.1'))).toEqual([null, null, null, null, null, 50]);
    expect(await takeEach(services, ['203.0.113.2'])).toEqual([null]);
    vi.setSystemTime(START + 2 * 60_000);
    expect(await takeEach(services, ['203.0.113.1'])).toEqual([null]);
    expect([await inDatabase(), lines]).toEqual([[], []]);
  });

  it('are shared by all processes', async () => {
    const [one, other] = [inProcess(), inProcess()];
    expect(await takeEach(one, times(3, '203.0.113.3'))).toEqual([null, null, null]);
    expect(await takeEach(other, times(3, '203.0.113.3'))).toEqual([null, null, 50]);
    expect(await takeEach(one, ['203.0.113.3'])).toEqual([50]);
  });

  it('allow thirty requests in total, without refused ones', async () => {
    const services = inProcess();
    expect((await takeEach(services, times(45, '203.0.113.4'))).filter((wait) => wait === null)).toHaveLength(5);
    const others = Array.from({ length: 26 }, (_, n) => `198.51.100.${n}`);
    expect(await takeEach(services, others)).toEqual([...Array.from({ length: 25 }, () => null), 50]);
    expect(await take(services, '203.0.113.5', 'action-request')).toBeNull();
  });

  it('query once for an address over its limit, and not again in that minute', async () => {
    const services = inProcess();
    await takeEach(services, times(6, '203.0.113.6'));
    const asked = upstash.requests.length;
    expect(await takeEach(services, times(10, '203.0.113.6'))).toEqual(times(10, '').map(() => 50));
    expect(upstash.requests).toHaveLength(asked);
  });

  it('store addresses as pseudonyms only', async () => {
    await takeEach(inProcess(), times(6, '203.0.113.7'));
    const keys = Object.keys(await upstash.entries());
    expect(keys.map((key) => key.split(':').slice(0, 3))).toEqual([
      ['chainbreak', 'public-scan', 'address'],
      ['chainbreak', 'public-scan', 'all'],
    ]);
    expect(keys[0]).toMatch(/^chainbreak:public-scan:address:[\w-]{27}:\d+$/);
    expect(JSON.stringify([keys, upstash.requests])).not.toContain('203.0.113.7');
  });
});

describe('while Upstash fails', () => {
  const refused = async () => {
    const gone = await startUpstash();
    await gone.stop();
    return gone.url;
  };

  it.each([
    ['refuses the token', { token: 'a-wrong-token' }, null, 'WRONGPASS invalid or missing auth token'],
    ['answers 500', {}, 'error', 'ERR internal, the token was [token]'],
    ['is hidden by a page of a proxy', {}, 'page', 'Unable to parse'],
    ['hangs', {}, 'hang', 'no answer within 1200 ms'],
    ['refuses connections', { url: refused }, null, 'fetch failed (ECONNREFUSED)'],
  ] as const)('with %s, the database counts in time, and the limit holds', async (_, own, how, reason) => {
    const url = 'url' in own ? await own.url() : upstash.url;
    const services = inProcess({ ...own, url });
    upstash.fail(how);
    const began = performance.now();
    const waits = await Promise.all(times(6, '203.0.113.8').map((address) => take(services, address)));
    expect(performance.now() - began).toBeLessThan(5_000);
    expect([waits.filter((wait) => wait === null).length, waits.filter((wait) => wait === 60).length]).toEqual([5, 1]);
    expect(await inDatabase()).toHaveLength(2);

    expect(lines).toHaveLength(6);
    for (const line of lines) {
      expect(JSON.parse(line)).toMatchObject({ level: 'warn', error: { message: expect.stringContaining(reason) } });
      expect(line).not.toMatch(/203\.0\.113|evalsha|chainbreak:/);
      expect(line).not.toContain(services.env.upstash?.token);
    }
  });

  it('together with the database, nothing passes', async () => {
    upstash.fail('error');
    const services = inProcess({ database: await refused() });
    await expect(takePublic(services, 'public-scan', '203.0.113.9')).rejects.toMatchObject({ code: 'internal' });
  });

  it('the earlier counts apply again once it is back', async () => {
    const services = inProcess();
    await takeEach(services, times(4, '203.0.113.10'));
    upstash.fail('error');
    expect(await takeEach(services, ['203.0.113.10'])).toEqual([null]);
    upstash.fail(null);
    expect(await takeEach(services, times(2, '203.0.113.10'))).toEqual([null, 50]);
  });

  it('a hanging connection is closed', async () => {
    upstash.fail('hang');
    expect(await take(inProcess(), '203.0.113.11')).toBeNull();
    await expect.poll(() => upstash.waiting(), { timeout: 1_000 }).toBe(0);
  });
});
