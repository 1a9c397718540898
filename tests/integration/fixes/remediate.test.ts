import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { env } from '#lib/env.ts';
import type { WriteBudget } from '#lib/hosts/code-host/port.ts';
import { createLog } from '#lib/log.ts';
import { createServices } from '#lib/services/context.ts';
import { remediateRepository } from '#lib/services/fixes/remediate.ts';
import type { FixPullRequest, Remediation, RemediationRequest } from '#lib/services/fixes/remediation.ts';
import type { NewRepository } from '#lib/simulator/model.ts';
import { type CodeHostForTests, startCodeHost } from '../../support/code-host.ts';
import { configure } from '../../support/environment.ts';
import { type Fate, type Relay, startRelay } from '../../support/relay.ts';

const PERMISSIONS = {
  metadata: 'read',
  contents: 'write',
  pull_requests: 'write',
  workflows: 'write',
  administration: 'read',
};
const FILE = '.github/workflows/greet.yml';
const GREET = `on: issues
jobs:
  greet:
    runs-on: ubuntu-24.04
    permissions: {}
    timeout-minutes: 5
    steps:
      - run: echo "\${{ github.event.issue.title }}"
        env: { KEY: "\${{ secrets.DEPLOY_KEY }}" }
`;
const UNLIMITED: WriteBudget = { reserve: async () => ({ waitMs: 0 }), pause: async () => {} };

let host: CodeHostForTests;
let relay: Relay;
let installation: string;
let accountId: number;

beforeAll(async () => {
  host = await startCodeHost();
  relay = await startRelay(host.graphqlUrl);
  const { id, slug, privateKey, clientId, clientSecret } = host.app;
  configure({
    SCM_WEB_URL: host.webUrl,
    SCM_API_URL: host.apiUrl,
    SCM_GRAPHQL_URL: relay.url,
    SCM_APP_ID: String(id),
    SCM_APP_SLUG: slug,
    SCM_APP_PRIVATE_KEY: privateKey,
    SCM_CLIENT_ID: clientId,
    SCM_CLIENT_SECRET: clientSecret,
    WEB_URL: 'https://chainbreak.example',
  });
  const owner = host.world.addAccount({ login: 'acme', type: 'Organization' });
  const person = host.world.addAccount({ login: 'ada', type: 'User', email: 'ada@example.com' });
  host.world.addMember(owner, person, 'admin');
  accountId = owner.id;
  installation = String(host.world.addInstallation({ accountId, permissions: PERMISSIONS }).id);
});
afterAll(async () => {
  await relay?.stop();
  await host?.stop();
});
afterEach(() => {
  relay.onRequest = () => 'pass';
});

let count = 0;
async function newRepository(files: NewRepository['files'] = { [FILE]: GREET }, options: Partial<NewRepository> = {}) {
  const fullName = `acme/fix${(count += 1)}`;
  const { id } = await host.addRepository({ fullName, files, visibility: 'private', ...options });
  return { fullName, scmId: String(id) };
}
type Made = Awaited<ReturnType<typeof newRepository>>;

async function remediate(
  { fullName, scmId }: Made,
  options: Partial<RemediationRequest> & { readonly installationId?: string; readonly budget?: WriteBudget } = {},
): Promise<Remediation & { readonly recorded: readonly FixPullRequest[] }> {
  const { installationId = installation, budget = UNLIMITED, ...rest } = options;
  const recorded: FixPullRequest[] = [];
  const target = {
    repo_id: '',
    installation_id: installationId,
    scm_id: scmId,
    full_name: fullName,
    disabled_rules: [],
    triaged: [],
  };
  const request: RemediationRequest = {
    target,
    ruleset: 'all',
    record: async (pull) => void recorded.push(pull),
    ...rest,
  };
  const services = createServices(
    env(),
    createLog(() => {}),
  );
  return { ...(await remediateRepository(services, request, budget)), recorded };
}

const repositoryOf = ({ fullName }: Made) => {
  const found = host.world.repository(fullName);
  if (found === undefined) throw new Error(fullName);
  return found;
};
const pullsOf = (made: Made) => host.world.pullRequests(repositoryOf(made));
const textAt = async (made: Made, revision: string) =>
  (await host.world.git(repositoryOf(made)).object(`${revision}:${FILE}`))?.content.toString();
const branchesOf = async (made: Made) =>
  (await host.world.git(repositoryOf(made)).refs('refs/heads/')).map(({ name }) => name);
const ownCommits = async (made: Made, branch: string) => {
  const git = host.world.git(repositoryOf(made));
  const [base, head] = await Promise.all([git.object('refs/heads/main'), git.object(`refs/heads/${branch}`)]);
  return git.compare(head?.oid ?? '', base?.oid ?? '');
};
const push = (made: Made, text: string, options: { readonly branch?: string; readonly path?: string } = {}) =>
  host.push(made.fullName, {
    files: { [options.path ?? FILE]: text },
    keepOthers: true,
    ...(options.branch === undefined ? {} : { branch: options.branch }),
  });
const CHANGED = GREET.replace('    timeout-minutes: 5\n', '    timeout-minutes: 5\n    concurrency: greet\n');

describe('a fix pull request', () => {
  it('has one commit by the app on the head of the default branch, with every fix of the file', async () => {
    const made = await newRepository();
    const { status, error, prs_opened, pull_requests, skipped, recorded } = await remediate(made);
    expect({ status, error, prs_opened, skipped }).toEqual({
      status: 'succeeded',
      error: null,
      prs_opened: 1,
      skipped: [],
    });
    const [pull] = pull_requests;
    expect(pull).toMatchObject({ file: FILE, number: 1, state: 'open', reused: false });
    expect(pull?.branch).toMatch(/^chainbreak\/fix-greet-[0-9a-f]{8}$/);
    expect(pull?.rule_ids).toContain('template-injection');
    expect(pull?.fingerprints.length).toBeGreaterThan(0);
    expect(recorded).toEqual(pull_requests);
    const [opened] = pullsOf(made);
    expect(opened).toMatchObject({ number: 1, baseBranch: 'main', headBranch: pull?.branch, state: 'open' });
    expect(host.world.account(opened?.authorId ?? 0)?.login).toBe(`${host.app.slug}[bot]`);
    expect(await ownCommits(made, pull?.branch ?? '')).toMatchObject({ behind: 1, ahead: 0 });
    expect(await textAt(made, `refs/heads/${pull?.branch}`)).toContain('echo "$');
    expect(await textAt(made, 'refs/heads/main')).toBe(GREET);
  });

  it('is opened for each file on its own', async () => {
    const other = '.github/workflows/other.yml';
    const made = await newRepository({ [FILE]: GREET, [other]: GREET });
    const { pull_requests } = await remediate(made);
    expect(pull_requests.map(({ file, number }) => [file, number])).toEqual([
      [FILE, 1],
      [other, 2],
    ]);
    expect(await textAt(made, `refs/heads/${pull_requests[1]?.branch}`)).toBe(GREET);
  });

  it('says what an attacker could do, what changes, what does not and how it was proven, without names of secrets', async () => {
    const evil = `.github/workflows/a [skip ci] @ada #1 \`x\`.yml`;
    const made = await newRepository({ [evil]: GREET });
    await remediate(made);
    const [pull] = pullsOf(made);
    expect(pull?.title).toMatch(/^ci: fix \d+ weakness(?:es)? in [\w.-]+$/);
    for (const heading of ['What an attacker could do', 'What changes', 'What does not change', 'How it was proven']) {
      expect(pull?.body).toContain(`## ${heading}`);
    }
    expect(pull?.body).toContain('https://chainbreak.example/rules/template-injection');
    expect(pull?.body).toContain('chainbreak: ignore[');
    expect(`${pull?.title}${pull?.body}`).not.toMatch(/DEPLOY_KEY/i);
    const commit = await host.world.git(repositoryOf(made)).object(pull?.headOid ?? '');
    expect(commit?.content.toString()).not.toMatch(/skip ci|@ada|#1/);
  });

  it('carries labels that exist in the repository, and no other', async () => {
    const made = await newRepository(undefined, { labels: ['Security', 'bug'] });
    await remediate(made);
    expect(pullsOf(made)[0]?.labels).toEqual(['Security']);
    const bare = await newRepository();
    await remediate(bare);
    expect(pullsOf(bare)[0]?.labels).toEqual([]);
    expect(repositoryOf(bare).labels).toEqual([]);
  });

  it('contains the rules of the ruleset only, and none that the organization disabled or findings that it triaged', async () => {
    const made = await newRepository();
    expect((await remediate(made, { ruleset: 'slsa-source-l1' })).pull_requests).toEqual([]);
    const target = {
      repo_id: '',
      installation_id: installation,
      scm_id: made.scmId,
      full_name: made.fullName,
      disabled_rules: ['template-injection'],
      triaged: [],
    };
    const without = await remediate(made, { target });
    expect(without.pull_requests.flatMap(({ rule_ids }) => rule_ids)).not.toContain('template-injection');
    const fresh = await newRepository();
    const { pull_requests } = await remediate(fresh);
    const triaged = pull_requests[0]?.fingerprints ?? [];
    const again = await newRepository();
    const left = await remediate(again, {
      target: { ...target, scm_id: again.scmId, full_name: again.fullName, triaged },
    });
    expect(left.pull_requests).toEqual([]);
  });
});

describe('an open pull request of ours', () => {
  it('is left alone while the fix is the same, also when the default branch moved elsewhere', async () => {
    const made = await newRepository();
    await remediate(made);
    const before = pullsOf(made)[0]?.headOid;
    await push(made, '# news\n', { path: 'README.md' });
    await host.log();
    const { prs_opened, pull_requests } = await remediate(made);
    expect({ prs_opened, reused: pull_requests[0]?.reused }).toEqual({ prs_opened: 1, reused: true });
    expect(pullsOf(made)).toHaveLength(1);
    expect(pullsOf(made)[0]?.headOid).toBe(before);
    expect((await host.log()).some(({ operation }) => operation === 'WriteFix')).toBe(false);
  });

  it('gets one new commit on the new head when the file changed, and stays open', async () => {
    const made = await newRepository();
    const { pull_requests } = await remediate(made);
    const branch = pull_requests[0]?.branch ?? '';
    await push(made, CHANGED);
    const again = await remediate(made);
    expect(again.pull_requests).toMatchObject([{ number: 1, reused: true, branch }]);
    expect(pullsOf(made)).toMatchObject([{ number: 1, state: 'open' }]);
    expect(await ownCommits(made, branch)).toMatchObject({ behind: 1, ahead: 0 });
    const text = await textAt(made, `refs/heads/${branch}`);
    expect(text).toContain('concurrency: greet');
    expect(text).not.toContain('echo "${{');
    expect(await branchesOf(made)).toEqual([branch, 'main']);
  });

  it('is never overwritten once a person committed to its branch', async () => {
    const made = await newRepository();
    const { pull_requests } = await remediate(made);
    const branch = pull_requests[0]?.branch ?? '';
    await push(made, 'mine\n', { branch });
    await push(made, CHANGED);
    const head = (await host.world.git(repositoryOf(made)).object(`refs/heads/${branch}`))?.oid;
    const { status, skipped, prs_opened } = await remediate(made);
    expect({ status, prs_opened }).toEqual({ status: 'succeeded', prs_opened: 0 });
    expect(skipped).toEqual([{ file: FILE, reason: expect.stringMatching(/^Somebody pushed to the branch/) }]);
    expect((await host.world.git(repositoryOf(made)).object(`refs/heads/${branch}`))?.oid).toBe(head);
  });

  it('is not overwritten when a person commits between the look and the write', async () => {
    const made = await newRepository();
    const branch = (await remediate(made)).pull_requests[0]?.branch ?? '';
    await push(made, CHANGED);
    let pushed: string | undefined;
    relay.onRequest = async (operation, body): Promise<Fate> => {
      if (operation === 'WriteFix' && body.includes('UpdatePullRequestInput') && pushed === undefined) {
        pushed = (await push(made, 'mine\n', { branch })).after;
      }
      return 'pass';
    };
    const { skipped } = await remediate(made);
    expect(skipped[0]?.reason).toMatch(/^Somebody pushed/);
    expect((await host.world.git(repositoryOf(made)).object(`refs/heads/${branch}`))?.oid).toBe(pushed);
  });
});

describe('a closed pull request of ours', () => {
  it('is not opened again for the same fix unless asked, but for another fix', async () => {
    const made = await newRepository();
    await remediate(made);
    await host.people.close(made.fullName, 1);
    const { skipped, status, error } = await remediate(made);
    expect({ status, error }).toEqual({ status: 'succeeded', error: null });
    expect(skipped).toEqual([{ file: FILE, reason: expect.stringContaining('#1') }]);
    expect(pullsOf(made)).toHaveLength(1);
    const asked = await remediate(made, { reopenDeclined: true });
    expect(asked.pull_requests).toMatchObject([{ number: 2, reused: false }]);
    await host.people.close(made.fullName, 2);
    await push(made, GREET.replace('issue.title }}"', 'issue.title }}"; echo "${{ github.event.issue.body }}"'));
    expect((await remediate(made)).pull_requests).toMatchObject([{ number: 3, reused: false }]);
  });
});

describe('after a crash', () => {
  const branchOfFile = async () => (await remediate(await newRepository())).pull_requests[0]?.branch ?? '';
  const expectOne = async (made: Made) => {
    const { status, prs_opened, recorded } = await remediate(made);
    expect({ status, prs_opened, recorded: recorded.length }).toEqual({
      status: 'succeeded',
      prs_opened: 1,
      recorded: 1,
    });
    expect(pullsOf(made)).toHaveLength(1);
    const [pull] = pullsOf(made);
    expect(await ownCommits(made, pull?.headBranch ?? '')).toMatchObject({ behind: 1 });
    expect(await textAt(made, pull?.headOid ?? '')).not.toContain('echo "${{');
  };

  it.each(['with the head where it was', 'with a newer head'])(
    'that left only the branch, opens exactly one pull request %s',
    async (when) => {
      const branch = await branchOfFile();
      const made = await newRepository();
      const repository = repositoryOf(made);
      const head = (await host.world.git(repository).object('refs/heads/main'))?.oid ?? '';
      await host.world.createBranch(repository, branch, head);
      if (when === 'with a newer head') await push(made, CHANGED);
      await expectOne(made);
    },
  );

  it.each(['the same', 'another'])(
    'that left branch and commit, opens exactly one pull request with %s file',
    async (file) => {
      const made = await newRepository();
      let isDead = false;
      relay.onRequest = (operation, body) => {
        if (isDead) return 'refuse';
        if (operation !== 'WriteFix') return 'pass';
        isDead = true;
        const { query, variables } = JSON.parse(body) as { query: string; variables: object };
        const cut = query.replace(', $pull: CreatePullRequestInput!', '').replace(/createPullRequest[^\n]*/, '');
        return { instead: JSON.stringify({ query: cut, variables }) };
      };
      expect((await remediate(made)).status).toBe('failed');
      relay.onRequest = () => 'pass';
      expect(pullsOf(made)).toHaveLength(0);
      expect(await branchesOf(made)).toHaveLength(2);
      if (file === 'another') await push(made, CHANGED);
      await expectOne(made);
    },
  );

  it('that left a pull request without its row, records exactly one', async () => {
    const made = await newRepository();
    const killed = remediate(made, {
      record: async () => {
        throw new Error('killed');
      },
    });
    await expect(killed).rejects.toThrow('killed');
    expect(pullsOf(made)).toHaveLength(1);
    await expectOne(made);
  });

  it('that left a prepared branch beside, replaces the commit and removes that branch', async () => {
    const made = await newRepository();
    const branch = (await remediate(made)).pull_requests[0]?.branch ?? '';
    await push(made, CHANGED);
    relay.onRequest = (operation, body) =>
      operation === 'WriteFix' && body.includes('UpdatePullRequestInput') ? 'refuse' : 'pass';
    expect((await remediate(made)).status).toBe('failed');
    relay.onRequest = () => 'pass';
    expect(await branchesOf(made)).toEqual([branch, `${branch}-next`, 'main']);
    await expectOne(made);
    expect(await branchesOf(made)).toEqual([branch, 'main']);
  });

  it('of the code host behind a write, finds what the write made', async () => {
    const made = await newRepository();
    let lost = 0;
    relay.onRequest = (operation) => (operation === 'WriteFix' && (lost += 1) === 1 ? 'lose' : 'pass');
    const { pull_requests } = await remediate(made);
    expect(pull_requests).toMatchObject([{ number: 1, reused: false }]);
    expect(lost).toBe(1);
    expect(pullsOf(made)).toHaveLength(1);
  });

  it('of the code host before a write, writes once more', async () => {
    const made = await newRepository();
    let sent = 0;
    relay.onRequest = (operation) => (operation === 'WriteFix' && (sent += 1) === 1 ? 'refuse' : 'pass');
    expect((await remediate(made)).prs_opened).toBe(1);
    expect(sent).toBe(2);
    expect(pullsOf(made)).toHaveLength(1);
  });
});

describe('two runs at once', () => {
  it('open one pull request', async () => {
    const made = await newRepository();
    const both = await Promise.all([remediate(made), remediate(made)]);
    expect(both.map(({ prs_opened }) => prs_opened)).toEqual([1, 1]);
    expect(pullsOf(made)).toHaveLength(1);
  });
});

describe('a head that moves', () => {
  it('is read again, and the fix is made of the new text', async () => {
    const made = await newRepository();
    let moved = false;
    relay.onRequest = async (operation): Promise<Fate> => {
      if (operation === 'FixBranches' && !moved) {
        moved = true;
        await push(made, CHANGED);
      }
      return 'pass';
    };
    const { pull_requests } = await remediate(made);
    expect(await textAt(made, `refs/heads/${pull_requests[0]?.branch}`)).toContain('concurrency: greet');
  });

  it('without an end, ends the run after three more readings', async () => {
    const made = await newRepository();
    let moves = 0;
    relay.onRequest = async (operation): Promise<Fate> => {
      if (operation === 'FixBranches') await push(made, `${GREET}# ${(moves += 1)}\n`);
      return 'pass';
    };
    const { status, error } = await remediate(made);
    expect({ status, error }).toEqual({ status: 'failed', error: expect.stringMatching(/kept changing/) });
    expect(moves).toBe(4);
    expect(pullsOf(made)).toEqual([]);
  });
});

describe('what cannot be fixed is named', () => {
  it.each([
    ['archived', { archived: true }, /archived/],
    ['a fork', { fork: true }, /fork/],
    ['disabled', { disabled: true }, /disabled|no longer/],
  ] as const)('for a repository that is %s', async (_, options, reason) => {
    const { status, error, prs_opened } = await remediate(await newRepository(undefined, options));
    expect({ status, prs_opened }).toEqual({ status: 'failed', prs_opened: 0 });
    expect(error).toMatch(reason);
  });

  it.each(['workflows', 'pull_requests', 'contents'])(
    'for a missing permission: %s, and nothing is written',
    async (name) => {
      const login = `without-${name.replace('_', '-')}`;
      const owner = host.world.addAccount({ login, type: 'Organization' });
      const permissions = { ...PERMISSIONS, [name]: 'read' };
      if (name === 'workflows') Reflect.deleteProperty(permissions, name);
      const { id } = host.world.addInstallation({ accountId: owner.id, permissions });
      const fullName = `${login}/one`;
      const { id: scm } = await host.addRepository({ fullName, files: { [FILE]: GREET } });
      const made = { fullName, scmId: String(scm) };
      const { status, error, skipped } = await remediate(made, { installationId: String(id) });
      expect({ status, error }).toEqual({ status: 'failed', error: `The installation lacks "${name}: write".` });
      expect(skipped).toEqual([{ file: FILE, reason: error }]);
      expect(await branchesOf(made)).toEqual(['main']);
    },
  );

  it('for a ruleset that forbids new branches, and nothing is left behind', async () => {
    const made = await newRepository();
    repositoryOf(made).settings = {
      ...repositoryOf(made).settings,
      rulesets: [
        { name: 'no', target: 'BRANCH', enforcement: 'ACTIVE', include: ['~ALL'], rules: { CREATION: true } },
      ] as never,
    };
    const { status, error } = await remediate(made);
    expect({ status, error }).toEqual({ status: 'failed', error: expect.stringMatching(/ruleset/) });
    expect(await branchesOf(made)).toEqual(['main']);
    expect(pullsOf(made)).toEqual([]);
  });

  it('for files over the bounds and generated ones, while others are fixed', async () => {
    const big = '.github/workflows/big.yml';
    const generated = '.github/workflows/generated.yml';
    const made = await newRepository({
      [FILE]: GREET,
      [big]: `${GREET}# ${'x'.repeat(600_000)}\n`,
      [generated]: `# DO NOT EDIT\n${GREET}`,
    });
    const { status, error, prs_opened, skipped } = await remediate(made);
    expect({ status, error, prs_opened }).toEqual({ status: 'succeeded', error: null, prs_opened: 1 });
    expect(skipped).toEqual([
      { file: big, reason: expect.stringMatching(/bytes/) },
      { file: generated, reason: expect.stringMatching(/generated/) },
    ]);
  });

  it('for an installation that is gone', async () => {
    const made = await newRepository();
    const { status, error } = await remediate(made, { installationId: '999999' });
    expect({ status, error }).toEqual({ status: 'failed', error: expect.stringMatching(/no longer installed/) });
  });
});

describe('writing', () => {
  it('uses a token for one repository with exactly the permissions of fixes', async () => {
    const made = await newRepository();
    await host.log();
    await remediate(made);
    const write = (await host.log()).find(({ operation }) => operation === 'WriteFix');
    expect(write?.token).toEqual({
      permissions: { metadata: 'read', contents: 'write', pull_requests: 'write', workflows: 'write' },
      repositoryIds: [Number(made.scmId)],
    });
  });

  it('takes at most four requests for each pull request of a repository with three files', async () => {
    const files = Object.fromEntries(['a', 'b', 'c'].map((name) => [`.github/workflows/${name}.yml`, GREET]));
    const made = await newRepository(files, { labels: ['security'] });
    await host.log();
    const { prs_opened } = await remediate(made);
    const requests = await host.log();
    expect(prs_opened).toBe(3);
    expect(requests.length / prs_opened).toBeLessThanOrEqual(4);
  });

  it('waits as long as the budget says before each write, and sends nothing when it is used up', async () => {
    const made = await newRepository();
    const asked: string[] = [];
    const budget: WriteBudget = {
      reserve: async (id) => {
        asked.push(id);
        return { exhaustedSeconds: 1200 };
      },
      pause: async () => {},
    };
    await host.log();
    const { status, error } = await remediate(made, { budget });
    expect({ status, error }).toEqual({ status: 'failed', error: expect.stringMatching(/limits our requests/) });
    expect(asked).toEqual([installation]);
    expect((await host.log()).some(({ operation }) => operation === 'WriteFix')).toBe(false);
  });

  it('passes a limit of the code host on to the budget and is sent again', async () => {
    const made = await newRepository();
    const paused: number[] = [];
    const budget: WriteBudget = { ...UNLIMITED, pause: async (_, seconds) => void paused.push(seconds) };
    relay.onRequest = async (operation): Promise<Fate> => {
      if (operation === 'WriteFix' && paused.length === 0) {
        await host.fault({
          match: 'POST */graphql',
          effect: { kind: 'secondary-limit', status: 403, retryAfterSeconds: 1 },
        });
      }
      return 'pass';
    };
    const reserve: WriteBudget['reserve'] = async () => ({ waitMs: paused.length === 0 ? 0 : 1_100 });
    expect((await remediate(made, { budget: { ...budget, reserve } })).prs_opened).toBe(1);
    expect(paused).toEqual([1]);
  });
});
