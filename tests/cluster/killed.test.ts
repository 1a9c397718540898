import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Company, type ConnectedService, startConnectedService } from '../support/connected-service.ts';
import { Figures } from '../support/figures.ts';
import {
  behind,
  CONSISTENT,
  deliver,
  filesOf,
  inconsistencies,
  type Monitored,
  monitored,
  pushDelivery,
  scan,
} from '../support/storm.ts';

const WRITES = {
  metadata: 'read',
  contents: 'write',
  workflows: 'write',
  pull_requests: 'write',
  administration: 'read',
  members: 'read',
};

let service: ConnectedService;

beforeAll(async () => {
  service = await startConnectedService({}, { ownDatabase: true });
});
afterEach(() => service.host.clearFaults());
afterAll(() => service?.stop());

const webOf = (index: number) => {
  const web = service.instances?.webs[index];
  if (web === undefined) throw new RangeError(`There is no instance ${index}.`);
  return web;
};

async function killDuring(requests: readonly Promise<unknown>[], underWay: () => Promise<boolean>): Promise<void> {
  await expect.poll(underWay).toBe(true);
  await webOf(0).kill();
  await Promise.all(requests);
  await service.instances?.revive(0);
}

function askedTheHost(count: number): () => Promise<boolean> {
  let asked = 0;
  return async () => {
    asked += (await service.host.log()).filter(({ path }) => path.endsWith('/graphql')).length;
    return asked >= count;
  };
}

async function slowly(ms: number): Promise<void> {
  await service.host.fault({ match: 'POST /api/graphql', times: 10_000, effect: { kind: 'slow', ms } });
}

async function retried(figures: Figures, ask: () => Promise<Response>): Promise<void> {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const answer = await figures.observe(ask);
    if (answer !== 'cut off' && answer.status === 200) return;
    await delay(200);
  }
}

async function check(scenario: string, load: string, figures: Figures, repositories: readonly Monitored[]) {
  const lost = await behind(service, repositories);
  figures.print(scenario, load, { lost: lost.length, duplicated: 0, service });
  expect(figures.statuses.get('cut off')).toBeGreaterThan(0);
  expect(figures.unexplained).toEqual([]);
  expect(lost).toEqual([]);
  expect(await inconsistencies(service)).toEqual(CONSISTENT);
}

it('an instance killed during scans leaves nothing half-written, and the other one answers', async () => {
  const company = await service.company('scanned');
  const repositories = await monitored(service, company, 12);
  await slowly(500);
  const figures = new Figures();
  await service.host.log();
  const scans = repositories.map(({ id }) => retried(figures, () => scan(service, company.admin.token, id)));
  await killDuring(scans, askedTheHost(6));
  await check('instance killed during scans', '12 scans at once', figures, repositories);
});

it('an instance killed during deliveries loses none that the code host sends again', async () => {
  const company = await service.company('pushed');
  const repositories = await monitored(service, company, 12);
  const deliveries = await Promise.all(
    repositories.map(async ({ fullName, scmId }) => {
      const { after } = await service.host.push(fullName, { files: filesOf(fullName, 1), hold: true });
      return pushDelivery(scmId, after);
    }),
  );
  await slowly(500);
  const figures = new Figures();
  await service.host.log();
  const sent = deliveries.map((delivery) => retried(figures, () => deliver(service, delivery)));
  await killDuring(sent, askedTheHost(6));
  await check('instance killed during deliveries', '12 deliveries at once', figures, repositories);
  const scans = await service.database.sql<{ n: number }>(
    `select count(*)::int as n from public.scans where repo_id::text = any ($1) group by repo_id`,
    [repositories.map(({ id }) => id)],
  );
  expect(scans).toEqual(repositories.map(() => ({ n: 1 })));
  const handled = await service.database.sql<{ n: number }>(
    'select count(*)::int as n from public.webhook_deliveries where handled_at is not null and id = any ($1)',
    [deliveries.map(({ id }) => id)],
  );
  expect(handled).toEqual([{ n: deliveries.length }]);
});

it('an instance killed during a campaign leaves one pull request for each file', async () => {
  const company = await service.company('fixed', { permissions: WRITES });
  const repositories = await monitored(service, company, 6);
  const repoIds = repositories.map(({ id }) => id);
  const { json } = await service.call('POST /api/campaigns', {
    as: company.admin,
    body: { ruleset: 'all', repo_ids: repoIds },
  });
  const campaignId = (json['campaign'] as { id: string }).id;
  await slowly(300);
  const figures = new Figures();
  const url = `${service.instances?.url}/api/campaigns/${campaignId}/repos`;
  const headers = { authorization: `Bearer ${company.admin.token}` };
  const remediate = (id: string) => figures.observe(() => fetch(`${url}/${id}/remediate`, { method: 'POST', headers }));
  await killDuring(repoIds.map(remediate), async () => {
    const rows = await rowsOf(company, campaignId);
    return rows.every(({ status }) => status !== 'pending');
  });
  service.host.clearFaults();
  await service.database.sql(
    `update public.campaign_repos set started_at = started_at - interval '15 minutes' where status = 'running'`,
  );
  const before = await rowsOf(company, campaignId);
  expect(before.filter(({ status }) => status === 'running').length).toBeGreaterThan(0);
  for (const { repo_id, status } of before) if (status !== 'succeeded') await remediate(repo_id);
  const rows = await rowsOf(company, campaignId);
  const opened = repositories.map(({ fullName }) => {
    const repository = service.host.world.repository(fullName);
    return repository === undefined ? 0 : service.host.world.pullRequests(repository).length;
  });
  figures.print('instance killed during a campaign', '6 repositories at once', {
    lost: rows.filter(({ status }) => status !== 'succeeded').length,
    duplicated: opened.filter((count) => count > 1).length,
    service,
  });
  expect(figures.unexplained).toEqual([]);
  expect(opened).toEqual(repositories.map(() => 1));
  expect(rows.map(({ status, prs_opened, error }) => [status, prs_opened, error])).toEqual(
    repositories.map(() => ['succeeded', 1, null]),
  );
});

interface CampaignRow {
  readonly repo_id: string;
  readonly status: string;
  readonly prs_opened: number;
  readonly error: string | null;
}

async function rowsOf({ admin }: Company, campaignId: string): Promise<readonly CampaignRow[]> {
  const params = { campaign_id: campaignId };
  const { json } = await service.call('GET /api/campaigns/{campaign_id}', { as: admin, params });
  return json['repos'] as readonly CampaignRow[];
}
