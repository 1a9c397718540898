import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { startService, type TestService, type TestUser } from '../../support/service.ts';
import { personalOrgOf } from '../../support/teams.ts';
import { ON_CLUSTER } from '../../support/topology.ts';

const REPOSITORIES = 350;
const ANY_CASE = 100;

let service: TestService;
let user: TestUser;
let org: string;

beforeAll(async () => {
  service = await startService();
  user = service.user();
  org = await personalOrgOf(service, user);
  const { sql } = service.database;
  await sql(
    `insert into public.installations (org_id, user_id, installation_id, account, account_type)
     values ($1, $1, 1, 'many', 'Organization')`,
    [org],
  );
  await sql(
    `insert into public.repositories (org_id, user_id, installation_id, scm_id, full_name, private, html_url)
     select $1::uuid, $1::uuid, 1, n::text, 'many/r' || n, true, 'https://code.example/many/r' || n
     from generate_series(1, ${REPOSITORIES}) as n`,
    [org],
  );
  await sql(
    `insert into public.scans (repo_id, org_id, user_id, trigger, ruleset, workflow_files, started_at, finished_at)
     select id, org_id, org_id, 'push', 'all', 3, now(), now() from public.repositories where org_id = $1`,
    [org],
  );
  await sql(
    `insert into public.scan_rules (scan_id, completed, not_assessed)
     select id, '{}', '[]' from public.scans where org_id = $1`,
    [org],
  );
  await sql(
    `update public.repositories r set last_scan_id = s.id from public.scans s where s.repo_id = r.id and r.org_id = $1`,
    [org],
  );
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => service?.stop());

const read = () => service.call('GET /api/attack-paths', { as: user, query: `?org=${org}` });

interface Covered {
  readonly coverage: readonly { readonly searched_repos: number; readonly blinded_repos: number }[];
}

it.skipIf(ON_CLUSTER)(
  'a request that is out of time says how far it came, and the next ones compute the rest',
  async () => {
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 1_500;
      return now;
    });
    const progress: number[] = [];
    let answer = await read();
    while (answer.status === 503 && progress.length < REPOSITORIES) {
      expect(answer.json).toMatchObject({ code: 'not-configured' });
      expect(answer.headers.get('retry-after')).toBe('1');
      const [, computed, all] =
        /^Attack paths of (\d+) of (\d+) repositories/.exec(String(answer.json['detail'])) ?? [];
      expect(Number(all)).toBe(REPOSITORIES);
      progress.push(Number(computed));
      answer = await read();
    }
    expect(answer.status, answer.text).toBe(200);
    expect(progress).toEqual([ANY_CASE, 2 * ANY_CASE]);
    for (const { searched_repos, blinded_repos } of (answer.json as unknown as Covered).coverage) {
      expect(searched_repos + blinded_repos).toBe(REPOSITORIES);
    }
  },
);

it.skipIf(ON_CLUSTER)('a few outdated repositories are computed however late it is', async () => {
  await service.database.sql(
    `update public.attack_path_sets set engine = 'before' where repo_id in (
       select repo_id from public.attack_path_sets where org_id = $1 order by repo_id limit ${ANY_CASE})`,
    [org],
  );
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 10_000;
    return now;
  });
  expect((await read()).status).toBe(200);
});
