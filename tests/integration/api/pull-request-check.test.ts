import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { CheckRun } from '#lib/simulator/model.ts';
import type { Push } from '#lib/simulator/push.ts';
import { type Company, type ConnectedService, startConnectedService } from '../../support/connected-service.ts';

const READING = { metadata: 'read', contents: 'read', members: 'read', pull_requests: 'read' } as const;
const PERMISSIONS = { ...READING, checks: 'write' } as const;
const CI = '.github/workflows/ci.yml';
const INJECTION = '      - run: echo "${{ github.event.pull_request.title }}"\n';
const WORKFLOW = `on: pull_request_target
permissions: { contents: write }
jobs:
  build:
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    steps:
      - run: make
`;
const FLAWED = WORKFLOW + INJECTION;
const UNTIMED = WORKFLOW.replace('    timeout-minutes: 5\n', '');

let service: ConnectedService;
let acme: Company;

beforeAll(async () => {
  service = await startConnectedService();
  acme = await service.company('acme', { permissions: PERMISSIONS });
  await service.connect(acme);
});
afterAll(() => service?.stop());

type Files = Push['files'];

let made = 0;
async function repositoryWith(files: Files, { owner = acme, listed = true } = {}): Promise<string> {
  made += 1;
  const fullName = `${owner.account.login}/app-${made}`;
  await service.host.addRepository({ fullName, visibility: 'public', files: files as never });
  if (listed) await service.connect(owner);
  return fullName;
}

function repositoryOf(fullName: string) {
  const repository = service.host.world.repository(fullName);
  if (repository === undefined) throw new Error(fullName);
  return repository;
}

async function open(fullName: string, files: Files, branch = 'topic'): Promise<string> {
  const { after } = await service.host.push(fullName, { branch, files, keepOthers: true });
  await service.host.log();
  await service.host.people.open(fullName, { title: 'A change', head: branch });
  return after;
}

const runsOf = (fullName: string): readonly CheckRun[] => service.host.world.checkRuns(repositoryOf(fullName));

function runOn(fullName: string, head: string, count = 1): Promise<CheckRun> {
  return vi.waitFor(
    () => {
      const runs = runsOf(fullName).filter(({ headOid }) => headOid === head);
      expect(runs.length).toBeGreaterThanOrEqual(count);
      return runs.at(-1) as CheckRun;
    },
    { timeout: 30_000, interval: 20 },
  );
}

/** Waits until the check has ended: its last requests follow the one that shows it. */
async function quiet(): Promise<void> {
  const seen: Awaited<ReturnType<typeof service.host.log>>[number][] = [];
  for (let still = 0; still < 4; ) {
    const fresh = await service.host.log();
    seen.push(...fresh);
    still = fresh.length === 0 ? still + 1 : 0;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  requested.push(...seen);
}

const requested: { method: string; path: string; operation: string | undefined }[] = [];

async function requests(): Promise<string[]> {
  await quiet();
  return requested
    .splice(0)
    .filter(({ path }) => path.includes('/repos/') || path.endsWith('/graphql'))
    .map(
      ({ method, path, operation }) =>
        operation ?? `${method} ${path.replace(/^.*\/repos\/[^/]+\/[^/]+\/([\w-]+).*$/, '$1')}`,
    );
}

async function setPolicy(owner: Company, failOn: string, newOnly = true): Promise<void> {
  const { json } = await service.call('GET /api/orgs', { as: owner.admin });
  const [org] = json['orgs'] as { id: string }[];
  const body = { fail_on: failOn, new_only: newOnly };
  const path = 'PUT /api/orgs/{org_id}/pr-gate';
  const answer = await service.call(path, { as: owner.admin, params: { org_id: org?.id ?? '' }, body });
  expect(answer.status).toBe(200);
}

describe('the conclusion of a check', () => {
  it('is failure for a finding that breaks the policy, marked at its line, with the path and the one fix', async () => {
    const fullName = await repositoryWith({ [CI]: WORKFLOW });
    const head = await open(fullName, { [CI]: FLAWED });
    const run = await runOn(fullName, head);
    expect(run).toMatchObject({ name: 'Chainbreak', status: 'completed', conclusion: 'failure' });
    expect(run.annotations).toContainEqual(
      expect.objectContaining({ path: CI, start_line: 9, annotation_level: 'failure' }),
    );
    expect(run.summary).toMatch(/### CRITICAL `[\w-]+`/);
    expect(run.summary).toContain('### Fix first');
    expect(run.detailsUrl).toMatch(/^http.*\/o\/[0-9a-f-]{36}\/repositories\/[0-9a-f-]{36}$/);
    await quiet();
    expect(runsOf(fullName)).toHaveLength(1);
  });

  it('is neutral for a finding below the policy', async () => {
    const fullName = await repositoryWith({ [CI]: WORKFLOW });
    expect(await runOn(fullName, await open(fullName, { [CI]: UNTIMED }))).toMatchObject({ conclusion: 'neutral' });
  });

  it('is success when only findings of the base remain', async () => {
    const fullName = await repositoryWith({ [CI]: FLAWED });
    const head = await open(fullName, { [CI]: `# a comment\n${FLAWED}` });
    expect(await runOn(fullName, head)).toMatchObject({ conclusion: 'success', title: 'Nothing new', annotations: [] });
  });

  it('is success after one request to read when no workflow, action or settings file has changed', async () => {
    const fullName = await repositoryWith({ [CI]: FLAWED });
    await requests();
    const head = await open(fullName, { 'src/a.ts': 'a' });
    const run = await runOn(fullName, head);
    expect(run).toMatchObject({ conclusion: 'success', title: 'Nothing to check' });
    expect(run.summary).toBe('This pull request changes no workflow, action or settings file.');
    expect(await requests()).toEqual(['GET compare', 'POST check-runs']);
  });

  it('takes three requests when one of forty workflows has changed', async () => {
    const forty = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`.github/workflows/w${n}.yml`, WORKFLOW]));
    const fullName = await repositoryWith(forty);
    await requests();
    const head = await open(fullName, { '.github/workflows/w7.yml': FLAWED });
    const run = await runOn(fullName, head);
    expect(run.conclusion).toBe('failure');
    expect(new Set(run.annotations.map(({ path }) => path))).toEqual(new Set(['.github/workflows/w7.yml']));
    expect(await requests()).toEqual(['GET compare', 'ChangedFiles', 'POST check-runs']);
  });

  it('comes with up to 500 annotations, fifty in a request, the new and severe ones first', async () => {
    const steps = Array.from({ length: 190 }, (_, n) => `      - uses: acme/a${n}@main\n`).join('');
    const files = Object.fromEntries(
      ['a', 'b', 'c'].map((name) => [`.github/workflows/${name}.yml`, WORKFLOW + steps + INJECTION]),
    );
    const fullName = await repositoryWith({ 'README.md': 'text' });
    await requests();
    const run = await runOn(fullName, await open(fullName, files));
    await quiet();
    expect(run.annotations).toHaveLength(500);
    expect(run.annotations.slice(0, 3).map(({ annotation_level: level }) => level)).toEqual(Array(3).fill('failure'));
    const [compare, read, ...writes] = await requests();
    expect([compare, read]).toEqual(['GET compare', 'ChangedFiles']);
    expect(writes).toEqual(['POST check-runs', ...Array(9).fill('PATCH check-runs')]);
  });

  it('stores no scan', async () => {
    const { rows } = await count(
      `select count(*)::int as n from public.scans s join public.repositories r on r.id = s.repo_id
       where r.full_name like '${acme.account.login}/app-%'`,
    );
    expect(rows).toBe(0);
  });
});

async function count(sql: string): Promise<{ rows: number }> {
  const [row] = (await service.database.sql(sql)) as unknown as { n: number }[];
  return { rows: row?.n ?? -1 };
}

describe('the policy of an organization', () => {
  it.each([
    ['never', true, 'neutral', 'success'],
    ['critical', true, 'failure', 'success'],
    ['medium', true, 'failure', 'success'],
    ['high', false, 'failure', 'failure'],
    ['never', false, 'neutral', 'neutral'],
  ] as const)(
    '%s, only new: %s, gives %s for an added finding and %s for one of the base',
    async (failOn, newOnly, added, old) => {
      const owner = await service.company(`policy-${failOn}-${newOnly}`, { permissions: PERMISSIONS });
      await service.connect(owner);
      await setPolicy(owner, failOn, newOnly);
      const [first, second] = [
        await repositoryWith({ [CI]: WORKFLOW }, { owner }),
        await repositoryWith({ [CI]: FLAWED }, { owner }),
      ];
      expect(await runOn(first, await open(first, { [CI]: FLAWED }))).toMatchObject({ conclusion: added });
      expect(await runOn(second, await open(second, { [CI]: `# a\n${FLAWED}` }))).toMatchObject({ conclusion: old });
    },
  );

  it('applies to repositories that the organization has not listed yet', async () => {
    const fullName = await repositoryWith({ [CI]: WORKFLOW }, { listed: false });
    const run = await runOn(fullName, await open(fullName, { [CI]: FLAWED }));
    expect(run).toMatchObject({ conclusion: 'failure' });
    expect(run.detailsUrl).toMatch(/\/o$/);
  });

  it('of several organizations with one installation is the strictest outcome', async () => {
    const owner = await service.company('shared', { permissions: PERMISSIONS });
    await service.connect(owner);
    const fullName = await repositoryWith({ [CI]: WORKFLOW }, { owner });
    await setPolicy(owner, 'never');
    const other = await service.call('POST /api/orgs', { as: owner.admin, body: { name: 'Strict' } });
    const query = `?installation_id=${owner.installation.id}&org=${String(other.json['id'])}`;
    expect((await service.call('GET /api/scm/callback', { as: owner.admin, query })).status).toBe(200);
    const run = await runOn(fullName, await open(fullName, { [CI]: FLAWED }));
    expect(run).toMatchObject({ conclusion: 'failure', detailsUrl: expect.stringMatching(/\/o$/) });
    await quiet();
    expect(runsOf(fullName)).toHaveLength(1);
  });

  it('of another installation does not count, and rules that are off do not either', async () => {
    const owner = await service.company('lenient', { permissions: PERMISSIONS });
    await service.connect(owner);
    await setPolicy(acme, 'info', false);
    const fullName = await repositoryWith({ [CI]: WORKFLOW }, { owner });
    const all = await runOn(fullName, await open(fullName, { [CI]: FLAWED }));
    for (const rule of new Set(all.annotations.map(({ title }) => title?.split(':')[0] ?? ''))) {
      const body = { enabled: false };
      const answer = await service.call('PUT /api/rule-settings/{rule_id}', {
        as: owner.admin,
        params: { rule_id: rule },
        body,
      });
      expect(answer.status).toBe(204);
    }
    const run = await runOn(fullName, await open(fullName, { [CI]: `# b\n${FLAWED}` }, 'second'));
    expect(run).toMatchObject({ conclusion: 'success', annotations: [] });
    await setPolicy(acme, 'high');
  });
});

describe('a pull request', () => {
  it('cannot silence its own findings', async () => {
    const fullName = await repositoryWith({ [CI]: WORKFLOW });
    const files = {
      [CI]: `${WORKFLOW}      # chainbreak: ignore[template-injection] fine\n${INJECTION}`,
      '.github/chainbreak.yml': 'ignore: [{ rule: template-injection, reason: fine }]\n',
    };
    const run = await runOn(fullName, await open(fullName, files));
    expect(run).toMatchObject({ conclusion: 'failure' });
    expect(run.annotations.map(({ title }) => title?.split(':')[0])).toContain('template-injection');
  });

  it('of a fork is read as data, without access to the fork', async () => {
    const fullName = await repositoryWith({ [CI]: WORKFLOW });
    const outsider = service.host.world.addAccount({ login: `outsider-${made}`, type: 'User' });
    const fork = await service.host.world.fork(repositoryOf(fullName), outsider);
    const name = service.host.world.fullNameOf(fork);
    const { after } = await service.host.push(name, { branch: 'evil', files: { [CI]: FLAWED }, by: outsider });
    await service.host.people.open(fullName, { title: 'Fix', head: `${outsider.login}:evil`, by: outsider.login });
    const run = await runOn(fullName, after);
    expect(run).toMatchObject({ conclusion: 'failure' });
    await quiet();
    expect(service.host.world.checkRuns(fork)).toEqual([]);
    expect(requested.filter(({ path }) => path.includes(outsider.login))).toEqual([]);
  });

  it('that adds a file which cannot be read is neutral and says which', async () => {
    const fullName = await repositoryWith({ [CI]: WORKFLOW });
    const run = await runOn(fullName, await open(fullName, { '.github/workflows/link.yml': { link: '../../x' } }));
    expect(run).toMatchObject({ conclusion: 'neutral', title: '1 file not checked' });
    expect(run.summary).toContain('.github/workflows/link.yml');
  });
});

describe('a newer head', () => {
  it('replaces the check of the one before, in any order of deliveries', async () => {
    const fullName = await repositoryWith({ [CI]: WORKFLOW });
    await runOn(fullName, await open(fullName, { [CI]: UNTIMED }));
    const first = await service.host.push(fullName, { branch: 'topic', files: { [CI]: `# 1\n${FLAWED}` }, hold: true });
    const second = await service.host.push(fullName, {
      branch: 'topic',
      files: { [CI]: `# 2\n${WORKFLOW}` },
      hold: true,
    });
    for (const guid of [...second.held, ...first.held]) await service.host.deliver(guid);
    expect(await runOn(fullName, second.after)).toMatchObject({ conclusion: 'success' });
    await quiet();
    expect(runsOf(fullName).filter(({ headOid }) => headOid === first.after)).toEqual([]);
  });

  it('wins a storm of pushes', async () => {
    const fullName = await repositoryWith({ [CI]: WORKFLOW });
    await runOn(fullName, await open(fullName, { [CI]: UNTIMED }));
    const pushes = [];
    for (let index = 0; index < 20; index += 1) {
      const files = { [CI]: `# ${index}\n${index === 19 ? FLAWED : WORKFLOW}` };
      pushes.push(await service.host.push(fullName, { branch: 'topic', files, hold: true }));
    }
    await requests();
    await Promise.all(pushes.flatMap(({ held }) => held).map((guid) => service.host.deliver(guid)));
    const last = pushes.at(-1)?.after ?? '';
    expect(await runOn(fullName, last)).toMatchObject({ conclusion: 'failure' });
    const heads = runsOf(fullName).map(({ headOid }) => headOid);
    expect(heads.at(-1)).toBe(last);
    expect(heads.filter((head) => head === last)).toHaveLength(1);
    expect((await requests()).length).toBeLessThan(20);
  });

  it('is not replaced when a delivery arrives twice', async () => {
    const fullName = await repositoryWith({ [CI]: WORKFLOW });
    await runOn(fullName, await open(fullName, { [CI]: UNTIMED }));
    const { held, after } = await service.host.push(fullName, { branch: 'topic', files: { [CI]: FLAWED }, hold: true });
    await Promise.all([...held, ...held].map((guid) => service.host.deliver(guid)));
    await runOn(fullName, after);
    await quiet();
    expect(runsOf(fullName).filter(({ headOid }) => headOid === after)).toHaveLength(1);
  });
});

describe('a check that is asked for again', () => {
  it.each([
    ['the run', false],
    ['all of the commit', true],
  ] as const)('runs again, for %s', async (_, suite) => {
    const fullName = await repositoryWith({ [CI]: WORKFLOW });
    const head = await open(fullName, { [CI]: FLAWED });
    const run = await runOn(fullName, head);
    await setPolicy(acme, 'never');
    const { deliveries } = await service.host.people.rerequest(fullName, run.id, { suite });
    expect(deliveries.map(({ statusCode }) => statusCode)).toEqual([200]);
    expect(await runOn(fullName, head, 2)).toMatchObject({ conclusion: 'neutral' });
    await setPolicy(acme, 'high');
  });
});

describe('without permission', () => {
  it('to write checks nothing is sent or read', async () => {
    const owner = await service.company('reading', {
      permissions: READING,
    });
    await service.connect(owner);
    const fullName = await repositoryWith({ [CI]: WORKFLOW }, { owner });
    await requests();
    await open(fullName, { [CI]: FLAWED });
    expect(await requests()).toEqual([]);
    expect(runsOf(fullName)).toEqual([]);
  });

  it('of an organization that linked it, an installation gets nothing', async () => {
    const owner = await service.company('unlinked', { permissions: PERMISSIONS });
    const fullName = await repositoryWith({ [CI]: WORKFLOW }, { owner, listed: false });
    await requests();
    await open(fullName, { [CI]: FLAWED });
    expect([await requests(), runsOf(fullName)]).toEqual([[], []]);
  });

  it('the capabilities tell if pull requests are checked', async () => {
    const { json } = await service.call('GET /api/capabilities', { as: acme.admin });
    expect(json).toMatchObject({ pr_checks: true });
  });
});

describe('a failure of the code host', () => {
  it.each([
    ['refuses the comparison', 'GET /repos/*/compare/*', 403],
    ['has no answer to the query', 'POST /api/graphql', 502],
  ] as const)('that %s ends the check neutral with the reason', async (_, match, status) => {
    const fullName = await repositoryWith({ [CI]: WORKFLOW });
    await service.host.fault({ match, times: 10, effect: { kind: 'status', status } });
    const run = await runOn(fullName, await open(fullName, { [CI]: FLAWED }));
    service.host.clearFaults();
    expect(run).toMatchObject({ conclusion: 'neutral', title: 'Not checked', annotations: [] });
    expect(run.summary).toContain('The code host');
  });

  it('after the check run was made does not make another', async () => {
    const fullName = await repositoryWith({ [CI]: WORKFLOW });
    await service.host.fault({ match: 'POST /repos/*/check-runs', effect: { kind: 'after', status: 502 } });
    const head = await open(fullName, { [CI]: FLAWED });
    expect(await runOn(fullName, head)).toMatchObject({ conclusion: 'failure' });
    await quiet();
    expect(runsOf(fullName)).toHaveLength(1);
  });

  it('before the check run was made is tried again', async () => {
    const fullName = await repositoryWith({ [CI]: WORKFLOW });
    await service.host.fault({ match: 'POST /repos/*/check-runs', effect: { kind: 'status', status: 502 } });
    const head = await open(fullName, { [CI]: FLAWED });
    expect(await runOn(fullName, head)).toMatchObject({ conclusion: 'failure' });
    await quiet();
    expect(runsOf(fullName)).toHaveLength(1);
  });
});
