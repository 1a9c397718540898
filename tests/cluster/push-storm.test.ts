import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConnectedService, startConnectedService } from '../support/connected-service.ts';
import { FULL } from '../support/effort.ts';
import { Figures } from '../support/figures.ts';
import { Random } from '../support/random.ts';
import {
  behind,
  CONSISTENT,
  type Delivery,
  deliver,
  filesOf,
  inconsistencies,
  type Monitored,
  monitored,
  pushDelivery,
} from '../support/storm.ts';

const REPOSITORIES = FULL ? 200 : 40;
const PUSHES = FULL ? 300 : 60;
const DELIVERIES = FULL ? 500 : 100;
const SECONDS = FULL ? 10 : 2;

let service: ConnectedService;
let repositories: readonly Monitored[];

beforeAll(async () => {
  service = await startConnectedService({}, { ownDatabase: true });
  const companies = await Promise.all(['acme', 'globex'].map((login) => service.company(login)));
  repositories = (
    await Promise.all(companies.map((company) => monitored(service, company, REPOSITORIES / companies.length)))
  ).flat();
});
afterAll(() => service?.stop());

it('a storm of pushes, with copies and out of order, ends with each head scanned and nothing twice', {
  timeout: 900_000,
}, async () => {
  const random = new Random(22);
  const pushes: Delivery[] = [];
  for (let index = 0; index < PUSHES; index += 1) {
    const { scmId, fullName } = repositories[index % REPOSITORIES] as Monitored;
    const { after } = await service.host.push(fullName, { files: filesOf(fullName, index), hold: true });
    pushes.push(pushDelivery(scmId, after));
  }
  const copies = Array.from({ length: DELIVERIES - PUSHES }, () => random.pick(pushes));
  const sent = [...pushes, ...copies]
    .map((delivery) => ({ delivery, at: random.below(1_000_000) }))
    .sort((a, b) => a.at - b.at)
    .map(({ delivery }) => delivery);
  const figures = new Figures();
  const started = performance.now();
  const refused: Delivery[] = [];
  await Promise.all(
    sent.map(async (delivery, index) => {
      await delay((index * SECONDS * 1000) / DELIVERIES);
      const answer = await figures.observe(() => deliver(service, delivery));
      if (answer !== 'cut off' && answer.status === 503) refused.push(delivery);
    }),
  );
  for (const delivery of refused) expect((await deliver(service, delivery)).status).toBe(200);
  const seconds = Math.round((performance.now() - started) / 1000);
  const failed = [...figures.statuses.keys()].filter((status) => status !== 200 && status !== 503);
  const lost = await behind(service, repositories);
  const scans = await service.database.sql<{ repo_id: string; n: number }>(
    'select repo_id, count(*)::int as n from public.scans group by repo_id',
  );
  const pushed = (at: number) => Math.floor(PUSHES / REPOSITORIES) + (at < PUSHES % REPOSITORIES ? 1 : 0);
  const twice = scans.filter(({ repo_id, n }) => n > pushed(repositories.findIndex(({ id }) => id === repo_id)));
  figures.print('push storm', `${DELIVERIES} deliveries in ${SECONDS} s, done after ${seconds} s`, {
    lost: lost.length,
    duplicated: twice.length,
    service,
  });
  expect(figures.unexplained).toEqual([]);
  expect(failed).toEqual([]);
  expect(lost).toEqual([]);
  expect(twice).toEqual([]);
  expect(await inconsistencies(service)).toEqual(CONSISTENT);
  const [open] = await service.database.sql<{ n: number }>(
    'select count(*)::int as n from public.webhook_deliveries where handled_at is null',
  );
  expect(open).toEqual({ n: 0 });
});
