import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { CampaignRuleset } from '#lib/db/shapes/campaigns.ts';
import type { FileContent } from '#lib/simulator/git.ts';
import {
  type Company,
  type ConnectedService,
  PERMISSIONS,
  QUIET,
  SLOPPY,
  startConnectedService,
} from '../../support/connected-service.ts';
import type { TestUser } from '../../support/service.ts';
import { createTeam, expectSameProblem, join, personalOrgOf } from '../../support/teams.ts';
import { ON_CLUSTER } from '../../support/topology.ts';

const WRITES = { ...PERMISSIONS, contents: 'write', pull_requests: 'write', workflows: 'write' } as const;
const CI = '.github/workflows/ci.yml';
const CD = '.github/workflows/cd.yml';
const ACTION = '.github/actions/greet/action.yml';
const COMPOSITE = `name: Greet
description: Greets
runs:
  using: composite
  steps:
    - shell: bash
      run: echo "\${{ github.event.pull_request.title }}"
`;

let service: ConnectedService;

beforeAll(async () => {
  service = await startConnectedService({ CRON_SECRET: 'a-secret-of-the-scheduler' });
});
afterEach(() => service.host.clearFaults());
afterAll(() => service?.stop());

type Files = Readonly<Record<string, FileContent>>;

interface Scene {
  readonly company: Company;
  readonly admin: TestUser;
  readonly fullName: string;
  readonly campaignId: string;
  readonly repoId: string;
}

let companies = 0;
async function scene(
  files: Files = { [CI]: SLOPPY },
  { permissions = WRITES, ruleset = 'all' }: { permissions?: Record<string, string>; ruleset?: CampaignRuleset } = {},
): Promise<Scene> {
  const login = `firm${(companies += 1)}`;
  const company = await service.company(login, { permissions });
  const fullName = `${login}/shop`;
  await service.host.addRepository({ fullName, files, visibility: 'private' });
  const repoId = (await service.connect(company)).get(fullName) ?? '';
  const campaignId = await campaign(company.admin, [repoId], ruleset);
  await service.host.log();
  return { company, admin: company.admin, fullName, campaignId, repoId };
}

async function campaign(admin: TestUser, repoIds: readonly string[], ruleset: CampaignRuleset = 'all') {
  const made = await service.call('POST /api/campaigns', { as: admin, body: { ruleset, repo_ids: repoIds } });
  return (made.json['campaign'] as { id: string }).id;
}

const remediate = ({ admin, campaignId, repoId }: Scene, more: { as?: TestUser; query?: string } = {}) =>
  service.call('POST /api/campaigns/{campaign_id}/repos/{repo_id}/remediate', {
    as: admin,
    params: { campaign_id: campaignId, repo_id: repoId },
    ...more,
  });

const tracker = async ({ admin, campaignId }: Scene) =>
  (await service.call('GET /api/campaigns/{campaign_id}', { as: admin, params: { campaign_id: campaignId } })).json;

function pullsOf({ fullName }: Scene) {
  const repository = service.host.world.repository(fullName);
  return repository === undefined ? [] : service.host.world.pullRequests(repository);
}

const die = ({ campaignId }: Scene) =>
  service.database.sql(
    `update public.campaign_repos set started_at = started_at - interval '15 minutes' where campaign_id = $1`,
    [campaignId],
  );

const codeOf = ({ status, json }: { readonly status: number; readonly json: Record<string, unknown> }) => [
  status,
  json['code'],
];

describe('POST …/remediate', () => {
  it('opens one pull request for each file with a safe fix and stores it, the row and the rollup', async () => {
    const given = await scene({ [CI]: SLOPPY, [CD]: SLOPPY, '.github/workflows/quiet.yml': QUIET });
    const { status, json } = await remediate(given);
    const pulls = pullsOf(given);
    expect(pulls).toHaveLength(2);
    const shown = [CD, CI].map((file) => ({
      file,
      number: expect.any(Number),
      url: expect.stringContaining(`/${given.fullName}/pull/`),
      state: 'open',
      reused: false,
    }));
    expect([status, json]).toEqual([
      200,
      { status: 'succeeded', prs_opened: 2, error: null, pull_requests: shown, skipped: [] },
    ]);
    const view = await tracker(given);
    expect(view).toMatchObject({
      campaign: { status: 'completed' },
      repos: [{ status: 'succeeded', prs_opened: 2, error: null, pull_requests: shown }],
      rollup: { total: 1, succeeded: 1, prs_opened: 2, prs_merged: 0, prs_verified: 0 },
    });
    const rows = await service.database.sql<{ number: number; file: string; rules: number; prints: number }>(
      `select number, file, cardinality(rule_ids) as rules, cardinality(fingerprints) as prints
       from public.fix_pull_requests where repo_id = $1 and campaign_id = $2 order by file`,
      [given.repoId, given.campaignId],
    );
    expect(rows.map(({ file }) => file)).toEqual([CD, CI]);
    for (const { rules, prints } of rows) {
      expect(rules).toBeGreaterThan(0);
      expect(prints).toBeGreaterThanOrEqual(rules);
    }
    const stored = await service.database.sql('select 1 from public.scans where repo_id = $1', [given.repoId]);
    expect(stored).toEqual([]);
  });

  it('is for admins, and tells nobody else more than that', async () => {
    const given = await scene();
    const { admin, company } = given;
    const team = await createTeam(service, admin);
    const [member, stranger] = [service.user(), service.user()];
    await join(service, admin, team, member, 'member');
    await service.database.sql(`update public.organizations set personal = false where id = $1`, [
      await personalOrgOf(service, admin),
    ]);
    await service.database.sql(
      `insert into public.org_members (org_id, user_id, role) select org_id, $2, 'member' from public.campaigns where id = $1`,
      [given.campaignId, member.id],
    );
    expect(codeOf(await remediate(given, { as: member }))).toEqual([403, 'forbidden']);
    const unknown = await remediate({ ...given, campaignId: randomUUID() });
    expect(codeOf(unknown)).toEqual([404, 'not-found']);
    expectSameProblem(unknown, await remediate(given, { as: stranger }));
    expectSameProblem(unknown, await remediate(given, { query: `?org=${team}` }));
    expectSameProblem(unknown, await remediate({ ...given, campaignId: 'x' }));
    expect(codeOf(await remediate({ ...given, repoId: randomUUID() }))).toEqual([404, 'not-found']);
    expect(codeOf(await remediate(given, { query: `?org=${randomUUID()}` }))).toEqual([403, 'forbidden']);
    const foreign = await scene();
    expect(codeOf(await remediate({ ...given, repoId: foreign.repoId }))).toEqual([404, 'not-found']);
    await service.host.log();
    expect([pullsOf(given), (await tracker(given))['rollup'], company.admin.id]).toMatchObject([
      [],
      { pending: 1 },
      admin.id,
    ]);
  });

  it('checks all of that before a request is sent', async () => {
    const given = await scene();
    for (const wrong of [{ campaignId: randomUUID() }, { repoId: randomUUID() }]) {
      expect((await remediate({ ...given, ...wrong })).status).toBe(404);
    }
    expect(await service.host.log()).toEqual([]);
  });

  it('of two callers at once one wins, the other gets 409 already-running', async () => {
    const given = await scene();
    const answers = await Promise.all([remediate(given), remediate(given)]);
    expect(answers.map((answer) => codeOf(answer).join(' ')).sort()).toEqual(['200 ', '409 already-running']);
    expect(pullsOf(given)).toHaveLength(1);
  });

  it('of twenty callers one wins, and one pull request is opened', async () => {
    const given = await scene();
    const answers = await Promise.all(Array.from({ length: 20 }, () => remediate(given)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => codeOf(answer).join(' ') === '409 already-running')).toHaveLength(19);
    expect([pullsOf(given).length, await tracker(given)]).toMatchObject([
      1,
      { rollup: { succeeded: 1, prs_opened: 1 } },
    ]);
  });

  it('answers 409 already-finished afterwards, sends nothing and changes nothing', async () => {
    const given = await scene({ [CI]: QUIET });
    expect((await remediate(given)).json).toMatchObject({ status: 'succeeded', prs_opened: 0, pull_requests: [] });
    const before = await tracker(given);
    await service.host.log();
    expect(codeOf(await remediate(given))).toEqual([409, 'already-finished']);
    expect([await service.host.log(), await tracker(given)]).toEqual([[], before]);
  });

  it('ends failed with status 200 if the code host fails, and a retry returns the campaign to running', async () => {
    const given = await scene();
    await service.host.fault({ match: 'POST /api/graphql', times: 2, effect: { kind: 'status', status: 502 } });
    const { status, json } = await remediate(given);
    expect([status, json]).toEqual([
      200,
      { status: 'failed', prs_opened: 0, error: expect.stringMatching(/code host/), pull_requests: [], skipped: [] },
    ]);
    expect(await tracker(given)).toMatchObject({
      campaign: { status: 'completed' },
      repos: [{ status: 'failed', error: json['error'] }],
      rollup: { failed: 1 },
    });
    const running = remediate(given);
    await expect.poll(async () => (await tracker(given))['campaign']).toMatchObject({ status: 'running' });
    expect((await running).json).toMatchObject({ status: 'succeeded', prs_opened: 1, error: null });
    expect(await tracker(given)).toMatchObject({
      campaign: { status: 'completed' },
      rollup: { succeeded: 1, failed: 0 },
    });
  });

  it('ends failed if the repository left the installation meanwhile', async () => {
    const given = await scene();
    await service.database.sql('update public.repositories set removed_at = now() where id = $1', [given.repoId]);
    const { status, json } = await remediate(given);
    expect([status, json]).toMatchObject([200, { status: 'failed', error: expect.stringMatching(/installation/) }]);
    expect(await service.host.log()).toEqual([]);
  });

  it('is Partial, succeeded with an error, if some files got a pull request and others failed', async () => {
    const { workflows: _, ...permissions } = WRITES;
    const given = await scene({ [CI]: SLOPPY, [ACTION]: COMPOSITE }, { permissions });
    const { json } = await remediate(given);
    expect(json).toMatchObject({
      status: 'succeeded',
      prs_opened: 1,
      error: expect.stringContaining('workflows: write'),
      pull_requests: [{ file: ACTION }],
      skipped: [{ file: CI, reason: json['error'] }],
    });
    expect(await tracker(given)).toMatchObject({
      campaign: { status: 'completed' },
      repos: [{ status: 'succeeded', error: json['error'] }],
      rollup: { succeeded: 0, partial: 1, failed: 0, prs_opened: 1 },
    });
    expect(codeOf(await remediate(given))).toEqual([409, 'already-finished']);
  });

  it('of a second campaign reuses the open pull request, for both to count', async () => {
    const given = await scene();
    await remediate(given);
    const next = { ...given, campaignId: await campaign(given.admin, [given.repoId], 'owasp') };
    expect((await remediate(next)).json).toMatchObject({ prs_opened: 1, pull_requests: [{ number: 1, reused: true }] });
    expect(await tracker(given)).toMatchObject({ repos: [{ pull_requests: [{ number: 1, reused: false }] }] });
    expect(pullsOf(given)).toHaveLength(1);
  });

  it('fixes the rules of the ruleset that are on there, and no other', async () => {
    const rulesOf = async ({ repoId }: Scene) => {
      const rows = await service.database.sql<{ rule_ids: string[] }>(
        'select rule_ids from public.fix_pull_requests where repo_id = $1',
        [repoId],
      );
      return rows.flatMap(({ rule_ids }) => rule_ids).sort();
    };
    const source = await scene({ [CI]: SLOPPY }, { ruleset: 'slsa-source-l4' });
    expect((await remediate(source)).json).toMatchObject({ status: 'succeeded', prs_opened: 0, error: null });
    const all = await scene();
    await remediate(all);
    const rules = await rulesOf(all);
    expect([await rulesOf(source), rules.includes('template-injection')]).toEqual([[], true]);
    const some = await scene();
    await service.call('PUT /api/repositories/{repo_id}/rule-overrides/{rule_id}', {
      as: some.admin,
      params: { repo_id: some.repoId, rule_id: 'template-injection' },
      body: { enabled: false },
    });
    await remediate(some);
    expect(await rulesOf(some)).toEqual(rules.filter((rule) => rule !== 'template-injection'));
  });
});

describe('a fix pull request', () => {
  it('goes from opened to merged by webhook to verified by the next scan, in the campaign', async () => {
    const given = await scene();
    await service.call('POST /api/scan', { as: given.admin, body: { repo_id: given.repoId } });
    await remediate(given);
    await service.host.people.merge(given.fullName, 1);
    await expect
      .poll(async () => (await tracker(given))['rollup'], { timeout: 10_000 })
      .toMatchObject({ prs_opened: 1, prs_merged: 1, prs_verified: 0 });
    expect((await tracker(given))['repos']).toMatchObject([{ pull_requests: [{ state: 'merged' }] }]);
    await service.call('POST /api/scan', { as: given.admin, body: { repo_id: given.repoId } });
    expect((await tracker(given))['rollup']).toMatchObject({ prs_merged: 1, prs_verified: 1 });
  });

  it('closed unmerged is neither merged nor verified', async () => {
    const given = await scene();
    await remediate(given);
    await service.host.people.close(given.fullName, 1);
    await expect
      .poll(async () => (await tracker(given))['repos'], { timeout: 10_000 })
      .toMatchObject([{ pull_requests: [{ state: 'closed' }] }]);
    expect((await tracker(given))['rollup']).toMatchObject({ prs_opened: 1, prs_merged: 0, prs_verified: 0 });
  });
});

describe('a call that dies is repeated after 15 minutes, and exactly one pull request is open', () => {
  const FIELDS = {
    createRef: ['CreateRefInput', 'createRef', 'ref { id }'],
    commit: ['CreateCommitOnBranchInput', 'createCommitOnBranch', 'commit { oid }'],
    pull: ['CreatePullRequestInput', 'createPullRequest', 'pullRequest { id }'],
  } as const;
  const STEPS = {
    claim: 'claim_remediation',
    branch: ['createRef'],
    commit: ['createRef', 'commit'],
    'pull request': ['createRef', 'commit', 'pull'],
    row: 'record_fix_pull_requests',
    end: 'finish_remediation',
  } as const;
  type Step = keyof typeof STEPS;

  function firstFields(body: string, names: readonly (keyof typeof FIELDS)[]): string | undefined {
    const { query = '', variables = {} } = JSON.parse(body) as { query?: string; variables?: Record<string, unknown> };
    if (!query.includes('createPullRequest(')) return undefined;
    const types = names.map((name) => `$${name}: ${FIELDS[name][0]}!`);
    const fields = names.map((name) => `${FIELDS[name][1]}(input: $${name}) { ${FIELDS[name][2]} }`);
    const given = Object.fromEntries(names.map((name) => [name, variables[name]]));
    return JSON.stringify({ query: `mutation (${types.join(', ')}) { ${fields.join(' ')} }`, variables: given });
  }

  function killAfter(step: Step): { readonly reached: () => boolean; readonly revive: () => void } {
    const send = globalThis.fetch;
    const at = STEPS[step];
    let dead = false;
    const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const url = String(input instanceof Request ? input.url : input);
      if (![service.host.webUrl, service.database.url].some((each) => url.startsWith(each))) return send(input, init);
      if (dead) throw new TypeError('killed');
      if (typeof at === 'string') {
        const answer = await send(input, init);
        dead = url.endsWith(`/rpc/${at}`);
        if (!dead) return answer;
      } else {
        const body =
          url === service.host.graphqlUrl
            ? firstFields(typeof init?.body === 'string' ? init.body : '{}', at)
            : undefined;
        if (body === undefined) return send(input, init);
        dead = true;
        const answer = (await (await send(input, { ...init, body })).json()) as { errors?: unknown };
        expect(answer.errors).toBeUndefined();
      }
      throw new TypeError('killed');
    });
    return { reached: () => dead, revive: () => spy.mockRestore() };
  }

  // On a cluster, `tests/cluster/killed.test.ts` kills real processes.
  it.skipIf(ON_CLUSTER).each(Object.keys(STEPS) as Step[])('after the %s', async (step) => {
    const given = await scene();
    const { reached, revive } = killAfter(step);
    try {
      expect((await remediate(given)).status).toBe(503);
      expect(reached()).toBe(true);
    } finally {
      revive();
    }
    if (step === 'end') {
      expect(codeOf(await remediate(given))).toEqual([409, 'already-finished']);
    } else {
      expect(codeOf(await remediate(given))).toEqual([409, 'already-running']);
      await die(given);
      expect((await remediate(given)).json).toMatchObject({ status: 'succeeded', prs_opened: 1, error: null });
    }
    expect(await tracker(given)).toMatchObject({
      campaign: { status: 'completed' },
      repos: [{ status: 'succeeded', prs_opened: 1, pull_requests: [{ number: 1, state: 'open' }] }],
    });
    expect(pullsOf(given)).toHaveLength(1);
    const rows = await service.database.sql('select number from public.fix_pull_requests where repo_id = $1', [
      given.repoId,
    ]);
    expect(rows).toEqual([{ number: 1 }]);
  });
});
