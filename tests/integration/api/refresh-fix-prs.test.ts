import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Company,
  type ConnectedService,
  PERMISSIONS,
  startConnectedService,
} from '../../support/connected-service.ts';
import { configure } from '../../support/environment.ts';
import { ON_CLUSTER } from '../../support/topology.ts';

const SECRET = 'a-secret-of-the-scheduler';
const NOTHING = { checked: 0, refreshed: 0, failed: 0 };

let service: ConnectedService;

beforeAll(async () => {
  service = await startConnectedService({ CRON_SECRET: SECRET }, { ownDatabase: true });
});
beforeEach(async () => {
  await service.database.sql('delete from public.fix_pull_requests');
  await service.host.log();
});
afterEach(() => service.host.clearFaults());
afterAll(() => service?.stop());

const cron = (secret: string | null = SECRET) =>
  service.call('GET /api/cron/refresh-fix-prs', {
    headers: secret === null ? {} : { authorization: `Bearer ${secret}` },
  });

interface Place {
  readonly company: Company;
  readonly fullName: string;
  readonly repoId: string;
}

let companies = 0;
async function place(count = 1): Promise<readonly Place[]> {
  const login = `firm${(companies += 1)}`;
  const company = await service.company(login, { permissions: { ...PERMISSIONS, pull_requests: 'write' } });
  const names = Array.from({ length: count }, (_, n) => `${login}/r${n}`);
  await service.host.addRepositories(names.map((fullName) => ({ fullName, files: { 'README.md': '#\n' } })));
  const ids = await service.connect(company);
  await service.host.log();
  return names.map((fullName) => ({ company, fullName, repoId: ids.get(fullName) ?? '' }));
}

async function open({ fullName, repoId }: Place, count = 1): Promise<number[]> {
  const numbers: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const branch = `fix-${randomUUID().slice(0, 8)}`;
    await service.host.push(fullName, { branch, files: { [`${branch}.md`]: '#\n' } });
    numbers.push((await service.host.people.open(fullName, { title: branch, head: branch })).number);
  }
  await store(repoId, numbers);
  await service.host.log();
  return numbers;
}

const store = (repoId: string, numbers: readonly number[]) =>
  service.database.sql(
    `insert into public.fix_pull_requests (org_id, repo_id, file, number, url, branch, rule_ids, fingerprints)
     select org_id, id, 'ci.yml', n::text::integer, 'https://code.example/1', 'fix', '{}', '{}'
     from public.repositories, jsonb_array_elements($2::text::jsonb) n where id = $1`,
    [repoId, JSON.stringify(numbers)],
  );

const states = async ({ repoId }: Place) =>
  (
    await service.database.sql<{ state: string }>(
      'select state from public.fix_pull_requests where repo_id = $1 order by number',
      [repoId],
    )
  ).map(({ state }) => state);

const sent = async () => {
  const asked = (await service.host.log()).map(({ operation, path }) => operation ?? path);
  return asked.filter((each) => !each.endsWith('/app/hook/deliveries'));
};

describe('GET /api/cron/refresh-fix-prs', () => {
  it.each([null, 'wrong', `${SECRET}2`])('refuses the secret %s with 401', async (secret) => {
    const { status, json } = await cron(secret);
    expect([status, json['code']]).toEqual([401, 'unauthenticated']);
  });

  it("refuses a user's token with 401", async () => {
    expect((await cron(service.user().token)).status).toBe(401);
  });

  // The instances of a cluster keep the variables that they were started with.
  it.skipIf(ON_CLUSTER).each(['CRON_SECRET', 'SCM_APP_ID'])(
    'is 503 without %s, before the secret is looked at',
    async (name) => {
      const { [name]: _, ...variables } = { ...service.variables, CRON_SECRET: SECRET } as Record<string, string>;
      const without =
        name === 'SCM_APP_ID'
          ? Object.fromEntries(Object.entries(variables).filter(([key]) => !/^SCM_(APP|CLIENT)_/.test(key)))
          : variables;
      configure(without);
      try {
        for (const secret of [SECRET, 'wrong']) {
          const { status, json } = await cron(secret);
          expect([status, json['code']]).toEqual([503, 'not-configured']);
        }
      } finally {
        configure({ ...service.variables, CRON_SECRET: SECRET });
      }
    },
  );

  it('asks about nothing if nothing is open', async () => {
    expect((await cron()).json).toEqual(NOTHING);
    expect(await sent()).toEqual([]);
  });

  it('stores what was merged and closed while no webhook arrived, and leaves the rest open', async () => {
    const [shop] = (await place()) as [Place];
    const [merged, closed] = (await open(shop, 3)) as [number, number];
    await service.host.people.merge(shop.fullName, merged, { hold: true });
    await service.host.people.close(shop.fullName, closed, { hold: true });
    expect((await cron()).json).toEqual({ checked: 3, refreshed: 3, failed: 0 });
    expect(await states(shop)).toEqual(['merged', 'closed', 'open']);
    expect((await cron()).json).toEqual({ checked: 1, refreshed: 1, failed: 0 });
    const [row] = await service.database.sql(
      `select merged_at is not null and closed_at is not null and merge_commit_sha is not null as told
       from public.fix_pull_requests where state = 'merged'`,
    );
    expect(row).toEqual({ told: true });
  });

  it('asks for fifty in one query, of all repositories of an installation together', async () => {
    const shops = await place(4);
    for (const shop of shops) await open(shop, 1);
    await store(
      shops[0]?.repoId ?? '',
      Array.from({ length: 100 }, (_, n) => 1_000 + n),
    );
    await sent();
    expect((await cron()).json).toEqual({ checked: 104, refreshed: 4, failed: 100 });
    expect((await sent()).filter((each) => each === 'PullRequests')).toHaveLength(3);
  });

  it('counts pull requests that do not exist there, or are another repository’s now, as failed', async () => {
    const [shop, other] = (await place(2)) as [Place, Place];
    await open(shop, 1);
    await store(shop.repoId, [77]);
    await open(other, 1);
    await service.database.sql('update public.repositories set full_name = $2 where id = $1', [
      other.repoId,
      shop.fullName,
    ]);
    expect((await cron()).json).toEqual({ checked: 3, refreshed: 1, failed: 2 });
    expect([await states(shop), await states(other)]).toEqual([['open', 'open'], ['open']]);
  });

  it('a broken installation fails alone, with one attempt', async () => {
    const [sound] = (await place()) as [Place];
    const [broken] = (await place()) as [Place];
    const [number] = (await open(sound, 1)) as [number];
    await open(broken, 1);
    await store(
      broken.repoId,
      Array.from({ length: 120 }, (_, n) => 1_000 + n),
    );
    await service.host.people.merge(sound.fullName, number, { hold: true });
    broken.company.installation.suspendedAt = new Date().toISOString();
    await sent();
    expect((await cron()).json).toEqual({ checked: 122, refreshed: 1, failed: 121 });
    expect([await states(sound), (await states(broken)).length]).toEqual([['merged'], 121]);
    const asked = await sent();
    expect(asked.filter((each) => each.includes(`/${broken.company.installation.id}/`)).length).toBeLessThanOrEqual(3);
    expect(service.log.join('')).toContain('fix pull requests of an installation not refreshed');
    broken.company.installation.suspendedAt = null;
  });

  it('a request that fails in passing costs its fifty only', async () => {
    const [shop] = (await place()) as [Place];
    const numbers = await open(shop, 2);
    await store(
      shop.repoId,
      Array.from({ length: 50 }, (_, n) => 1_000 + n),
    );
    await service.host.fault({ match: 'POST /api/graphql', times: 2, effect: { kind: 'status', status: 502 } });
    expect((await cron()).json).toMatchObject({ checked: 52, refreshed: 0, failed: 52 });
    expect((await cron()).json).toMatchObject({ refreshed: numbers.length });
  });

  it('two runs at once, and twenty, store each outcome once', async () => {
    const shops = await place(3);
    for (const shop of shops) {
      const [number = 0] = await open(shop, 1);
      await service.host.people.merge(shop.fullName, number, { hold: true });
    }
    const answers = await Promise.all(Array.from({ length: 20 }, () => cron()));
    for (const { status, json } of answers) {
      const { checked, refreshed, failed } = json as typeof NOTHING;
      expect([status, checked - refreshed, failed]).toEqual([200, 0, 0]);
    }
    expect(Math.max(...answers.map(({ json }) => Number(json['checked'])))).toBe(3);
    for (const shop of shops) expect(await states(shop)).toEqual(['merged']);
    expect((await cron()).json).toEqual(NOTHING);
  });

  it('leaves out repositories that left the installation', async () => {
    const [shop] = (await place()) as [Place];
    await open(shop, 1);
    await service.database.sql('update public.repositories set removed_at = now() where id = $1', [shop.repoId]);
    expect([(await cron()).json, await sent()]).toEqual([NOTHING, []]);
  });

  it('takes at most 25 requests for 1,000 pull requests', async () => {
    const shops = await place(20);
    for (const { repoId } of shops)
      await store(
        repoId,
        Array.from({ length: 50 }, (_, n) => n + 1),
      );
    await sent();
    expect((await cron()).json).toMatchObject({ checked: 1_000 });
    expect((await sent()).length).toBeLessThanOrEqual(25);
  });
});
