import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { quietPort } from '../support/quiet-port.ts';
import { startUpstash, type UpstashForTests } from '../support/upstash.ts';
import { startWeb, type Web } from '../support/web.ts';

let upstash: UpstashForTests;
let webs: readonly Web[];

beforeAll(async () => {
  upstash = await startUpstash();
  const variables = {
    SUPABASE_URL: `http://127.0.0.1:${await quietPort()}`,
    SUPABASE_PUBLISHABLE_KEY: 'sb_publishable_x',
    SUPABASE_SECRET_KEY: `sb_secret_${randomBytes(24).toString('base64url')}`,
    SCM_PUBLIC_TOKEN: 'ghp_neverUsed',
    UPSTASH_REDIS_REST_URL: upstash.url,
    UPSTASH_REDIS_REST_TOKEN: upstash.token,
    TRUSTED_PROXY_HOPS: '1',
  };
  webs = await Promise.all([startWeb(variables), startWeb(variables)]);
}, 180_000);

afterAll(async () => {
  await Promise.all((webs ?? []).map((web) => web.stop()));
  await upstash?.stop();
});

const ask = (web: Web | undefined, address: string) =>
  fetch(`${web?.url}/api/public-scan`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: '{}',
  });

async function awayFromTheEndOfTheMinute(): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000);
  if (left < 10_000) await delay(left + 100);
}

describe('two processes with one Upstash', () => {
  it('share one count per address', async () => {
    await awayFromTheEndOfTheMinute();
    const [one, other] = webs;
    const statuses = [];
    for (const web of [one, other, one, other, one]) statuses.push((await ask(web, '203.0.113.20')).status);
    expect(statuses).toEqual([400, 400, 400, 400, 400]);
    for (const web of [other, one]) {
      const refused = await ask(web, '203.0.113.20');
      const wait = Number(refused.headers.get('retry-after'));
      expect([refused.status, Number.isInteger(wait), wait >= 1, wait <= 60]).toEqual([429, true, true, true]);
      expect(await refused.json()).toMatchObject({ code: 'rate-limited' });
    }
    expect((await ask(one, '203.0.113.21')).status).toBe(400);
  });

  it('let nothing pass if neither Upstash nor the database answers', async () => {
    upstash.fail('error');
    const refused = await ask(webs[0], '203.0.113.22');
    expect([refused.status, await refused.json()]).toEqual([503, expect.objectContaining({ code: 'not-configured' })]);
    expect(refused.headers.get('retry-after')).toBe('5');
    upstash.fail(null);
  });

  it('write no address and no token into their logs', () => {
    const output = webs.map((web) => web.output()).join('');
    expect(output).toContain('the shared rate limit is unreachable');
    expect(output).not.toContain('203.0.113.2');
    expect(output).not.toContain(upstash.token);
  });
});
