import pMap from 'p-map';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConnectedService, startConnectedService } from '../support/connected-service.ts';
import { FULL } from '../support/effort.ts';
import { Figures } from '../support/figures.ts';
import { behind, CONSISTENT, inconsistencies, monitored, scan } from '../support/storm.ts';

const REPOSITORIES = FULL ? 1_000 : 20;
const AT_ONCE = 4;
const CALLS_WITHIN_USER_LIMIT = 50;

let service: ConnectedService;

beforeAll(async () => {
  service = await startConnectedService({}, { ownDatabase: true });
});
afterAll(() => service?.stop());

it('the first scans of all repositories of an organization lose none', { timeout: 1_800_000 }, async () => {
  const company = await service.company('new');
  const repositories = await monitored(service, company, REPOSITORIES);
  const [org] = await service.database.sql<{ id: string }>('select org_id as id from public.repositories limit 1');
  const tokens: string[] = [];
  for (let user = 0; user * CALLS_WITHIN_USER_LIMIT < REPOSITORIES; user += 1) {
    const member = service.user();
    tokens.push(member.token);
    await service.database.sql(`insert into public.org_members (org_id, user_id, role) values ($1, $2, 'member')`, [
      org?.id,
      member.id,
    ]);
  }
  const figures = new Figures();
  const started = performance.now();
  const acknowledged = await pMap(
    repositories,
    async ({ id }, index) => {
      const token = tokens[Math.floor(index / CALLS_WITHIN_USER_LIMIT)] ?? '';
      const answer = await figures.observe(() => scan(service, token, id));
      return answer === 'cut off' ? answer : answer.json['scan_id'];
    },
    { concurrency: AT_ONCE },
  );
  const seconds = Math.round((performance.now() - started) / 1000);
  const lost = await behind(service, repositories);
  const [stored] = await service.database.sql<{ n: number }>('select count(*)::int as n from public.scans');
  figures.print('first scans', `${REPOSITORIES} repositories, ${AT_ONCE} at once, done after ${seconds} s`, {
    lost: lost.length,
    duplicated: (stored?.n ?? 0) - REPOSITORIES,
    service,
  });
  expect([...figures.statuses.keys()]).toEqual([200]);
  expect(new Set(acknowledged).size).toBe(REPOSITORIES);
  expect([lost, stored]).toEqual([[], { n: REPOSITORIES }]);
  expect(await inconsistencies(service)).toEqual(CONSISTENT);
});
