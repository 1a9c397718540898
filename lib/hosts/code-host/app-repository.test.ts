import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '#lib/errors.ts';
import type { SettingsFacts } from '#lib/facts/facts.ts';
import type { Effect } from '#lib/simulator/faults.ts';
import type { Repository } from '#lib/simulator/model.ts';
import { OLD_PROTECTION } from '#lib/simulator/settings.ts';
import { type CodeHostForTests, startCodeHost } from '../../../tests/support/code-host.ts';
import { createCodeHostApp } from './app.ts';
import type { CodeHostApp, RepositoryRead, RepositorySnapshot } from './port.ts';

const WORKFLOW = 'on: push\njobs:\n  test:\n    runs-on: ubuntu-24.04\n    steps:\n      - run: npm test\n';
const ACTION = 'name: Set up\nruns:\n  using: composite\n  steps: []\n';
const CI = '.github/workflows/ci.yml';
const PERMISSIONS = {
  metadata: 'read',
  contents: 'read',
  actions: 'read',
  administration: 'read',
  members: 'read',
  repository_hooks: 'read',
};
const SETTINGS = ['RepositorySettings', ...Array.from({ length: 9 }, () => 'repos')];

let host: CodeHostForTests;
let codeHost: CodeHostApp;
let made = 0;

beforeAll(async () => {
  host = await startCodeHost();
  const team = host.world.addAccount({ login: 'team', type: 'Organization' });
  const other = host.world.addAccount({ login: 'other', type: 'Organization' });
  host.world.addInstallation({ id: 900, accountId: team.id, permissions: PERMISSIONS });
  host.world.addInstallation({ id: 901, accountId: other.id, permissions: PERMISSIONS });
  host.world.addInstallation({ id: 902, accountId: team.id, permissions: { metadata: 'read' } });
});
afterAll(() => host.stop());
beforeEach(async () => {
  codeHost = connect();
  await host.log();
});

function connect(timeoutMs?: number): CodeHostApp {
  const { apiUrl, graphqlUrl, webUrl, app } = host;
  const known = { ...app, id: String(app.id) };
  return createCodeHostApp({
    apiUrl,
    graphqlUrl,
    webUrl,
    app: known,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
}

async function add(options: Partial<Parameters<CodeHostForTests['addRepository']>[0]> = {}): Promise<Repository> {
  made += 1;
  const files = { [CI]: WORKFLOW };
  return host.addRepository({ fullName: `team/r${made}`, visibility: 'private', files, ...options });
}

function at(repository: Repository): { scmId: string; fullName: string } {
  return { scmId: String(repository.id), fullName: host.world.fullNameOf(repository) };
}

async function asked(): Promise<string[]> {
  return (await host.log()).map(({ method, path, operation }) =>
    path.endsWith('/access_tokens')
      ? 'token'
      : /\/app\/installations\/\d+$/.test(path)
        ? 'grants'
        : (operation ?? (method === 'POST' ? 'query' : (path.split('/').slice(3)[0] ?? ''))),
  );
}

async function failureOf(read: Promise<unknown>): Promise<AppError> {
  const error: unknown = await read.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AppError);
  return error as AppError;
}

function changed(read: RepositoryRead): RepositorySnapshot {
  if (read.unchanged) throw new Error('The repository is said to be unchanged.');
  return read.snapshot;
}

describe('the first read of a repository', () => {
  it('costs the grants, a token and one query; two with local actions; settings cost a token and ten requests', async () => {
    const plain = await add();
    const read = await codeHost.readRepository('900', at(plain));
    expect(read.head).toMatchObject({
      scmId: String(plain.id),
      fullName: `team/${plain.name}`,
      htmlUrl: `${host.webUrl}/team/${plain.name}`,
      private: true,
      defaultBranch: 'main',
      commit: changed(read).commit,
      archived: false,
      fork: false,
      disabled: false,
      empty: false,
    });
    expect(changed(read).files).toEqual([{ path: CI, text: WORKFLOW }]);
    expect(await tokenSettings(plain)).toEqual({ value: { default: 'read', canApprovePullRequests: false } });
    expect(await asked()).toEqual(['grants', 'token', 'RepositoryFiles', 'token', ...SETTINGS]);

    const local = await add({ files: { [CI]: WORKFLOW, '.github/actions/a/action.yml': ACTION } });
    expect(changed(await codeHost.readRepository('900', at(local))).files).toHaveLength(2);
    expect(await asked()).toEqual(['token', 'RepositoryFiles', 'MoreFiles']);
  });

  it('reports archived, fork, disabled, internal and empty repositories', async () => {
    const archived = await add({ archived: true });
    expect((await codeHost.readRepository('900', at(archived))).head).toMatchObject({ archived: true, fork: false });
    const fork = await add({ fork: true, visibility: 'public', defaultBranch: 'trunk' });
    expect((await codeHost.readRepository('900', at(fork))).head).toMatchObject({
      fork: true,
      private: false,
      defaultBranch: 'trunk',
    });
    const disabled = await add({ disabled: true, visibility: 'internal' });
    expect((await codeHost.readRepository('900', at(disabled))).head).toMatchObject({ disabled: true, private: true });
    const empty = await add({ files: {} });
    const read = await codeHost.readRepository('900', at(empty));
    expect(read.head).toMatchObject({ empty: true, commit: null, defaultBranch: null });
    expect(changed(read).files).toEqual([]);
  });

  it('never mistakes part of a file for the whole', async () => {
    const long = await add({ files: { [CI]: `${WORKFLOW}${'# more\n'.repeat(80_000)}` } });
    const [file] = changed(await codeHost.readRepository('900', at(long))).files;
    expect(file?.text).toBeUndefined();
    expect(file?.problem?.message).toContain('returns only the beginning');
  });
});

describe('files of more than 8 MiB together', () => {
  it('are read as far as the limit goes; the others are named with the reason', async () => {
    const filler = '# more\n'.repeat(60_000);
    const files = Object.fromEntries(
      Array.from({ length: 24 }, (_, index) => [
        `.github/workflows/w${String(index).padStart(2, '0')}.yml`,
        `${WORKFLOW}${index === 22 ? '' : filler}`,
      ]),
    );
    const snapshot = changed(await codeHost.readRepository('900', at(await add({ files }))));
    const unread = snapshot.files.filter(({ text }) => text === undefined);
    const bytes = snapshot.files.reduce((sum, { text = '' }) => sum + Buffer.byteLength(text), 0);
    expect(snapshot.workflowFiles).toBe(24);
    expect(unread.map(({ path }) => path.slice(-7))).toEqual(['w19.yml', 'w20.yml', 'w21.yml', 'w23.yml']);
    for (const { problem } of unread) expect(problem?.message).toContain('more than 8388608 bytes');
    expect(bytes).toBeLessThanOrEqual(8 * 1024 * 1024);
  });
});

describe('a repeated read', () => {
  const tools = { [CI]: `${WORKFLOW}      - uses: ./tools/lint\n`, 'tools/lint/action.yml': ACTION, 'README.md': '#' };

  it('costs one query without files if nothing changed', async () => {
    const repository = await add();
    const { head } = await codeHost.readRepository('900', at(repository));
    await asked();
    expect(await codeHost.readRepository('900', at(repository), head)).toEqual({ unchanged: true, head });
    await codeHost.readSettings('900', at(repository));
    expect(await asked()).toEqual(['RepositoryProbe', 'token', ...SETTINGS]);
  });

  it.each<[string, Record<string, string>, Record<string, string>, boolean]>([
    ['a workflow', { [CI]: WORKFLOW }, { [CI]: `${WORKFLOW}# changed\n` }, false],
    ['a file beside the workflows', { [CI]: WORKFLOW }, { '.github/dependabot.yml': 'version: 2\n' }, false],
    ['the action at the root', { [CI]: WORKFLOW }, { 'action.yml': ACTION }, false],
    ['the action at the root, by its other name', { 'action.yaml': ACTION }, { 'action.yaml': `${ACTION}#\n` }, false],
    ['a local action elsewhere only', tools, { 'tools/lint/action.yml': `${ACTION}# changed\n` }, false],
    ['a local action elsewhere that was missing', { [CI]: tools[CI] }, { 'tools/lint/action.yaml': ACTION }, false],
    ['anything else', { [CI]: WORKFLOW, 'README.md': '#' }, { 'README.md': '# changed', 'src/index.ts': '' }, true],
    ['an action that no workflow uses', { [CI]: WORKFLOW }, { 'tools/lint/action.yml': ACTION }, true],
  ])('notices a change in %s', async (_, files, change, unchanged) => {
    const repository = await add({ files });
    const before = await codeHost.readRepository('900', at(repository));
    const { after } = await host.push(at(repository).fullName, { files: change, keepOthers: true });
    const again = await codeHost.readRepository('900', at(repository), before.head);
    expect(again.unchanged).toBe(unchanged);
    expect(again.head.commit).toBe(after);
    expect(again.head.tree === before.head.tree).toBe(unchanged);
    if (!again.unchanged) {
      expect(again.snapshot.files.map(({ path }) => path)).toEqual(expect.arrayContaining(Object.keys(change)));
      expect((await codeHost.readRepository('900', at(repository), again.head)).unchanged).toBe(true);
    }
  });

  it('of an empty repository is unchanged until its first commit', async () => {
    const repository = await add({ files: {} });
    const { head } = await codeHost.readRepository('900', at(repository));
    expect(await codeHost.readRepository('900', at(repository), head)).toEqual({ unchanged: true, head });
    await host.push(at(repository).fullName, { files: { 'README.md': '#' } });
    expect(await codeHost.readRepository('900', at(repository), head)).toMatchObject({
      unchanged: false,
      head: { empty: false },
    });
  });

  it.each<[string, string[]]>([
    ['a workflow', ['repository', 'workflows', 'entries', '0', 'object']],
    ['an action', ['repository', 'p0']],
  ])('is complete after one that lacked %s', async (_, path) => {
    const repository = await add({ files: { [CI]: WORKFLOW, '.github/actions/a/action.yml': ACTION } });
    const effect: Effect = { kind: 'partial', path, type: 'SERVICE_UNAVAILABLE', message: 'x' };
    await host.fault({ match: 'POST /api/graphql', skip: path.length === 2 ? 1 : 0, effect });
    const { head } = await codeHost.readRepository('900', at(repository));
    const again = await codeHost.readRepository('900', at(repository), head);
    expect(changed(again).files.every(({ problem }) => problem === undefined)).toBe(true);
    expect(changed(again).unread).toEqual([]);
  });

  it('is distinguished from an unknown text', async () => {
    const repository = await add();
    for (const tree of ['', '1:empty', '1:-:-:-', '0:x']) {
      expect((await codeHost.readRepository('900', at(repository), { tree })).unchanged).toBe(false);
    }
  });
});

describe('a repository that moved', () => {
  it('is found under its former name with the same number of requests', async () => {
    const repository = await add();
    const before = at(repository);
    host.world.updateRepository(repository, { name: 'renamed' });
    const { head } = await codeHost.readRepository('900', before);
    expect(head).toMatchObject({ scmId: before.scmId, fullName: 'team/renamed' });
    expect(await asked()).toEqual(['grants', 'token', 'RepositoryFiles']);
    expect(await codeHost.readRepository('900', before, head)).toMatchObject({ unchanged: true, head });
  });

  it.each([false, true])('is found by number if another one took its name (known: %s)', async (known) => {
    const repository = await add();
    const before = at(repository);
    const { head } = await codeHost.readRepository('900', before);
    host.world.updateRepository(repository, { name: `moved-${known}` });
    await host.addRepository({ fullName: before.fullName, files: { [CI]: 'on: pull_request_target\n' } });
    await asked();
    const read = await codeHost.readRepository('900', before, known ? head : undefined);
    expect(read.unchanged).toBe(known);
    expect(read.head).toMatchObject({ scmId: before.scmId, fullName: `team/moved-${known}` });
    const query = known ? 'RepositoryProbe' : 'RepositoryFiles';
    expect(await asked()).toEqual([query, 'repositories', query]);
  });

  it.each(['private', 'public'] as const)(
    'is not found if it was %s and transferred to another account',
    async (visibility) => {
      const repository = await add({ visibility });
      const before = at(repository);
      const { head } = await codeHost.readRepository('900', before);
      host.world.updateRepository(repository, { ownerId: host.world.account('other')?.id ?? 0 });
      expect(await failureOf(codeHost.readRepository('900', before))).toMatchObject({ code: 'not-found' });
      expect(await failureOf(codeHost.readRepository('900', before, head))).toMatchObject({ code: 'not-found' });
      expect((await codeHost.readRepository('901', before)).head.fullName).toBe(at(repository).fullName);
    },
  );

  it('is found after its account was renamed', async () => {
    const account = host.world.addAccount({ login: 'old-login', type: 'Organization' });
    host.world.addInstallation({ id: 903, accountId: account.id, permissions: PERMISSIONS });
    const repository = await add({ fullName: 'old-login/web' });
    const before = at(repository);
    host.world.renameAccount(account, 'new-login');
    expect((await codeHost.readRepository('903', before)).head.fullName).toBe('new-login/web');
  });

  it('is not found if deleted, hidden, or removed from the installation', async () => {
    const gone = await add();
    const hidden = await add({ visibility: 'public' });
    const taken = await add();
    const places = [gone, hidden, taken].map(at);
    const installation = host.world.addInstallation({
      id: 904,
      accountId: host.world.account('team')?.id ?? 0,
      permissions: PERMISSIONS,
      repositoryIds: [gone.id, taken.id],
    });
    for (const place of places) expect((await codeHost.readRepository('904', place)).head.scmId).toBe(place.scmId);
    host.world.removeRepository(gone);
    host.world.updateRepository(hidden, { visibility: 'private' });
    host.world.updateInstallation(installation, { repositoryIds: [] });
    for (const place of places) {
      expect(await failureOf(codeHost.readRepository('904', place))).toMatchObject({
        code: 'not-found',
        message: 'The installation can no longer access this repository.',
      });
    }
    host.world.removeInstallation(installation);
  });

  it.each(['', 'team', 'team/../x', 'a/b/c', 'team/a?b'])(
    'is found by number under the invalid name %j',
    async (fullName) => {
      const repository = await add();
      const read = await codeHost.readRepository('900', { ...at(repository), fullName });
      expect(read.head.scmId).toBe(String(repository.id));
      expect(await asked()).toEqual(['grants', 'token', 'repositories', 'RepositoryFiles', 'repos']);
    },
  );

  it.each(['0', '-1', 'x', '1/../2', '9'.repeat(30)])('is not found by the invalid number %j', async (scmId) => {
    const error = await failureOf(codeHost.readRepository('900', { scmId, fullName: 'team/none' }));
    expect(error.code).toBe('not-found');
  });
});

describe('permissions', () => {
  it('without contents make a private repository unreachable after one request; a public one is read', async () => {
    const repository = await add();
    const error = await failureOf(codeHost.readRepository('902', at(repository)));
    expect(error).toMatchObject({ code: 'scm-unreachable', message: expect.stringContaining('permission') as string });
    expect(await asked()).toEqual(['grants', 'token', 'RepositoryFiles']);
    const open = await add({ visibility: 'public' });
    expect(changed(await codeHost.readRepository('902', at(open))).workflowFiles).toBe(1);
  });

  it('limit requests to the settings they cover', async () => {
    const repository = await add({ workflowSettings: { defaultPermissions: 'write', canApprovePullRequests: true } });
    const few = await settingsAt('902', repository);
    expect(await asked()).toEqual(['grants', 'token', 'RepositorySettings']);
    expect(few).toMatchObject({
      repository: { value: { archived: false } },
      organization: { missing: 'no_permission' },
    });
    for (const field of ['branch', 'bypasses', 'workflowToken', 'webhooks', 'environments', 'deployKeys'] as const) {
      expect([field, few[field]]).toEqual([field, { missing: 'no_permission' }]);
    }
    expect(await tokenSettings(repository)).toEqual({ value: { default: 'write', canApprovePullRequests: true } });
  });

  it.each<[string, Effect, object]>([
    ['403', { kind: 'status', status: 403 }, { missing: 'no_permission' }],
    ['404', { kind: 'status', status: 404 }, { missing: 'no_permission' }],
    ['502 once', { kind: 'status', status: 502 }, { value: { default: 'read', canApprovePullRequests: false } }],
    ['a page', { kind: 'status', status: 200 }, { missing: 'offline' }],
  ])('affect only the setting that fails with %s', async (_, effect, expected) => {
    const repository = await add();
    await host.fault({ match: 'GET */actions/permissions/workflow', effect });
    const { workflowToken, environments } = await settingsAt('900', repository);
    expect([workflowToken, environments]).toEqual([expected, { value: [] }]);
  });

  it.each<[string, Effect, object]>([
    ['a limit', { kind: 'primary-limit', status: 403, resetSeconds: 60 }, { missing: 'rate_limited' }],
    ['the pace', { kind: 'secondary-limit', status: 429, retryAfterSeconds: 5 }, { missing: 'rate_limited' }],
    ['another trouble twice', { kind: 'status', status: 502 }, { missing: 'offline' }],
  ])('do not affect settings if the query fails with %s', async (_, effect, expected) => {
    const repository = await add();
    await host.fault({ match: 'POST /api/graphql', times: 2, effect });
    expect(await codeHost.readSettings('900', at(repository))).toEqual(expected);
    host.clearFaults();
  });

  it('report a rate limit for the setting that hit it', async () => {
    const repository = await add();
    const effect = { kind: 'primary-limit', status: 403, resetSeconds: 60 } as const;
    await host.fault({ match: 'GET */actions/permissions/workflow', effect });
    expect((await settingsAt('900', repository)).workflowToken).toEqual({ missing: 'rate_limited' });
  });

  it('report settings as offline if the installation is gone or fails twice', async () => {
    const repository = await add();
    expect(await codeHost.readSettings('1', at(repository))).toEqual({ missing: 'offline' });
    expect(await codeHost.readSettings('x', at(repository))).toEqual({ missing: 'offline' });
    await host.fault({ match: 'GET */actions/permissions/workflow', times: 2, effect: { kind: 'hang' } });
    const read = await connect(300).readSettings('900', at(repository));
    expect(read).toMatchObject({ value: { workflowToken: { missing: 'offline' } } });
  });
});

describe('settings', () => {
  it('of a fully protected repository are read', async () => {
    const settings = await settingsAt('900', await add({ visibility: 'public' }));
    expect(settings.branch).toEqual({
      value: {
        name: 'main',
        pullRequest: true,
        approvals: 1,
        dismissesStaleApprovals: true,
        lastPushNeedsApproval: true,
        codeOwnersApprove: false,
        conversationsResolved: true,
        forcePushes: false,
        deletion: false,
        signatures: true,
        linearHistory: true,
        locked: false,
        mergeQueue: false,
        upToDate: true,
        checks: [{ name: 'test', bound: true }],
        requiredWorkflows: false,
        idleRulesets: [],
      },
    });
    expect(settings).toMatchObject({
      bypasses: { value: [] },
      actionsPolicy: { value: { allowed: 'selected', pinsRequired: true, selected: { ofCodeHost: true } } },
      forkWorkflows: { value: { kind: 'public', approvalFor: 'all-outsiders' } },
      tags: { value: { total: 0, rulesets: [{ name: 'tags', blocks: ['creation', 'update', 'deletion'] }] } },
      secretScanning: { value: { enabled: true, pushProtection: true } },
      releases: { value: { any: false } },
      runners: { value: [] },
      identitySubject: { value: null },
    });
  });

  it('combine classic protection and active rulesets, but not rulesets in evaluation mode', async () => {
    const settings = await settingsAt('900', await add({ settings: LOOSE }));
    expect(settings.branch).toMatchObject({
      value: {
        pullRequest: true,
        approvals: 2,
        dismissesStaleApprovals: false,
        forcePushes: true,
        deletion: false,
        checks: [
          { name: 'lint', bound: false },
          { name: 'test', bound: true },
        ],
        idleRulesets: ['trial'],
      },
    });
    expect(settings.bypasses).toEqual({
      value: [
        { kind: 'admins', who: 'administrators', mode: 'always', from: 'branch protection' },
        { kind: 'app', who: 'the app release-bot', mode: 'always', from: 'merge' },
        { kind: 'team', who: 'the team leads', mode: 'pull-request', from: 'merge' },
      ],
    });
  });

  it('keep only the host of webhook addresses', async () => {
    const url = 'http://hooks.example/x?token=hunter2';
    const hook = { url, active: true, secret: false, insecure_ssl: '1', events: ['push'] } as const;
    const settings = await settingsAt('900', await add({ settings: { hooks: [hook] } }));
    expect(settings.webhooks).toEqual({
      value: [
        {
          host: 'hooks.example',
          active: true,
          encrypted: false,
          verifiesCertificate: false,
          signed: false,
          events: ['push'],
        },
      ],
    });
  });

  it('read code owners from the file that GitHub uses', async () => {
    const files = {
      [CI]: WORKFLOW,
      '.github/CODEOWNERS': '# Everything\n* @team/all\n/.github/ @ada @bob # both\n/docs/\n',
      CODEOWNERS: '* @nobody\n',
    };
    const settings = { codeownersErrors: [{ kind: 'Unknown owner', line: 2 }] };
    expect((await settingsAt('900', await add({ files, settings }))).codeowners).toEqual({
      value: {
        rules: [
          { pattern: '*', owners: 1 },
          { pattern: '/.github/', owners: 2 },
          { pattern: '/docs/', owners: 0 },
        ],
        errors: [{ line: 2, kind: 'Unknown owner' }],
      },
    });
    expect((await settingsAt('900', await add())).codeowners).toEqual({ value: null });
  });

  it('have no branch without a commit', async () => {
    expect((await settingsAt('900', await add({ files: {} }))).branch).toEqual({ value: null });
  });

  it('report immutable releases as off if the API answers 404', async () => {
    const repository = await add({ settings: { latestRelease: 'v1', immutableReleases: false } });
    expect((await settingsAt('900', repository)).releases).toEqual({ value: { any: true, immutable: false } });
    host.world.updateRepository(repository, { settings: { ...repository.settings, immutableReleases: true } });
    expect((await settingsAt('900', repository)).releases).toEqual({ value: { any: true, immutable: true } });
  });
});

const LOOSE: NonNullable<Parameters<CodeHostForTests['addRepository']>[0]['settings']> = {
  protection: {
    ...OLD_PROTECTION,
    requiredApprovingReviewCount: 2,
    requiresStatusChecks: true,
    requiredStatusChecks: [
      { context: 'lint', app: null },
      { context: 'test', app: 'github-actions' },
    ],
    allowsDeletions: true,
  },
  rulesets: [
    {
      id: 3,
      name: 'merge',
      target: 'BRANCH',
      enforcement: 'ACTIVE',
      include: ['~DEFAULT_BRANCH'],
      rules: { DELETION: null },
      bypass: [
        { bypassMode: 'PULL_REQUEST', team: 'leads' },
        { bypassMode: 'ALWAYS', app: 'release-bot' },
      ],
    },
    {
      id: 4,
      name: 'trial',
      target: 'BRANCH',
      enforcement: 'EVALUATE',
      include: ['~DEFAULT_BRANCH'],
      rules: { NON_FAST_FORWARD: null },
    },
  ],
};

async function settingsAt(installationId: string, repository: Repository): Promise<SettingsFacts> {
  const read = await codeHost.readSettings(installationId, at(repository));
  if ('missing' in read) throw new Error(`No settings: ${read.missing}`);
  return read.value;
}

async function tokenSettings(repository: Repository): Promise<SettingsFacts['workflowToken']> {
  return (await settingsAt('900', repository)).workflowToken;
}
