import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Repository } from '#lib/simulator/model.ts';
import type { Push } from '#lib/simulator/push.ts';
import { type CodeHostForTests, startCodeHost } from '../../../tests/support/code-host.ts';
import { createCodeHostApp } from './app.ts';
import type { CodeHostApp } from './port.ts';

const GRANTS = { metadata: 'read', contents: 'read', checks: 'write' } as const;
const CI = '.github/workflows/ci.yml';

let host: CodeHostForTests;
let codeHost: CodeHostApp;

beforeAll(async () => {
  host = await startCodeHost();
  const team = host.world.addAccount({ login: 'team', type: 'Organization' });
  host.world.addInstallation({ id: 900, accountId: team.id, permissions: GRANTS });
  const { apiUrl, graphqlUrl, webUrl, app } = host;
  codeHost = createCodeHostApp({ apiUrl, graphqlUrl, webUrl, app: { ...app, id: String(app.id) } });
});
afterAll(() => host.stop());
afterEach(() => host.clearFaults());

type Files = Readonly<Record<string, string>>;

let made = 0;
async function repositoryWith(files: Files): Promise<Repository> {
  made += 1;
  return host.addRepository({ fullName: `team/app-${made}`, visibility: 'private', files });
}

interface Changed {
  readonly repository: Repository;
  readonly base: string;
  readonly head: string;
}

async function headOf(repository: Repository): Promise<string> {
  return (await host.world.git(repository).object('HEAD'))?.oid ?? '';
}

async function change(before: Files, after: Push['files']): Promise<Changed> {
  const repository = await repositoryWith(before);
  const fullName = host.world.fullNameOf(repository);
  const pushed = await host.push(fullName, { branch: 'topic', files: after, by: host.world.ownerOf(repository) });
  return { repository, base: await headOf(repository), head: pushed.after };
}

async function read({ repository, base, head }: Changed) {
  const place = { scmId: String(repository.id), fullName: host.world.fullNameOf(repository) };
  await host.log();
  const found = await codeHost.readChange('900', place, { base, head });
  const requests = (await host.log())
    .filter(({ path }) => !path.includes('/app/installations'))
    .map(({ operation, method, path }) => operation ?? `${method} ${path.replace(/^.*\/repos\/team\/[\w-]+/, '')}`);
  if (!found.isRelevant) return { ...found, requests };
  const textsOf = (files: typeof found.base) =>
    Object.fromEntries(files.map(({ path, text, problem }) => [path, text ?? problem?.message]));
  return { ...found, base: textsOf(found.base), head: textsOf(found.head), requests };
}

const COMPARED = expect.stringMatching(/^GET \/compare\//);
const forty = Object.fromEntries(
  Array.from({ length: 40 }, (_, index) => [
    `.github/workflows/w${String(index).padStart(2, '0')}.yml`,
    `# ${index}\n`,
  ]),
);

describe('both sides of a change', () => {
  it('cost one request when no file that a scan reads has changed', async () => {
    const changed = await change(
      { [CI]: 'on: push\n', 'a.txt': 'a' },
      { [CI]: 'on: push\n', 'b.txt': 'b', 'src/ci.yml': '' },
    );
    expect(await read(changed)).toEqual({ isRelevant: false, mergeBase: changed.base, requests: [COMPARED] });
  });

  it('cost two requests when one of forty workflows has changed, of which the head’s text is read', async () => {
    const changed = await change(forty, { ...forty, '.github/workflows/w07.yml': '# new\n' });
    const { requests, ...found } = await read(changed);
    expect(requests).toEqual([COMPARED, 'ChangedFiles']);
    expect(found).toEqual({
      isRelevant: true,
      mergeBase: changed.base,
      visibility: 'private',
      base: forty,
      head: { ...forty, '.github/workflows/w07.yml': '# new\n' },
      unread: [],
    });
  });

  it('have files that were added, removed and moved', async () => {
    const text = 'on: push\njobs: {}\n# one\n# two\n# three\n';
    const before = { [CI]: text, '.github/dependabot.yml': 'version: 2\n', '.github/workflows/old.yml': 'on: push\n' };
    const after = {
      '.github/workflows/moved.yml': text,
      '.github/chainbreak.yml': 'ignore: []\n',
      'action.yml': 'name: a\n',
    };
    expect(await read(await change(before, after))).toMatchObject({ base: before, head: after });
  });

  it('are the merge base and the head, whatever happened to the base since', async () => {
    const changed = await change({ [CI]: 'on: push\n' }, { [CI]: 'on: pull_request\n' });
    const fullName = host.world.fullNameOf(changed.repository);
    await host.push(fullName, { files: { [CI]: 'on: workflow_dispatch\n' } });
    const moved = { ...changed, base: await headOf(changed.repository) };
    expect(await read(moved)).toMatchObject({
      mergeBase: changed.base,
      base: { [CI]: 'on: push\n' },
      head: { [CI]: 'on: pull_request\n' },
    });
  });

  it('include local actions, also those that only the head uses, for one request more', async () => {
    const uses = (path: string) => `on: push\njobs: { a: { runs-on: x, steps: [{ uses: ./${path} }] } }\n`;
    const before = {
      [CI]: uses('tools/one'),
      'tools/one/action.yml': 'name: one\n',
      'tools/two/action.yml': 'name: two\n',
      '.github/actions/three/action.yml': 'name: three\n',
    };
    const after = {
      ...before,
      '.github/workflows/more.yml': uses('tools/two'),
      '.github/actions/three/action.yml': 'name: 3\n',
    };
    const { requests, ...found } = await read(await change(before, after));
    expect(requests).toEqual([COMPARED, 'ChangedFiles', 'MoreFiles']);
    expect(found).toMatchObject({ base: before, head: after, unread: [] });
  });

  it('include a removed local action on the side of the base alone', async () => {
    const before = { [CI]: 'on: push\n', '.github/actions/one/action.yml': 'name: one\n' };
    expect(await read(await change(before, { [CI]: 'on: push\n' }))).toMatchObject({
      base: before,
      head: { [CI]: 'on: push\n' },
    });
  });

  it('are read whole when more than a hundred files have changed', async () => {
    const many = Object.fromEntries(
      Object.keys(forty).flatMap((path) => [0, 1, 2].map((n) => [path.replace('.yml', `-${n}.yml`), 'x\n'])),
    );
    const { requests, ...found } = await read(await change(forty, many));
    expect(requests).toEqual([COMPARED, 'ChangedFiles', 'ChangedFiles']);
    expect(found).toMatchObject({ base: forty, head: many });
  });

  it('are read whole when the code host does not name all changed files', async () => {
    const texts = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`.a/${index}.txt`, `${index}`]));
    const { requests, ...found } = await read(
      await change({ [CI]: 'on: push\n' }, { ...texts, [CI]: 'on: pull_request\n' }),
    );
    expect(requests).toEqual([COMPARED, 'ChangedFiles', 'ChangedFiles']);
    expect(found).toMatchObject({ base: { [CI]: 'on: push\n' }, head: { [CI]: 'on: pull_request\n' } });
  });

  it('tell symbolic links, binary and cut files from text', async () => {
    const after = {
      [CI]: { link: '../../x.yml' },
      '.github/workflows/binary.yml': 'a\0b',
      '.github/workflows/large.yml': `# ${'x'.repeat(600_000)}`,
    };
    expect(await read(await change({ [CI]: 'on: push\n' }, after))).toMatchObject({
      head: {
        [CI]: expect.stringContaining('symbolic link'),
        '.github/workflows/binary.yml': expect.stringContaining('not text'),
        '.github/workflows/large.yml': expect.stringContaining('was not analysed'),
      },
    });
  });

  it('are read with a token for the contents and check runs of this repository', async () => {
    const changed = await change({ [CI]: 'on: push\n' }, { [CI]: 'on: pull_request\n' });
    const place = { scmId: String(changed.repository.id), fullName: host.world.fullNameOf(changed.repository) };
    await host.log();
    await codeHost.readChange('900', place, changed);
    const tokens = (await host.log()).flatMap(({ token }) => token ?? []);
    expect(tokens).toHaveLength(2);
    for (const { permissions, repositoryIds } of tokens) {
      expect(permissions).toEqual({ metadata: 'read', contents: 'read', checks: 'write' });
      expect(repositoryIds).toEqual([changed.repository.id]);
    }
  });
});

describe('what cannot be read', () => {
  it('is a commit that is gone, and a repository of another number', async () => {
    const changed = await change({ [CI]: 'on: push\n' }, { [CI]: 'on: pull_request\n' });
    const other = await repositoryWith({ [CI]: 'on: push\n' });
    for (const wrong of [
      { ...changed, head: '1'.repeat(40) },
      { ...changed, base: 'main' },
      { ...changed, repository: { ...changed.repository, id: other.id } },
    ]) {
      await expect(read(wrong)).rejects.toMatchObject({ code: 'not-found' });
    }
  });

  it.each([
    ['a refusal', 'GET /repos/*/compare/*', { kind: 'status', status: 403 }, undefined],
    ['an outage', 'POST /api/graphql', { kind: 'status', status: 502 }, undefined],
    ['a limit', 'GET /repos/*/compare/*', { kind: 'primary-limit', status: 403, resetSeconds: 1 }, expect.any(Number)],
  ] as const)('reports %s of the code host', async (_, match, effect, retryAfterSeconds) => {
    const changed = await change({ [CI]: 'on: push\n' }, { [CI]: 'on: pull_request\n' });
    await host.fault({ match, times: 5, effect });
    await expect(read(changed)).rejects.toMatchObject({ code: 'scm-unreachable', retryAfterSeconds });
  });
});
