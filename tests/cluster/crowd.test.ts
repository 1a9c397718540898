import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConnectedService, startConnectedService } from '../support/connected-service.ts';
import { FULL, SEED } from '../support/effort.ts';
import { Figures } from '../support/figures.ts';
import { Random } from '../support/random.ts';
import { CONSISTENT, inconsistencies, type Monitored, monitored, scan } from '../support/storm.ts';

const USERS = FULL ? 50 : 10;
const ROUNDS = FULL ? 4 : 1;
const REPOSITORIES = FULL ? 25 : 5;

interface Tenant {
  readonly org: string;
  readonly repositories: readonly Monitored[];
  readonly tokens: readonly string[];
  readonly findings: readonly { readonly repo_id: string; readonly fingerprint: string }[];
}

let service: ConnectedService;
let tenants: readonly [Tenant, Tenant];

beforeAll(async () => {
  service = await startConnectedService({}, { ownDatabase: true });
  tenants = [await tenant('left'), await tenant('right')];
});
afterAll(() => service?.stop());

async function tenant(login: string): Promise<Tenant> {
  const company = await service.company(login);
  const repositories = await monitored(service, company, REPOSITORIES);
  for (const { id } of repositories) expect((await scan(service, company.admin.token, id)).status).toBe(200);
  const [row] = await service.database.sql<{ org: string }>(
    'select org_id as org from public.repositories where id = $1',
    [repositories[0]?.id],
  );
  const org = row?.org ?? '';
  const tokens: string[] = [];
  for (let user = 0; user < USERS / 2; user += 1) {
    const member = service.user();
    tokens.push(member.token);
    await service.database.sql(`insert into public.org_members (org_id, user_id, role) values ($1, $2, 'admin')`, [
      org,
      member.id,
    ]);
  }
  const findings = await service.database.sql<{ repo_id: string; fingerprint: string }>(
    'select repo_id, fingerprint from public.finding_ledger where org_id = $1 order by 1, 2',
    [org],
  );
  return { org, repositories, tokens, findings };
}

it('a crowd on every read and write gets its own rows alone, and no acknowledged write is lost', {
  timeout: 900_000,
}, async () => {
  const random = new Random(SEED);
  const [reads, writes] = [new Figures(), new Figures()];
  const reasons: string[] = [];
  const scans: string[] = [];
  const mixed: string[] = [];
  const user = async ({ org, repositories, findings }: Tenant, other: Tenant, token: string, name: string) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const ask = (path: string, method = 'GET', body?: unknown) =>
      fetch(`${service.instances?.url}${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    for (let round = 0; round < ROUNDS; round += 1) {
      const repo = random.pick(repositories).id;
      const { repo_id, fingerprint } = random.pick(findings);
      const rule = random.pick(['missing-timeout', 'unpinned-uses', 'artipacked']);
      const reason = `${name} in round ${round}`;
      const steps: readonly (readonly [Figures, () => Promise<Response>, (json: object) => unknown])[] = [
        [reads, () => ask('/api/orgs'), (json) => json],
        [reads, () => ask(`/api/attack-paths?org=${org}&limit=50`), (json) => json],
        [reads, () => ask(`/api/repositories/${repo}/combos`), (json) => json],
        [reads, () => ask(`/api/rule-settings?org=${org}`), (json) => json],
        [reads, () => ask(`/api/rule-overrides?org=${org}`), (json) => json],
        [reads, () => ask(`/api/orgs/${org}/members`), (json) => json],
        [reads, () => ask(`/api/actions/ranking?org=${org}`), (json) => json],
        [
          writes,
          () =>
            ask(`/api/repositories/${repo_id}/findings/${fingerprint}/status`, 'PUT', { status: 'dismissed', reason }),
          () => reasons.push(reason),
        ],
        [
          writes,
          () => ask(`/api/repositories/${repo}/rule-overrides/${rule}`, 'PUT', { enabled: random.chance(0.5) }),
          (json) => json,
        ],
        [writes, () => ask('/api/scan', 'POST', { repo_id: repo }), (json) => scans.push(Reflect.get(json, 'scan_id'))],
        [
          writes,
          () => ask(`/api/repositories/${repo}/monitor`, 'PUT', { monitored: random.chance(0.5) }),
          (json) => json,
        ],
      ];
      for (const [figures, request, note] of steps) {
        const answer = await figures.observe(request);
        if (answer === 'cut off' || answer.status >= 300) continue;
        note(answer.json);
        const text = JSON.stringify(answer.json);
        if (text.includes(other.org) || other.repositories.some(({ id }) => text.includes(id))) mixed.push(text);
      }
    }
  };
  const [left, right] = tenants;
  const started = performance.now();
  await Promise.all([
    ...left.tokens.map((token, index) => user(left, right, token, `left ${index}`)),
    ...right.tokens.map((token, index) => user(right, left, token, `right ${index}`)),
  ]);
  const seconds = Math.round((performance.now() - started) / 1000);
  const events = await service.database.sql<{ reason: string; n: number }>(
    'select reason, count(*)::int as n from public.triage_events where reason is not null group by reason',
  );
  const counts = new Map(events.map(({ reason, n }) => [reason, n]));
  const stored = await service.database.sql<{ id: string }>('select id from public.scans where id::text = any ($1)', [
    scans,
  ]);
  const lost = reasons.filter((reason) => !counts.has(reason));
  const twice = events.filter(({ n }) => n > 1);
  const load = `${USERS} users at once, done after ${seconds} s`;
  const outcome = { lost: lost.length + scans.length - stored.length, duplicated: twice.length, service };
  reads.print('crowd: reads', load, outcome);
  writes.print('crowd: writes', load, outcome);
  expect([...reads.unexplained, ...writes.unexplained]).toEqual([]);
  expect([...reads.statuses.keys()]).toEqual([200]);
  expect([mixed, lost, twice]).toEqual([[], [], []]);
  expect([scans.length, stored.length]).toEqual([USERS * ROUNDS, new Set(scans).size]);
  expect(await inconsistencies(service)).toEqual(CONSISTENT);
});
