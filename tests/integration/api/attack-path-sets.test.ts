import { afterAll, beforeAll, expect, it } from 'vitest';
import { combos } from '#lib/combos/combos/index.ts';
import { filesOfExample } from '#lib/combos/example.ts';
import type { Repository } from '#lib/simulator/model.ts';
import { type Company, type ConnectedService, QUIET, startConnectedService } from '../../support/connected-service.ts';
import { FULL, SEED } from '../../support/effort.ts';
import { Random } from '../../support/random.ts';
import type { TestUser } from '../../support/service.ts';
import { personalOrgOf } from '../../support/teams.ts';

const REPOSITORIES = 6;
const STEPS = FULL ? 300 : 24;
const CALLS_OF_A_USER = 100;
const CRON_SECRET = 'a-secret-of-the-scheduler';
const STATUSES = ['open', 'dismissed', 'false_positive', 'accepted', 'snoozed'];

interface Repo {
  readonly id: string;
  readonly hosted: Repository;
}

let service: ConnectedService;
let acme: Company;
let org: string;
let repos: Repo[];
const random = new Random(SEED);

const MODIFIED = combos.filter(({ modifiers = [] }) => modifiers.some(({ when }) => when === 'private'));
const EXAMPLES = [...combos, ...MODIFIED, ...MODIFIED].flatMap(({ examples: { bad } }) =>
  bad
    .map((example) => Object.fromEntries(filesOfExample(example).map(({ path, text }) => [path, text])))
    .filter((files) => Object.keys(files).some((path) => path.startsWith('.github/workflows/'))),
);
const QUIET_FILES = { '.github/workflows/example.yml': QUIET };
const filesOf = () => (random.chance(0.1) ? QUIET_FILES : random.pick(EXAMPLES));

beforeAll(async () => {
  service = await startConnectedService({ CRON_SECRET });
  acme = await service.company('paths');
  const hosted: Repository[] = [];
  for (let index = 0; index < REPOSITORIES; index += 1) {
    hosted.push(await service.host.addRepository({ fullName: `paths/r${index}`, files: filesOf() }));
  }
  const ids = await service.connect(acme);
  repos = hosted.map((each, index) => ({ id: ids.get(`paths/r${index}`) ?? '', hosted: each }));
  org = await personalOrgOf(service, acme.admin);
  for (const { id } of repos) await scan(id);
});
afterAll(async () => {
  await service?.database.sql('drop table if exists public.sets_before');
  await service?.stop();
});

let calls = 0;
let member: TestUser;
async function someone(): Promise<TestUser> {
  if (calls++ % CALLS_OF_A_USER === 0) {
    member = service.user();
    const values = [org ?? (await personalOrgOf(service, acme.admin)), member.id];
    await service.database.sql(
      `insert into public.org_members (org_id, user_id, role) values ($1, $2, 'member')`,
      values,
    );
  }
  return member;
}

async function call(operation: Parameters<ConnectedService['call']>[0], more: object = {}) {
  const answer = await service.call(operation, { as: await someone(), ...more });
  expect([200, 204], answer.text).toContain(answer.status);
  return answer;
}

const scan = (repo_id: string) => call('POST /api/scan', { body: { repo_id } });

async function findings(count: number) {
  const rows = await service.database.sql<{ repo_id: string; fingerprint: string; rule_id: string }>(
    `select l.repo_id, l.fingerprint, l.rule_id from public.finding_ledger l
       join public.repositories r on r.id = l.repo_id and r.removed_at is null
     where l.org_id = $1 order by l.repo_id, l.fingerprint`,
    [org],
  );
  return Array.from({ length: Math.min(count, rows.length) }, () => random.pick(rows));
}

const decision = () => ({
  status: random.pick(STATUSES),
  expires_at: new Date(Date.now() + 86_400_000).toISOString(),
});

async function rule() {
  const rows = await service.database.sql<{ rule: string }>(
    'select distinct unnest(rules) as rule from public.attack_path_sets where org_id = $1 order by 1',
    [org],
  );
  const [found] = await findings(1);
  return rows.length === 0 || random.chance(0.2) ? (found?.rule_id ?? 'unpinned-uses') : random.pick(rows).rule;
}

const known = () =>
  service.database.sql<{ id: string }>(
    'select id from public.repositories where org_id = $1 and removed_at is null order by id',
    [org],
  );

const steps: Readonly<Record<string, () => Promise<unknown>>> = {
  scan: async () => {
    const { hosted } = random.pick(repos);
    const files = filesOf();
    if (random.chance(0.7)) await service.host.push(`paths/${hosted.name}`, { files });
    const [row] = await service.database.sql<{ id: string }>(
      'select id from public.repositories where org_id = $1 and scm_id = $2 and removed_at is null',
      [org, String(hosted.id)],
    );
    if (row !== undefined) await scan(row.id);
  },
  triage: async () => {
    const [found] = await findings(1);
    if (found === undefined) return;
    const { repo_id, fingerprint } = found;
    const path = 'PUT /api/repositories/{repo_id}/findings/{fingerprint}/status';
    await call(path, { params: { repo_id, fingerprint }, body: decision() });
  },
  'triage of many': async () => {
    const chosen = await findings(6);
    const distinct = [...new Map(chosen.map((each) => [each.repo_id + each.fingerprint, each])).values()];
    if (distinct.length === 0) return;
    const changes = distinct.map(({ repo_id, fingerprint }) => ({ repo_id, fingerprint, ...decision() }));
    await call('PUT /api/findings/status:batch', { query: `?org=${org}`, body: { changes } });
  },
  'expired triage': async () => {
    await service.database.sql(
      `update public.finding_ledger set expires_at = now() - interval '1 second' where expires_at is not null and org_id = $1`,
      [org],
    );
    await call('GET /api/cron/expire-triage', { as: undefined, headers: { authorization: `Bearer ${CRON_SECRET}` } });
  },
  'rule of the organization': async () => {
    const more = { query: `?org=${org}`, params: { rule_id: await rule() }, body: { enabled: random.chance(0.6) } };
    await call('PUT /api/rule-settings/{rule_id}', more);
  },
  'rule of a repository': async () => {
    const { id } = random.pick(await known());
    const params = { repo_id: id, rule_id: await rule() };
    const path = '/api/repositories/{repo_id}/rule-overrides/{rule_id}';
    if (random.chance(0.3)) await call(`DELETE ${path}`, { params });
    else await call(`PUT ${path}`, { params, body: { enabled: random.chance(0.5) } });
  },
  policy: () =>
    call('PUT /api/orgs/{org_id}/pr-gate', {
      as: acme.admin,
      params: { org_id: org },
      body: { fail_on: random.pick(['never', 'high', 'critical']), new_only: random.chance(0.5) },
    }),
  'rename and visibility': async () => {
    for (const { hosted } of repos) {
      const visibility = hosted.visibility === 'public' ? 'private' : 'public';
      const name = random.chance(0.3) ? `r${random.below(1_000_000)}` : hosted.name;
      service.host.world.updateRepository(hosted, { name, visibility });
    }
    await call('GET /api/repos', { as: acme.admin });
  },
  'removal and return': async () => {
    const { id } = random.pick(repos);
    await service.database.sql(
      'update public.repositories set removed_at = case when removed_at is null then now() end where id = $1',
      [id],
    );
  },
  'installation removed and back': async () => {
    for (const time of ['now()', 'null']) {
      await service.database.sql(`update public.installations set removed_at = ${time} where org_id = $1`, [org]);
      await compare();
    }
  },
};

const read = async (limit?: number) =>
  (await call('GET /api/attack-paths', { query: `?org=${org}${limit === undefined ? '' : `&limit=${limit}`}` })).json;

interface Listed {
  readonly repos: readonly { readonly repo_id: string; readonly combos: readonly object[] }[];
  readonly total_combos: number;
}

async function compare(): Promise<void> {
  const stored = [await read(), await read(3)];
  await service.database.sql('drop table if exists public.sets_before');
  await service.database.sql(
    `create table public.sets_before as select * from public.attack_path_sets where org_id = '${org}'`,
  );
  await service.database.sql('delete from public.attack_path_sets where org_id = $1', [org]);
  expect(stored).toEqual([await read(), await read(3)]);
  const [all, few] = stored as unknown as readonly [Listed, Listed];
  const shown = (list: Listed) => list.repos.flatMap(({ combos: found }) => found);
  expect([shown(all).length, shown(few).length]).toEqual([all.total_combos, Math.min(3, all.total_combos)]);
  await service.database.sql('delete from public.attack_path_sets where org_id = $1', [org]);
  await service.database.sql('insert into public.attack_path_sets select * from public.sets_before');
}

it('stored paths are those computed from nothing, after any sequence of changes', { timeout: 900_000 }, async () => {
  await compare();
  const names = Object.keys(steps);
  for (let step = 0; step < STEPS; step += 1) {
    const name = step < names.length ? (names[step] as string) : random.pick(names);
    await steps[name]?.();
    await compare().catch((error: unknown) => {
      throw new Error(`after step ${step}: ${name}`, { cause: error });
    });
  }
});

it('a repository that is deleted takes its paths along', async () => {
  const { id } = random.pick(await known());
  await service.database.sql('update public.repositories set last_scan_id = null where id = $1', [id]);
  await service.database.sql('delete from public.repositories where id = $1', [id]);
  const [left] = await service.database.sql(
    `select (select count(*)::int from public.attack_path_sets where repo_id = $1) as sets,
       (select count(*)::int from public.attack_path_changes where repo_id = $1) as changes`,
    [id],
  );
  expect(left).toEqual({ sets: 0, changes: 0 });
  await compare();
});

it('the daily job computes what nobody asked for, and leaves nothing outdated', async () => {
  await service.database.sql(`update public.attack_path_sets set engine = 'before' where org_id = $1`, [org]);
  const outdated = async () =>
    (
      await service.database.sql<{ n: number }>(
        `select count(*)::int as n from public.attack_path_sets s join public.repositories r on r.id = s.repo_id
         where s.org_id = $1 and s.engine = 'before' and r.removed_at is null`,
        [org],
      )
    )[0]?.n;
  expect(await outdated()).toBeGreaterThan(0);
  await call('GET /api/cron/expire-triage', { as: undefined, headers: { authorization: `Bearer ${CRON_SECRET}` } });
  expect(await outdated()).toBe(0);
});
