import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '#lib/cluster/postgres.ts';
import { findPrograms } from '#lib/cluster/programs.ts';
import { type RedisServer, startRedis } from '#lib/cluster/redis.ts';
import { type RedisBridge, startRedisBridge } from '#lib/cluster/redis-bridge.ts';
import { connectRedis } from '#lib/cluster/redis-client.ts';
import { type Company, type ConnectedService, startConnectedService } from '../support/connected-service.ts';
import { startDatabaseOn, type TestDatabase } from '../support/database.ts';
import { Figures } from '../support/figures.ts';
import { CONSISTENT, inconsistencies, type Monitored, monitored, scan } from '../support/storm.ts';

const TOKEN = 'a-token-for-the-bridge';

let postgres: PostgresServer;
let redis: RedisServer;
let commands: ReturnType<typeof connectRedis>;
let bridge: RedisBridge;
let database: TestDatabase;
let service: ConnectedService;
let acme: Company;
let repositories: readonly Monitored[];

beforeAll(async () => {
  const programs = findPrograms();
  [postgres, redis] = await Promise.all([startPostgres(programs.postgres), startRedis(programs.redis)]);
  commands = connectRedis(`redis://127.0.0.1:${redis.port}`);
  bridge = await startRedisBridge({ redis: commands, token: TOKEN });
  database = await startDatabaseOn(postgres.url);
  service = await startConnectedService(
    { UPSTASH_REDIS_REST_URL: bridge.url, UPSTASH_REDIS_REST_TOKEN: TOKEN, TRUSTED_PROXY_HOPS: '2' },
    { database },
  );
  acme = await service.company('acme');
  repositories = await monitored(service, acme, 8);
});
afterAll(async () => {
  await service?.stop();
  await database?.stop();
  await bridge?.stop();
  commands?.close();
  await Promise.all([postgres?.remove(), redis?.remove()]);
});

/** The proxy appends its own client, so that this address is the second from the end. */
const teaser = (address: string) =>
  fetch(`${service.instances?.url}/api/public-scan`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: '{"repo":"nobody/nothing"}',
  });

it('the wall around anonymous requests is shared by both instances, and stands while Redis is down', async () => {
  const figures = new Figures();
  const ask = async (address: string, count: number) => {
    const answers = await Promise.all(Array.from({ length: count }, () => figures.observe(() => teaser(address))));
    const statuses = answers.map((answer) => (answer === 'cut off' ? answer : answer.status));
    expect(statuses.filter((status) => status !== 404 && status !== 429)).toEqual([]);
    return statuses.filter((status) => status === 404).length;
  };
  const inDatabase = () => service.log.join('').split('the shared rate limit is unreachable').length - 1;
  const left = 60_000 - (Date.now() % 60_000);
  if (left < 15_000) await delay(left + 100);
  // On a busy machine Redis may answer too late for some; the database counts these.
  const before = await ask('203.0.113.7', 8);
  expect([before >= 5, before <= 5 + inDatabase()]).toEqual([true, true]);
  await redis.crash();
  expect(await ask('203.0.113.8', 8)).toBe(5);
  expect(inDatabase()).toBeGreaterThan(0);
  await redis.start();
  const late = inDatabase();
  const after = await ask('203.0.113.9', 8);
  expect([after >= 5, after <= 5 + inDatabase() - late]).toEqual([true, true]);
  figures.print('Redis down, then empty', '3 × 8 anonymous requests at once', {
    lost: 0,
    duplicated: 0,
    service,
  });
  expect(figures.unexplained).toEqual([]);
});

it('a database that crashes and returns loses no acknowledged write, and nothing has to be started again', async () => {
  const figures = new Figures();
  const acknowledged = new Map<string, string>();
  const scans: string[] = [];
  const ended = new AbortController();
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${acme.admin.token}` };
  const found = await figures.observe(() => scan(service, acme.admin.token, repositories[0]?.id ?? ''));
  expect(found).toMatchObject({ status: 200 });
  const [finding] = await database.sql<{ fingerprint: string }>('select fingerprint from public.finding_ledger');
  const triage = async () => {
    for (let round = 0; !ended.signal.aborted; round += 1) {
      const reason = `round ${round}`;
      const url = `${service.instances?.url}/api/repositories/${repositories[0]?.id}/findings/${finding?.fingerprint}/status`;
      const body = JSON.stringify({ status: round % 2 === 0 ? 'dismissed' : 'open', reason });
      const answer = await figures.observe(() => fetch(url, { method: 'PUT', headers, body }));
      if (answer !== 'cut off' && answer.status === 200) acknowledged.set(reason, body);
      await delay(600);
    }
  };
  const scanOthers = async () => {
    for (let index = 0; !ended.signal.aborted; index += 1) {
      const { id } = repositories[1 + (index % (repositories.length - 1))] as Monitored;
      const answer = await figures.observe(() => scan(service, acme.admin.token, id));
      if (answer !== 'cut off' && answer.status === 200) scans.push(String(answer.json['scan_id']));
      await delay(1_200);
    }
  };
  const load = Promise.all([triage(), scanOthers()]);
  await delay(4_000);
  await postgres.crash();
  await delay(2_500);
  await postgres.start();
  const before = acknowledged.size;
  await expect.poll(() => acknowledged.size).toBeGreaterThan(before + 3);
  ended.abort();
  await load;
  const events = await database.sql<{ reason: string; n: number }>(
    'select reason, count(*)::int as n from public.triage_events where reason is not null group by reason',
  );
  const counts = new Map(events.map(({ reason, n }) => [reason, n]));
  const stored = await database.sql<{ id: string }>('select id from public.scans where id::text = any ($1)', [scans]);
  const lost = [...acknowledged.keys()].filter((reason) => !counts.has(reason));
  const twice = events.filter(({ n }) => n > 1);
  figures.print('PostgreSQL crashes for 2.5 s', 'a triage every 0.6 s, a scan every 1.2 s', {
    lost: lost.length + scans.length - stored.length,
    duplicated: twice.length,
    service,
  });
  expect(figures.unexplained).toEqual([]);
  expect([...figures.statuses.keys()]).not.toContain(500);
  expect(lost).toEqual([]);
  expect(twice).toEqual([]);
  expect(stored).toHaveLength(scans.length);
  expect(await inconsistencies(service)).toEqual(CONSISTENT);
});
