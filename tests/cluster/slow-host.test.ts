import pMap from 'p-map';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Company, type ConnectedService, startConnectedService } from '../support/connected-service.ts';
import { FULL } from '../support/effort.ts';
import { Figures } from '../support/figures.ts';
import { behind, CONSISTENT, inconsistencies, type Monitored, monitored, scan } from '../support/storm.ts';

const REPOSITORIES = FULL ? 30 : 10;
const AT_ONCE = 5;
const MAX_ATTEMPTS = 12;

let service: ConnectedService;

beforeAll(async () => {
  service = await startConnectedService({}, { ownDatabase: true });
});
afterEach(() => service.host.clearFaults());
afterAll(() => service?.stop());

async function scanAll(company: Company, repositories: readonly Monitored[]) {
  const figures = new Figures();
  const acknowledged: string[] = [];
  await pMap(
    repositories,
    async ({ id }) => {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const answer = await figures.observe(() => scan(service, company.admin.token, id));
        if (answer === 'cut off' || answer.status !== 200) continue;
        acknowledged.push(String(answer.json['scan_id']));
        return;
      }
    },
    { concurrency: AT_ONCE },
  );
  return { figures, acknowledged };
}

async function check(
  scenario: string,
  repositories: readonly Monitored[],
  result: Awaited<ReturnType<typeof scanAll>>,
) {
  const { figures, acknowledged } = result;
  const stored = await service.database.sql<{ id: string }>('select id from public.scans where id::text = any ($1)', [
    acknowledged,
  ]);
  const lost = await behind(service, repositories);
  figures.print(scenario, `${REPOSITORIES} scans, ${AT_ONCE} at once`, {
    lost: lost.length + acknowledged.length - stored.length,
    duplicated: new Set(acknowledged).size - acknowledged.length,
    service,
  });
  expect(figures.unexplained).toEqual([]);
  expect(new Set(acknowledged).size).toBe(REPOSITORIES);
  expect(stored).toHaveLength(REPOSITORIES);
  expect(lost).toEqual([]);
  expect(await inconsistencies(service)).toEqual(CONSISTENT);
}

it('a code host that takes five seconds for each answer delays scans and loses none', async () => {
  const company = await service.company('slow');
  const repositories = await monitored(service, company, REPOSITORIES);
  await service.host.fault({ match: 'POST /api/graphql', times: 10_000, effect: { kind: 'slow', ms: 5_000 } });
  await check('code host 5 s slow', repositories, await scanAll(company, repositories));
});

it('a code host that fails each fifth request is 502 scm-unreachable, and scans succeed when repeated', async () => {
  const company = await service.company('broken');
  const repositories = await monitored(service, company, REPOSITORIES);
  for (let index = 0; index < 500; index += 1) {
    const effect = index % 2 === 0 ? ({ kind: 'status', status: 503 } as const) : ({ kind: 'reset' } as const);
    await service.host.fault({ match: 'POST /api/graphql', skip: 4, effect });
  }
  const result = await scanAll(company, repositories);
  expect([...result.figures.statuses.keys()].filter((status) => status !== 200 && status !== 502)).toEqual([]);
  await check('code host fails 20 %', repositories, result);
});
