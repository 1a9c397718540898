import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { combos } from '#lib/combos/combos/index.ts';
import type { RouteAnswer } from '../../support/call-route.ts';
import { type Company, type ConnectedService, QUIET, startConnectedService } from '../../support/connected-service.ts';
import type { TestUser } from '../../support/service.ts';
import { expectSameProblem, personalOrgOf } from '../../support/teams.ts';

const PATH = '.github/workflows/preview.yml';

const RISKY = `on: pull_request_target
permissions: {}
jobs:
  preview:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6.0.2
        with:
          ref: \${{ github.event.pull_request.head.sha }}
          persist-credentials: false
      - run: npm ci && npm run build
        env:
          KEY: \${{ secrets.DEPLOY_KEY }}
      - run: echo "\${{ github.event.pull_request.title }}"
`;

interface Combo {
  readonly id: string;
  readonly severity: string;
  readonly break_chain_rule: string;
  readonly contains_accepted_risk: boolean;
  readonly components: readonly { readonly rule_id: string; readonly finding: Readonly<Record<string, unknown>> }[];
}

interface Coverage {
  readonly id: string;
  readonly searched_repos: number;
  readonly blinded_repos: number;
  readonly partial_repos: number;
  readonly matched_repos: number;
  readonly blinded_by: readonly { readonly rule_id: string; readonly reason: string }[];
}

interface Answer {
  readonly repos: readonly {
    readonly repo_id: string;
    readonly full_name: string;
    readonly combos: readonly Combo[];
  }[];
  readonly combos: readonly Combo[];
  readonly total_combos: number;
  readonly critical_count: number;
  readonly high_count: number;
  readonly coverage: readonly Coverage[];
  readonly fix_first: readonly Readonly<Record<string, unknown>>[];
}

const FORK = 'fork-code-with-credentials';
const TEXT = 'event-text-to-shell-with-credentials';

const CALLS_OF_A_USER = 100;

let service: ConnectedService;
let acme: Company;
let other: Company;
let ids: ReadonlyMap<string, string>;
let risky: string;
let quiet: string;
let unscanned: string;
let org: string;

beforeAll(async () => {
  service = await startConnectedService();
  acme = await service.company('acme');
  other = await service.company('globex');
  const add = (fullName: string, text: string) => service.host.addRepository({ fullName, files: { [PATH]: text } });
  await add('acme/risky', RISKY);
  await add('acme/quiet', QUIET);
  await add('acme/unscanned', RISKY);
  await add('globex/secret', RISKY);
  ids = await service.connect(acme);
  org = await personalOrgOf(service, acme.admin);
  [risky = '', quiet = '', unscanned = ''] = ['risky', 'quiet', 'unscanned'].map((name) => ids.get(`acme/${name}`));
  await scan(risky);
  await scan(quiet);
});
afterAll(() => service?.stop());

let calls = 0;
let member: TestUser;
async function someone(): Promise<TestUser> {
  if (calls % CALLS_OF_A_USER === 0) {
    member = service.user();
    await service.database.sql(`insert into public.org_members (org_id, user_id, role) values ($1, $2, 'member')`, [
      org,
      member.id,
    ]);
  }
  calls += 1;
  return member;
}

const scan = async (repo_id: string, who?: TestUser, more: object = {}) => {
  const as = who ?? (await someone());
  const answer = await service.call('POST /api/scan', { as, body: { repo_id, ...more } });
  expect(answer.status, answer.text).toBe(200);
};
const read = (answer: RouteAnswer): Answer => {
  expect(answer.status, answer.text).toBe(200);
  return answer.json as unknown as Answer;
};
const all = async (as?: TestUser, query = as === undefined ? `?org=${org}` : '') =>
  read(await service.call('GET /api/attack-paths', { as: as ?? (await someone()), query }));
const of = async (repo_id: string) =>
  read(await service.call('GET /api/repositories/{repo_id}/combos', { as: await someone(), params: { repo_id } }));
const setRule = async (rule_id: string, enabled: boolean) => {
  const call = { as: await someone(), query: `?org=${org}`, params: { rule_id }, body: { enabled } };
  expect((await service.call('PUT /api/rule-settings/{rule_id}', call)).status).toBe(204);
};
const override = async (repo_id: string, rule_id: string, enabled: boolean | null) => {
  const call = { as: await someone(), params: { repo_id, rule_id } };
  const path = '/api/repositories/{repo_id}/rule-overrides/{rule_id}';
  if (enabled === null) await service.call(`DELETE ${path}`, call);
  else expect((await service.call(`PUT ${path}`, { ...call, body: { enabled } })).status).toBe(204);
};
const triage = async (repo_id: string, fingerprint: string, status: string) => {
  const body = { status, expires_at: new Date(Date.now() + 86_400_000).toISOString() };
  const call = { as: await someone(), params: { repo_id, fingerprint }, body };
  expect((await service.call('PUT /api/repositories/{repo_id}/findings/{fingerprint}/status', call)).status).toBe(200);
};
const entry = ({ coverage }: Answer, id: string) => coverage.find((each) => each.id === id);
const kinds = ({ combos: found }: Pick<Answer, 'combos'>) => found.map(({ id }) => id);
const cutOf = ({ combos: found }: Answer, id: string) => {
  const combo = found.find((each) => each.id === id);
  const cut = combo?.components.find(({ rule_id }) => rule_id === combo.break_chain_rule);
  return String(cut?.finding['fingerprint']);
};

describe('GET /api/attack-paths', () => {
  it('lists the paths of each repository that has some, with whole findings, by severity', async () => {
    const answer = await all();
    expect(answer.repos.map(({ full_name }) => full_name)).toEqual(['acme/risky']);
    const found = answer.repos[0]?.combos ?? [];
    expect(kinds({ combos: found })).toEqual([TEXT, FORK]);
    expect(answer).toMatchObject({ total_combos: 2, critical_count: 2, high_count: 0 });
    for (const { components } of found) {
      for (const { rule_id, finding } of components) {
        const [row] = await service.database.sql(
          `select f.rule_id, f.severity, f.confidence, f.category, f.title, f.file, f.line, f."column", f.end_line,
             f.end_column, f.snippet, f.description, f.recommendation, f.fixable, f.fingerprint
           from public.findings f join public.repositories r on r.last_scan_id = f.scan_id
           where r.id = $1 and f.fingerprint = $2`,
          [risky, finding['fingerprint']],
        );
        expect(finding).toEqual(row);
        expect(rule_id).toBe(row?.['rule_id']);
      }
    }
  });

  it('covers every combination, and ignores repositories without a scan', async () => {
    const { coverage } = await all();
    expect(coverage.map(({ id }) => id)).toEqual(combos.map(({ id }) => id));
    for (const each of coverage) expect(each.searched_repos + each.blinded_repos).toBe(2);
    expect(entry(await all(), FORK)).toMatchObject({ searched_repos: 2, blinded_repos: 0, matched_repos: 1 });
  });

  it('lists fixes that together end every path', async () => {
    const answer = await all();
    expect(new Set(answer.fix_first.map(({ rule_id }) => rule_id))).toEqual(
      new Set(['template-injection', 'untrusted-checkout']),
    );
    expect(answer.fix_first[0]).toMatchObject({ repo_id: risky, file: PATH, line: expect.any(Number), breaks: 1 });
    for (const { fingerprint } of answer.fix_first) await triage(risky, String(fingerprint), 'false_positive');
    expect((await all()).repos).toEqual([]);
    for (const { fingerprint } of answer.fix_first) await triage(risky, String(fingerprint), 'open');
    expect(await all()).toEqual(answer);
  });

  it('returns equal results from the cache, and a renamed repository at once', async () => {
    const before = await all();
    expect(await all()).toEqual(before);
    await service.database.sql(`update public.repositories set full_name = 'acme/renamed' where id = $1`, [risky]);
    expect((await all()).repos[0]?.full_name).toBe('acme/renamed');
    await service.database.sql(`update public.repositories set full_name = 'acme/risky' where id = $1`, [risky]);
  });

  it('omits a removed repository, also without its installation', async () => {
    await service.database.sql('update public.repositories set removed_at = now() where id = $1', [risky]);
    const answer = await all();
    expect([answer.repos, answer.total_combos]).toEqual([[], 0]);
    expect(entry(answer, FORK)).toMatchObject({ searched_repos: 1, matched_repos: 0 });
    expect(kinds(await of(risky))).toEqual([TEXT, FORK]);
    await service.database.sql('update public.repositories set removed_at = null where id = $1', [risky]);
    await service.database.sql('update public.installations set removed_at = now()');
    expect(entry(await all(), FORK)).toMatchObject({ searched_repos: 0, blinded_repos: 0 });
    await service.database.sql('update public.installations set removed_at = null');
  });

  it('is empty without repositories, with zero coverage', async () => {
    const answer = await all(service.user());
    expect(answer).toMatchObject({ repos: [], total_combos: 0, critical_count: 0, high_count: 0, fix_first: [] });
    expect(answer.coverage).toHaveLength(combos.length);
    for (const each of answer.coverage) {
      expect(each).toMatchObject({
        searched_repos: 0,
        blinded_repos: 0,
        partial_repos: 0,
        matched_repos: 0,
        blinded_by: [],
      });
    }
  });

  it('answers 403 for other and unknown organizations, and 400 for an invalid id', async () => {
    const call = (query: string) => service.call('GET /api/attack-paths', { as: other.admin, query });
    const [theirs, missing] = [await call(`?org=${org}`), await call(`?org=${randomUUID()}`)];
    expect(theirs.status).toBe(403);
    expectSameProblem(theirs, missing);
    expect((await call('?org=x')).status).toBe(400);
  });

  it('isolates tenants, also in the cache', async () => {
    const theirs = (await service.connect(other)).get('globex/secret') ?? '';
    await scan(theirs, other.admin);
    const ours = await all();
    const answer = await all(other.admin);
    expect(answer.repos.map(({ repo_id }) => repo_id)).toEqual([theirs]);
    expect(ours.repos.map(({ repo_id }) => repo_id)).toEqual([risky]);
    expect(JSON.stringify(ours)).not.toMatch(/globex|secret"/);
    expect(JSON.stringify(answer)).not.toContain('acme');
    for (let turn = 0; turn < 2; turn += 1) {
      expect((await service.call('GET /api/attack-paths', { as: other.admin, query: `?org=${org}` })).status).toBe(403);
    }
    expect(await all()).toEqual(ours);
  });

  it('is refused to a former member from the next request on', async () => {
    const guest = service.user();
    const ask = () => service.call('GET /api/attack-paths', { as: guest, query: `?org=${org}` });
    await service.database.sql(`insert into public.org_members (org_id, user_id, role) values ($1, $2, 'member')`, [
      org,
      guest.id,
    ]);
    expect(read(await ask()).total_combos).toBe(2);
    await service.database.sql('delete from public.org_members where user_id = $1 and org_id = $2', [guest.id, org]);
    expect((await ask()).status).toBe(403);
  });
});

describe('GET /api/attack-paths with limit', () => {
  const limited = async (limit: string) =>
    service.call('GET /api/attack-paths', { as: await someone(), query: `?org=${org}&limit=${limit}` });

  it('returns the worst paths and what to fix of them; totals and coverage stay those of all', async () => {
    const whole = await all();
    const one = read(await limited('1'));
    expect(one.repos.flatMap(({ combos: found }) => kinds({ combos: found }))).toEqual([TEXT]);
    expect(one.repos[0]?.combos).toEqual(whole.repos[0]?.combos.slice(0, 1));
    expect(one.fix_first).toEqual(whole.fix_first.filter(({ rule_id }) => rule_id === 'template-injection'));
    expect(one).toMatchObject({ total_combos: 2, critical_count: 2, coverage: whole.coverage });
    expect(read(await limited('1000'))).toEqual(whole);
    expect(await all()).toEqual(whole);
  });

  it.each(['0', '1001', '-1', '1.5', 'x', ''])('%j is refused: 400', async (limit) => {
    const { status, json } = await limited(limit);
    expect([status, json['errors']]).toMatchObject([400, [{ path: 'limit' }]]);
  });
});

describe('the ETag of GET /api/attack-paths', () => {
  const ask = async (etag?: string, query = `?org=${org}`) =>
    service.call('GET /api/attack-paths', {
      as: await someone(),
      query,
      headers: etag === undefined ? {} : { 'if-none-match': etag },
    });
  const etagOf = ({ headers }: RouteAnswer) => String(headers.get('etag'));

  it('is answered with 304 and no body until something changes', async () => {
    const first = await ask();
    const etag = etagOf(first);
    expect(etag).toMatch(/^"[0-9a-f]{64}"$/);
    for (const given of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const same = await ask(given);
      expect([given, same.status, same.text, etagOf(same)]).toEqual([given, 304, '', etag]);
    }
    for (const given of ['"other"', etag.slice(1, -1), '']) expect((await ask(given)).text).toBe(first.text);
    await setRule('untrusted-checkout', false);
    const changed = await ask(etag);
    expect([changed.status, etagOf(changed) === etag]).toEqual([200, false]);
    expect(changed.text).not.toBe(first.text);
    await setRule('untrusted-checkout', true);
    expect((await ask(etag)).status).toBe(304);
  });

  it('differs by limit', async () => {
    const [whole, one] = [await ask(), await ask(undefined, `?org=${org}&limit=1`)];
    expect(etagOf(one)).not.toBe(etagOf(whole));
    expect((await ask(etagOf(one))).text).toBe(whole.text);
    expect((await ask(etagOf(whole), `?org=${org}&limit=1`)).text).toBe(one.text);
    expect((await ask(etagOf(one), `?org=${org}&limit=1`)).status).toBe(304);
  });

  it('opens nothing to strangers: 403', async () => {
    for (const etag of [etagOf(await ask()), '*']) {
      const headers = { 'if-none-match': etag };
      const call = { as: other.admin, query: `?org=${org}`, headers };
      expect((await service.call('GET /api/attack-paths', call)).status).toBe(403);
    }
  });
});

describe('GET /api/repositories/{repo_id}/combos', () => {
  it('returns the repository’s part of the organization’s list', async () => {
    const answer = await of(risky);
    expect(answer.combos).toEqual((await all()).repos[0]?.combos);
    expect(answer).toMatchObject({ critical_count: 2, high_count: 0 });
    expect(answer).not.toHaveProperty('total_combos');
    for (const each of answer.coverage) expect(each.searched_repos + each.blinded_repos).toBe(1);
    expect(kinds(await of(quiet))).toEqual([]);
    expect((await of(quiet)).coverage).toHaveLength(combos.length);
  });

  it('returns neither paths nor coverage before the first scan', async () => {
    expect(await of(unscanned)).toEqual({ combos: [], critical_count: 0, high_count: 0, coverage: [], fix_first: [] });
  });

  it('answers the same 404 for a foreign, unknown and invalid repository', async () => {
    const call = (repo_id: string) =>
      service.call('GET /api/repositories/{repo_id}/combos', { as: other.admin, params: { repo_id } });
    const theirs = await call(risky);
    expect(theirs.status).toBe(404);
    expectSameProblem(theirs, await call(randomUUID()));
    expectSameProblem(theirs, await call('x'));
  });
});

describe('without another scan', () => {
  it.each([
    ['an organization', (enabled: boolean) => setRule('untrusted-checkout', enabled)],
    ['a repository', (enabled: boolean) => override(risky, 'untrusted-checkout', enabled ? null : false)],
  ])('a rule that %s switches off loses its paths and blinds their search', async (_who, set) => {
    await set(false);
    const answer = await of(risky);
    expect(kinds(answer)).toEqual([TEXT]);
    expect(entry(answer, FORK)).toMatchObject({ searched_repos: 0, blinded_repos: 1, matched_repos: 0 });
    expect(entry(answer, FORK)?.blinded_by).toContainEqual({ rule_id: 'untrusted-checkout', reason: 'disabled' });
    expect(JSON.stringify((await all()).repos)).not.toContain('"untrusted-checkout"');
    await set(true);
    expect(kinds(await of(risky))).toEqual([TEXT, FORK]);
    expect(entry(await of(risky), FORK)).toMatchObject({ searched_repos: 1, blinded_repos: 0, matched_repos: 1 });
  });

  it('a disabled rule makes the search partial if another rule can supply the evidence', async () => {
    const rulesOf = (slot: (typeof combos)[number]['slots'][string]) =>
      slot.optional === true ? [] : slot.any.flatMap((source) => ('rule' in source ? [source.rule] : []));
    const combo = combos.find(({ slots }) => Object.values(slots).some((slot) => rulesOf(slot).length > 1));
    const [rule = ''] =
      Object.values(combo?.slots ?? {})
        .map(rulesOf)
        .find(({ length }) => length > 1) ?? [];
    const before = entry(await of(risky), combo?.id ?? '');
    expect(before).toMatchObject({ partial_repos: 0 });
    await override(risky, rule, false);
    const answer = entry(await of(risky), combo?.id ?? '');
    expect(answer).toMatchObject({ searched_repos: 1, partial_repos: 1, blinded_repos: 0 });
    expect(answer?.blinded_by).toContainEqual({ rule_id: rule, reason: 'disabled' });
    await override(risky, rule, null);
    expect(entry(await of(risky), combo?.id ?? '')).toEqual(before);
  });

  it('a repository’s override takes precedence over its organization’s', async () => {
    await setRule('untrusted-checkout', false);
    await override(risky, 'untrusted-checkout', true);
    expect(kinds(await of(risky))).toEqual([TEXT, FORK]);
    expect(entry(await all(), FORK)).toMatchObject({ searched_repos: 1, blinded_repos: 1, matched_repos: 1 });
    await override(risky, 'untrusted-checkout', null);
    await setRule('untrusted-checkout', true);
  });

  it.each(['dismissed', 'false_positive'])(
    'a finding that is %s is no evidence, but counts as searched',
    async (status) => {
      const fingerprint = cutOf(await of(risky), FORK);
      await triage(risky, fingerprint, status);
      const answer = await of(risky);
      expect(kinds(answer)).toEqual([TEXT]);
      expect(JSON.stringify(answer.combos)).not.toContain(fingerprint);
      expect(entry(answer, FORK)).toMatchObject({ searched_repos: 1, blinded_repos: 0, matched_repos: 0 });
      await triage(risky, fingerprint, 'open');
      expect(kinds(await of(risky))).toEqual([TEXT, FORK]);
    },
  );

  it.each(['accepted', 'snoozed'])('a finding that is %s stays evidence, and the path says so', async (status) => {
    const fingerprint = cutOf(await of(risky), FORK);
    await triage(risky, fingerprint, status);
    const marked = (await of(risky)).combos.map(({ id, contains_accepted_risk: accepted }) => [id, accepted]);
    expect(marked).toEqual([
      [TEXT, false],
      [FORK, true],
    ]);
    await triage(risky, fingerprint, 'open');
    expect((await of(risky)).combos.some(({ contains_accepted_risk: accepted }) => accepted)).toBe(false);
  });

  it('triage in one repository does not affect the same finding in another', async () => {
    await scan(unscanned);
    await triage(risky, cutOf(await of(risky), FORK), 'dismissed');
    expect(kinds(await of(unscanned))).toEqual([TEXT, FORK]);
    await triage(risky, cutOf(await of(unscanned), FORK), 'open');
  });
});

describe('a scan', () => {
  const push = (text: string) => service.host.push('acme/risky', { files: { [PATH]: text } });

  it('without findings leaves no path; only the last scan counts', async () => {
    await push(QUIET);
    await scan(risky);
    expect((await of(risky)).combos).toEqual([]);
    await push(RISKY);
    await scan(risky);
    expect(kinds(await of(risky))).toEqual([TEXT, FORK]);
  });

  it('of the same files keeps the paths, with copied evidence', async () => {
    const before = await of(risky);
    await scan(risky);
    expect(await of(risky)).toEqual(before);
    const rows = await service.database.sql(
      `select s.id from public.scans s left join public.scan_facts f on f.scan_id = s.id
       where f.scan_id is null and s.repo_id = $1`,
      [risky],
    );
    expect(rows).toEqual([]);
  });

  it('with some rules reports the others as not run', async () => {
    await scan(risky, undefined, { ruleset: 'owasp' });
    const answer = await of(risky);
    const reasons = new Set(answer.coverage.flatMap(({ blinded_by: by }) => by.map(({ reason }) => reason)));
    for (const each of answer.coverage) expect(each.searched_repos + each.blinded_repos).toBe(1);
    expect(kinds(answer)).toEqual([TEXT, FORK]);
    expect([...reasons].filter((reason) => reason === 'disabled')).toEqual([]);
    await scan(risky);
  });

  it('with a disabled rule blinds its paths until the next scan, even if enabled again', async () => {
    await setRule('untrusted-checkout', false);
    await scan(risky);
    await setRule('untrusted-checkout', true);
    const answer = await of(risky);
    expect(kinds(answer)).toEqual([TEXT]);
    expect(entry(answer, FORK)?.blinded_by).toContainEqual({ rule_id: 'untrusted-checkout', reason: 'not_run' });
    await scan(risky);
    expect(kinds(await of(risky))).toEqual([TEXT, FORK]);
  });

  it('without stored evidence blinds every combination, and is no error', async () => {
    await service.database.sql('delete from public.scan_facts where repo_id = $1', [quiet]);
    await service.database.sql('delete from public.attack_path_sets where repo_id = $1', [quiet]);
    const answer = await of(quiet);
    expect(answer.combos).toEqual([]);
    for (const each of answer.coverage) expect(each).toMatchObject({ searched_repos: 0, blinded_repos: 1 });
    expect(new Set(answer.coverage.flatMap(({ blinded_by: by }) => by.map(({ reason }) => reason)))).toEqual(
      new Set(['not_run']),
    );
  });

  it('with truncated evidence shows its paths and claims no search', async () => {
    await service.database.sql('update public.scan_facts set whole = false where repo_id = $1', [risky]);
    await service.database.sql('delete from public.attack_path_sets where repo_id = $1', [risky]);
    const answer = await of(risky);
    expect(kinds(answer)).toEqual([TEXT, FORK]);
    expect(entry(answer, FORK)).toMatchObject({ searched_repos: 0, blinded_repos: 1, matched_repos: 0 });
    await service.database.sql('update public.scan_facts set whole = true where repo_id = $1', [risky]);
    await service.database.sql('delete from public.attack_path_sets where repo_id = $1', [risky]);
  });

  it('is computed once: reads compute nothing while nothing changed', async () => {
    await of(risky);
    const version = async () =>
      (
        await service.database.sql('select xmin::text, basis from public.attack_path_sets where repo_id = $1', [risky])
      )[0];
    const before = await version();
    await Promise.all([of(risky), all(), all(), of(risky)]);
    expect(await version()).toEqual(before);
    await setRule('missing-timeout', false);
    await of(risky);
    expect(await version()).toEqual(before);
    await setRule('untrusted-checkout', false);
    await of(risky);
    expect(await version()).not.toEqual(before);
    await setRule('untrusted-checkout', true);
  });

  it('during a change of settings never leaves outdated paths', async () => {
    for (let round = 0; round < 4; round += 1) {
      await Promise.all([scan(risky), setRule('untrusted-checkout', round % 2 === 1), all(), of(risky)]);
      await scan(risky);
      expect(kinds(await of(risky))).toEqual(round % 2 === 1 ? [TEXT, FORK] : [TEXT]);
    }
  });
});
