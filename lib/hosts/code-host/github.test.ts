import { inspect } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '#lib/errors.ts';
import type { Effect } from '#lib/simulator/faults.ts';
import { type CodeHostForTests, startCodeHost } from '../../../tests/support/code-host.ts';
import { createCodeHost } from './github.ts';
import type { CodeHost, RepositorySnapshot } from './port.ts';

const WORKFLOW = 'on: push\njobs:\n  test:\n    runs-on: ubuntu-24.04\n    steps:\n      - run: npm test\n';
const ACTION = 'name: Set up\nruns:\n  using: composite\n  steps: []\n';

let host: CodeHostForTests;
let codeHost: CodeHost;

beforeAll(async () => {
  host = await startCodeHost();
});
afterAll(() => host.stop());
beforeEach(async () => {
  codeHost = connect();
  await host.log();
});

function connect(options: { token?: string; timeoutMs?: number } = {}): CodeHost {
  const { apiUrl, graphqlUrl, publicToken: token } = host;
  return createCodeHost({ apiUrl, graphqlUrl, token, ...options });
}

function textOf({ files }: RepositorySnapshot, path: string): string | undefined {
  return files.find((file) => file.path === path)?.text;
}

function problemOf({ files }: RepositorySnapshot, path: string): string | undefined {
  return files.find((file) => file.path === path)?.problem?.message;
}

async function failureOf(read: Promise<unknown>): Promise<AppError> {
  const error: unknown = await read.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AppError);
  return error as AppError;
}

async function queries(): Promise<(string | undefined)[]> {
  return (await host.log()).map(({ operation, fault }) => operation ?? fault);
}

describe('reading a repository', () => {
  it('costs one request without local actions', async () => {
    const { id } = await host.addRepository({
      fullName: 'octo/one',
      files: {
        '.github/workflows/ci.yml': WORKFLOW,
        '.github/workflows/notes.md': 'No workflow.',
        '.github/workflows/old/ci.yml': 'Not run by the code host.',
        '.github/dependabot.yml': 'version: 2\nupdates: []\n',
        '.github/chainbreak.yml': 'ignore: []\n',
        'action.yml': ACTION,
        'README.md': '# One',
      },
    });
    const snapshot = await codeHost.readPublicRepository('octo', 'one');
    expect(snapshot).toMatchObject({
      scmId: String(id),
      fullName: 'octo/one',
      htmlUrl: `${host.webUrl}/octo/one`,
      visibility: 'public',
      archived: false,
      empty: false,
      defaultBranch: 'main',
      commit: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
      workflowFiles: 1,
      unread: [],
    });
    expect(snapshot.files).toEqual([
      { path: '.github/chainbreak.yml', text: 'ignore: []\n' },
      { path: '.github/dependabot.yml', text: 'version: 2\nupdates: []\n' },
      { path: '.github/workflows/ci.yml', text: WORKFLOW },
      { path: 'action.yml', text: ACTION },
    ]);
    expect(await queries()).toEqual(['RepositoryFiles']);
  });

  it('costs two requests with local actions, wherever workflows name them', async () => {
    await host.addRepository({
      fullName: 'octo/actions',
      files: {
        '.github/workflows/ci.yml': `${WORKFLOW}      - uses: ./tools/lint/\n      - { uses: "./tools/none" }\n`,
        '.github/actions/setup/action.yml': ACTION,
        '.github/actions/setup/index.js': 'throw new Error();',
        '.github/actions/group/deep/action.yaml': ACTION,
        'tools/lint/action.yaml': `${ACTION}  # uses: ./tools/nested\n`,
        'tools/unused/action.yml': ACTION,
      },
    });
    const snapshot = await codeHost.readPublicRepository('octo', 'actions');
    expect(snapshot.files.map(({ path }) => path)).toEqual([
      '.github/actions/group/deep/action.yaml',
      '.github/actions/setup/action.yml',
      '.github/workflows/ci.yml',
      'tools/lint/action.yaml',
    ]);
    expect(snapshot.unread).toEqual(['tools/nested/action.yml']);
    expect(await queries()).toEqual(['RepositoryFiles', 'MoreFiles']);
  });

  it('uses one commit, even during a push', async () => {
    const workflow = '.github/workflows/ci.yml';
    const action = '.github/actions/a/action.yml';
    await host.addRepository({ fullName: 'octo/moving', files: { [workflow]: WORKFLOW, [action]: ACTION } });
    await host.fault({ match: 'POST /api/graphql', effect: { kind: 'drip', bytes: 200, pauseMs: 40 } });
    const reading = codeHost.readPublicRepository('octo', 'moving');
    await expect.poll(async () => (await queries()).length).toBe(1);
    const { before } = await host.push('octo/moving', { files: { [workflow]: WORKFLOW, [action]: 'name: Changed\n' } });
    const snapshot = await reading;
    expect(snapshot.commit).toBe(before);
    expect(textOf(snapshot, action)).toBe(ACTION);
  });

  it('lists the files beyond the second request', async () => {
    const names = Array.from(
      { length: 130 },
      (_, index) => `.github/actions/a${String(index).padStart(3, '0')}/action.yml`,
    );
    await host.addRepository({
      fullName: 'octo/many',
      files: Object.fromEntries([['.github/workflows/ci.yml', WORKFLOW], ...names.map((name) => [name, ACTION])]),
    });
    const snapshot = await codeHost.readPublicRepository('octo', 'many');
    expect(snapshot.files).toHaveLength(101);
    expect(snapshot.unread).toEqual(names.slice(100));
    expect(await queries()).toHaveLength(2);
  });

  it('finds a former name in any case, and returns the canonical one', async () => {
    await host.addRepository({ fullName: 'Octo/Renamed', formerNames: ['octo/before'], files: { 'a.txt': 'a' } });
    expect((await codeHost.readPublicRepository('octo', 'BEFORE')).fullName).toBe('octo/Renamed');
    expect((await codeHost.readPublicRepository('octo', 'renamed')).fullName).toBe('octo/Renamed');
  });

  it('returns an empty repository without a commit', async () => {
    await host.addRepository({ fullName: 'octo/empty' });
    expect(await codeHost.readPublicRepository('octo', 'empty')).toMatchObject({
      empty: true,
      defaultBranch: null,
      commit: null,
      files: [],
      workflowFiles: 0,
    });
  });

  it('reports archived repositories, missing workflows and other default branches', async () => {
    const files = { 'README.md': '# Old' };
    await host.addRepository({ fullName: 'octo/old', archived: true, defaultBranch: 'trunk', files });
    expect(await codeHost.readPublicRepository('octo', 'old')).toMatchObject({
      archived: true,
      empty: false,
      defaultBranch: 'trunk',
      workflowFiles: 0,
      files: [],
    });
  });

  it('tolerates a file where a folder is expected', async () => {
    const files = { '.github/workflows': 'a file', '.github/actions': { link: '../elsewhere' }, 'action.yml/x': 'y' };
    await host.addRepository({ fullName: 'octo/odd', files });
    expect(await codeHost.readPublicRepository('octo', 'odd')).toMatchObject({ files: [], unread: [] });
  });
});

describe('what is not public', () => {
  it.each(['private', 'internal'] as const)(
    '%s is indistinguishable from missing, even if the token can see it',
    async (visibility) => {
      const name = `hidden-${visibility}`;
      await host.addRepository({
        fullName: `secretive/${name}`,
        visibility,
        files: { '.github/workflows/ci.yml': WORKFLOW },
      });
      const owner = host.world.account('secretive');
      const member = host.world.addAccount({ login: 'member', type: 'User' });
      if (owner !== undefined) host.world.addMember(owner, member, 'member');
      const own = connect({ token: host.tokenOf('member', { throughApp: false }) });
      const hidden = await failureOf(own.readPublicRepository('secretive', name));
      expect(hidden).toMatchObject({ code: 'not-found', message: `There is no public repository secretive/${name}.` });
      expect((await failureOf(codeHost.readPublicRepository('secretive', name))).message).toBe(hidden.message);
      expect((await failureOf(codeHost.readPublicRepository('secretive', 'nothing'))).message).toBe(
        'There is no public repository secretive/nothing.',
      );
      expect(await own.readRepository('secretive', name)).toMatchObject({ visibility, workflowFiles: 1 });
      expect(await failureOf(codeHost.readRepository('secretive', name))).toMatchObject({ code: 'not-found' });
    },
  );

  it.each(['../etc', '..', 'a b', 'a"b', 'a\nb', '', 'x'.repeat(101)])(
    'requests nothing for the name %j',
    async (name) => {
      expect(await failureOf(codeHost.readPublicRepository('octo', name))).toMatchObject({ code: 'not-found' });
      expect(await host.log()).toEqual([]);
    },
  );
});

describe('an unreadable file has a reason and no partial text', () => {
  it('beyond 512,000 bytes, binary, not UTF-8, or a symbolic link', async () => {
    const line = '# 34 bytes of a comment, this one\n';
    await host.addRepository({
      fullName: 'octo/files',
      files: {
        '.github/workflows/at-limit.yml': 'x'.repeat(512_000),
        '.github/workflows/truncated.yml': line.repeat(16_000),
        '.github/workflows/binary.yml': new Uint8Array([0x6f, 0x6e, 0x00, 0x01]),
        '.github/workflows/late-nul.yml': `${line.repeat(400)}\0`,
        '.github/workflows/latin1.yml': new Uint8Array([0x6f, 0x6e, 0x3a, 0x20, 0xe9, 0x0a]),
        '.github/workflows/replacement.yml': 'on: push # \uFFFD\n',
        '.github/workflows/bom.yml': `\uFEFF${WORKFLOW}`,
        '.github/workflows/link.yml': { link: '../../ci.yml' },
        '.github/workflows/executable.yml': { executable: WORKFLOW },
        '.github/actions/a/action.yml': { link: '../b/action.yml' },
        'action.yml': { link: 'elsewhere.yml' },
      },
    });
    const snapshot = await codeHost.readPublicRepository('octo', 'files');
    const at = (name: string): string => `.github/workflows/${name}.yml`;
    expect(textOf(snapshot, at('at-limit'))).toHaveLength(512_000);
    expect(problemOf(snapshot, at('truncated'))).toContain('544000 bytes');
    expect(problemOf(snapshot, at('binary'))).toBe('The file is not text.');
    expect(problemOf(snapshot, at('late-nul'))).toContain('NUL');
    expect(problemOf(snapshot, at('latin1'))).toContain('UTF-8');
    expect(textOf(snapshot, at('replacement'))).toBe('on: push # \uFFFD\n');
    expect(textOf(snapshot, at('bom'))).toBe(`\uFEFF${WORKFLOW}`);
    expect(textOf(snapshot, at('executable'))).toBe(WORKFLOW);
    for (const path of [at('link'), '.github/actions/a/action.yml', 'action.yml']) {
      expect(problemOf(snapshot, path)).toContain('symbolic link');
    }
    expect(snapshot.files.filter((file) => file.problem !== undefined && file.text !== undefined)).toEqual([]);
    expect(snapshot.workflowFiles).toBe(9);
  });

  it('is refused if oversized, without buffering it', async () => {
    const large = 'y'.repeat(511_000);
    const files = Array.from({ length: 70 }, (_, index) => [`.github/workflows/${index}.yml`, large]);
    await host.addRepository({ fullName: 'octo/huge', files: Object.fromEntries(files) as Record<string, string> });
    const error = await failureOf(codeHost.readPublicRepository('octo', 'huge'));
    expect(error).toMatchObject({
      code: 'scm-unreachable',
      message: expect.stringContaining('too large to scan') as string,
    });
    expect(await queries()).toHaveLength(1);
  });
});

describe('when the code host fails', () => {
  beforeAll(() =>
    host.addRepository({
      fullName: 'octo/faulty',
      files: { '.github/workflows/ci.yml': WORKFLOW, '.github/actions/a/action.yml': ACTION },
    }),
  );
  const fault = (effect: Effect, times = 1): Promise<void> => host.fault({ match: 'POST /api/graphql', times, effect });
  const read = (from = codeHost): Promise<RepositorySnapshot> => from.readPublicRepository('octo', 'faulty');

  it.each<[string, Effect]>([
    ['502', { kind: 'status', status: 502 }],
    ['504', { kind: 'status', status: 504 }],
    ['a cut connection', { kind: 'reset' }],
    ['a cut answer', { kind: 'reset', after: 'headers' }],
    [
      'a list left out',
      { kind: 'partial', path: ['repository', 'workflows'], type: 'RESOURCE_LIMITS_EXCEEDED', message: 'x' },
    ],
    [
      'no data',
      {
        kind: 'status',
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: '{"data":null,"errors":[{"message":"Something went wrong"}]}',
      },
    ],
  ])('retries once after %s and reports the actions as unread', async (_, effect) => {
    await fault(effect);
    const snapshot = await read();
    expect(snapshot.workflowFiles).toBe(1);
    expect(snapshot.unread).toEqual(['.github/actions/a/action.yml']);
    expect(await host.log()).toHaveLength(2);
  });

  it.each<[string, Effect, string]>([
    ['502', { kind: 'status', status: 502 }, 'failed to answer'],
    ['a cut connection', { kind: 'reset' }, 'could not be reached'],
    ['a hang', { kind: 'hang' }, 'too long'],
    ['a drip', { kind: 'drip', bytes: 10, pauseMs: 50 }, 'too long'],
  ])('reports unreachable after two requests with %s', async (_, effect, message) => {
    await fault(effect, 2);
    const started = performance.now();
    const error = await failureOf(read(connect({ timeoutMs: 800 })));
    expect(error).toMatchObject({ code: 'scm-unreachable', message: expect.stringContaining(message) as string });
    expect(performance.now() - started).toBeLessThan(6_000);
    expect(await host.log()).toHaveLength(2);
  });

  it.each<[string, Effect]>([
    ['502', { kind: 'status', status: 502 }],
    ['a limit', { kind: 'secondary-limit', status: 403, retryAfterSeconds: 5 }],
    ['a file left out', { kind: 'partial', path: ['repository', 'p0'], type: 'SERVICE_UNAVAILABLE', message: 'x' }],
    ['a repository that went private', { kind: 'partial', path: ['repository'], type: 'NOT_FOUND', message: 'x' }],
  ])('keeps the workflows if the second request fails with %s', async (_, effect) => {
    await host.fault({ match: 'POST /api/graphql', skip: 1, effect });
    expect(await read()).toMatchObject({ workflowFiles: 1, unread: ['.github/actions/a/action.yml'] });
    expect(await host.log()).toHaveLength(2);
  });

  it('reports a file omitted by GraphQL', async () => {
    const path = ['repository', 'workflows', 'entries', '0', 'object'];
    await fault({ kind: 'partial', path, type: 'SERVICE_UNAVAILABLE', message: 'x' });
    const snapshot = await read();
    expect(problemOf(snapshot, '.github/workflows/ci.yml')).toContain('did not return the content');
    expect(snapshot.unread).toEqual([]);
  });

  it.each<[string, Effect, number, number]>([
    ['the hourly budget, 403', { kind: 'primary-limit', status: 403, resetSeconds: 90 }, 85, 91],
    ['the hourly budget, 429', { kind: 'primary-limit', status: 429, resetSeconds: 90 }, 85, 91],
    ['the hourly budget of GraphQL, 200', { kind: 'primary-limit', status: 200, resetSeconds: 90 }, 85, 91],
    [
      'the hourly budget of GraphQL, by its other name',
      {
        kind: 'status',
        status: 200,
        headers: { 'content-type': 'application/json', 'retry-after': '30' },
        body: '{"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded"}]}',
      },
      30,
      30,
    ],
    ['the pace, with a hint', { kind: 'secondary-limit', status: 403, retryAfterSeconds: 7 }, 7, 7],
    ['the pace, 429 without a hint', { kind: 'secondary-limit', status: 429 }, 60, 60],
    ['the pace, 403 without a hint', { kind: 'secondary-limit', status: 403 }, 60, 60],
  ])('does not retry after %s, and makes later requests wait', async (_, effect, least, most) => {
    await fault(effect);
    const error = await failureOf(read());
    expect(error.code).toBe('scm-unreachable');
    expect(error.retryAfterSeconds).toBeGreaterThanOrEqual(least);
    expect(error.retryAfterSeconds).toBeLessThanOrEqual(most);
    expect(await host.log()).toHaveLength(1);
    const next = await failureOf(read());
    expect(next.retryAfterSeconds).toBeGreaterThan(0);
    expect(await host.log()).toEqual([]);
  });

  it.each<[string, Effect, string]>([
    ['a page instead of JSON', { kind: 'status', status: 200, body: '<html>' }, 'not understood'],
    [
      'JSON of another shape',
      {
        kind: 'status',
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: '{"data":{"repository":{"databaseId":"x"}}}',
      },
      'not understood',
    ],
    [
      'a redirect elsewhere',
      { kind: 'status', status: 302, headers: { location: 'http://127.0.0.1:1/' } },
      'could not be reached',
    ],
    ['403 without a limit', { kind: 'status', status: 403 }, 'refused our credentials'],
  ])('reports %s as unreachable', async (_, effect, message) => {
    await fault(effect, 2);
    const error = await failureOf(read());
    expect(error).toMatchObject({ code: 'scm-unreachable', message: expect.stringContaining(message) as string });
    const sent = (await host.log()).length;
    if (sent === 1) await fetch(host.graphqlUrl, { method: 'POST', redirect: 'manual' });
    expect(sent).toBe(message.includes('reached') ? 2 : 1);
  });

  it('keeps numbers beyond 2^53 exact', async () => {
    const repository = {
      databaseId: 0,
      nameWithOwner: 'octo/faulty',
      url: 'https://example.com/octo/faulty',
      visibility: 'PUBLIC',
      isArchived: false,
      isFork: false,
      isDisabled: false,
      isEmpty: true,
      defaultBranchRef: null,
    };
    const empty = [
      'root',
      'github',
      'workflows',
      'actions',
      'actionYml',
      'actionYaml',
      'dependabotYml',
      'dependabotYaml',
      'configYml',
      'configYaml',
    ];
    const data = { repository: { ...repository, ...Object.fromEntries(empty.map((name) => [name, null])) } };
    const body = JSON.stringify({ data }).replace('"databaseId":0', '"databaseId":9007199254740993');
    await fault({ kind: 'status', status: 200, headers: { 'content-type': 'application/json' }, body });
    expect((await read()).scmId).toBe('9007199254740993');
  });

  it('refuses a wrong token without leaking it', async () => {
    const token = 'ghp_aTokenThatNobodyShouldSee';
    const error = await failureOf(read(connect({ token })));
    expect(error).toMatchObject({ code: 'scm-unreachable', message: 'The code host refused our credentials.' });
    expect(inspect(error, { depth: 10 })).not.toContain(token);
    expect(await host.log()).toHaveLength(1);
  });

  it('reports a refused connection as unreachable', async () => {
    const nowhere = createCodeHost({
      apiUrl: 'http://127.0.0.1:9/api/v3',
      graphqlUrl: 'http://127.0.0.1:9/api/graphql',
      token: 'x',
    });
    expect(await failureOf(read(nowhere))).toMatchObject({ code: 'scm-unreachable' });
  });
});

it('never sends a token over an unencrypted connection', () => {
  const open = {
    apiUrl: 'http://github.example.com/api/v3',
    graphqlUrl: 'https://github.example.com/api/graphql',
    token: 'x',
  };
  expect(() => createCodeHost(open)).toThrow(/https/);
});
