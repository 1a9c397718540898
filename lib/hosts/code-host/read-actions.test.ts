import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { NetworkFacts } from '#lib/facts/facts.ts';
import { actionsUsedBy, type UsedAction } from '#lib/workflow/model/action-uses.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { type CodeHostForTests, startCodeHost } from '../../../tests/support/code-host.ts';
import { createCodeHost } from './github.ts';
import type { CodeHost } from './port.ts';

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

function connect(options: { token?: string; timeoutMs?: number; holdsAllActions?: boolean } = {}): CodeHost {
  const { apiUrl, graphqlUrl, publicToken: token } = host;
  return createCodeHost({ apiUrl, graphqlUrl, token, holdsAllActions: true, ...options });
}

function using(...lines: readonly string[]): UsedAction[] {
  const steps = lines.map((line) => `      - uses: ${line}\n`).join('');
  const text = `on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n${steps}`;
  return actionsUsedBy(createRepository([{ path: '.github/workflows/ci.yml', text }]));
}

async function read(...lines: readonly string[]): Promise<NetworkFacts> {
  const facts = await codeHost.readActions(using(...lines));
  if ('missing' in facts) throw new Error(facts.missing);
  return facts.value;
}

async function requests(): Promise<string[]> {
  return (await host.log()).map(({ operation, path }) => operation ?? path.replace(/^\/api\/v3/, ''));
}

async function addAction(fullName: string): Promise<{ first: string; second: string; third: string }> {
  const repository = await host.addRepository({ fullName, files: { 'action.yml': ACTION } });
  const { after: first } = await host.push(fullName, { files: { 'action.yml': `${ACTION}# 1\n` } });
  const { after: second } = await host.push(fullName, { files: { 'action.yml': `${ACTION}# 2\n` } });
  const { after: third } = await host.push(fullName, { files: { 'action.yml': `${ACTION}# 3\n` } });
  await host.world.tag(repository, 'v1.0.0', first);
  await host.world.tag(repository, 'v1', second, true);
  return { first, second, third };
}

describe('actions of a workflow', () => {
  it('are read with tags, branches, commits and definitions, many per request', async () => {
    const { first, second, third } = await addAction('octo/one');
    await host.addRepository({ fullName: 'octo/two', archived: true, files: { 'sub/action.yaml': ACTION } });
    const facts = await read(`octo/one@${first} # v1.0.0`, 'octo/one@v1', 'octo/two/sub@main', 'Octo/One@v9');
    expect(await requests()).toEqual(['Actions']);
    const one = facts.actions.get('octo/one');
    expect(one?.tags).toEqual(
      new Map([
        ['v1', second],
        ['v1.0.0', first],
      ]),
    );
    expect(one?.branches).toEqual(new Map([['main', third]]));
    expect([...(one?.tagObjects?.values() ?? [])]).toEqual([second]);
    expect(one?.partial).toEqual(new Set());
    expect(one?.commits).toEqual(new Map([[first, 'own']]));
    expect(one?.absent).toContain('refs/tags/v9');
    expect(one?.definitions?.get(`@${first}`)).toBe(`${ACTION}# 1\n`);
    expect(one?.definitions?.get('@v1')).toBe(`${ACTION}# 2\n`);
    expect(facts.actions.get('octo/two')?.definitions).toEqual(new Map([['sub@main', ACTION]]));
    expect([...facts.actions.values()].map(({ archived }) => archived)).toEqual([false, true]);
    expect(facts.unread).toEqual([]);
  });

  it('are cached by the process', async () => {
    await addAction('octo/again');
    await read('octo/again@v1');
    await read('octo/again@v1');
    expect(await requests()).toEqual(['Actions']);
    await read('octo/again@v1.0.0');
    expect(await requests()).toEqual(['Actions']);
  });

  it('are split into several requests if there are many', async () => {
    const names = Array.from({ length: 45 }, (_, index) => `octo/many-${index}`);
    await host.addRepositories(names.map((fullName) => ({ fullName, files: { 'action.yml': ACTION } })));
    const facts = await read(...names.map((name) => `${name}@main`));
    expect(facts.actions.size).toBe(45);
    expect(await requests()).toEqual(['Actions', 'Actions', 'Actions']);
  });

  it('cost nothing if unused', async () => {
    expect(await read('./local', 'docker://alpine:3')).toEqual({
      at: expect.any(Number),
      actions: new Map(),
      missing: new Map(),
      unread: [],
    });
    expect(await requests()).toEqual([]);
  });
});

describe('a pinned commit', () => {
  it('is recognized on the default branch between two tags', async () => {
    const { third } = await addAction('octo/between');
    await host.push('octo/between', { files: { 'action.yml': ACTION } });
    const facts = await read(`octo/between@${third}`);
    expect(facts.actions.get('octo/between')?.commits?.get(third)).toBe('own');
    expect((await requests()).slice(1)).toEqual([expect.stringMatching(/^\/repos\/octo\/between\/compare\//)]);
  });

  it('is recognized on another branch', async () => {
    await addAction('octo/branch');
    const push = (): ReturnType<CodeHostForTests['push']> =>
      host.push('octo/branch', { branch: 'releases/v2', files: { 'action.yml': ACTION } });
    const { after } = await push();
    await push();
    const facts = await read(`octo/branch@${after}`);
    expect(facts.actions.get('octo/branch')?.commits?.get(after)).toBe('own');
  });

  it('is attributed to a fork if no branch or tag contains it', async () => {
    await addAction('octo/forked');
    const { after } = await host.push('octo/forked', { branch: 'evil', files: { 'action.yml': 'name: Evil\n' } });
    const repository = host.world.repository('octo/forked');
    if (repository !== undefined) await host.world.deleteBranch(repository, 'evil');
    const facts = await read(`octo/forked@${after}`);
    expect(facts.actions.get('octo/forked')?.commits?.get(after)).toBe('foreign');
    expect(facts.unread).toEqual([]);
  });

  it('is missing if no repository has it', async () => {
    await addAction('octo/nowhere');
    const nowhere = 'f'.repeat(40);
    expect((await read(`octo/nowhere@${nowhere}`)).actions.get('octo/nowhere')?.commits?.get(nowhere)).toBe('missing');
  });

  it('is unread if it could not be compared, and retried', async () => {
    const { third } = await addAction('octo/unsure');
    await host.push('octo/unsure', { files: { 'action.yml': ACTION } });
    await host.fault({ match: 'GET /repos/octo/unsure/compare/*', times: 2, effect: { kind: 'status', status: 502 } });
    const facts = await read(`octo/unsure@${third}`);
    expect(facts.actions.get('octo/unsure')?.commits).toEqual(new Map());
    expect(facts.unread).toEqual([{ what: 'commits', name: `octo/unsure@${third}`, reason: 'offline' }]);
    const { actions, unread } = await read(`octo/unsure@${third}`);
    expect(actions.get('octo/unsure')?.commits?.get(third)).toBe('own');
    expect(unread).toEqual([]);
  });
});

describe('a missing repository', () => {
  it('is reported with the existence of its owner, in one more request', async () => {
    await addAction('octo/there');
    host.world.addAccount({ login: 'somebody', type: 'User' });
    const facts = await read('somebody/gone@v1', 'nobody-at-all/gone@v1', 'octo/there@v1');
    expect(facts.missing).toEqual(
      new Map([
        ['nobody-at-all/gone', { owner: 'absent' }],
        ['somebody/gone', { owner: 'exists' }],
      ]),
    );
    expect(await requests()).toEqual(['Actions', 'Owners']);
  });

  it('is unknown on a server that also runs actions from elsewhere', async () => {
    await addAction('octo/here');
    const facts = await connect({ holdsAllActions: false }).readActions(using('octo/gone@v1', 'octo/here@v1'));
    expect(facts).toMatchObject({
      value: { missing: new Map(), unread: [{ what: 'network', name: 'octo/gone', reason: 'unsupported_host' }] },
    });
  });

  it('is recognized as renamed, with the existence of its former owner', async () => {
    await host.addRepository({
      fullName: 'octo/new',
      formerNames: ['octo/old', 'former/old'],
      files: { 'a.txt': 'a' },
    });
    expect((await read('octo/old@main')).actions.get('octo/old')?.renamed).toEqual({
      to: 'octo/new',
      formerOwner: 'exists',
    });
    expect((await read('former/old@main')).actions.get('former/old')?.renamed).toEqual({
      to: 'octo/new',
      formerOwner: 'absent',
    });
  });
});

describe('a failure', () => {
  it.each([
    ['a limit', { kind: 'secondary-limit', status: 403, retryAfterSeconds: 5 }, 'rate_limited'],
    ['an outage', { kind: 'status', status: 502 }, 'offline'],
    ['a page instead of an answer', { kind: 'status', status: 200, body: '<html>' }, 'offline'],
    ['a refusal', { kind: 'status', status: 403 }, 'no_permission'],
  ] as const)('%s is reported as the reason', async (_, effect, reason) => {
    await addAction(`octo/trouble-${reason}-${effect.status}`);
    await host.fault({ match: 'POST /api/graphql', times: 2, effect });
    const facts = await codeHost.readActions(using(`octo/trouble-${reason}-${effect.status}@v1`));
    host.clearFaults();
    expect(facts).toEqual({ missing: reason });
  });

  it('of one repository does not affect others', async () => {
    await addAction('octo/fine');
    await addAction('octo/broken');
    await host.fault({
      match: 'POST /api/graphql',
      effect: { kind: 'partial', path: ['r0'], type: 'SERVICE_UNAVAILABLE', message: 'x' },
    });
    const facts = await read('octo/broken@v1', 'octo/fine@v1');
    expect([...facts.actions.keys()]).toEqual(['octo/fine']);
    expect(facts.unread).toEqual([{ what: 'network', name: 'octo/broken', reason: 'offline' }]);
  });

  it('never exposes one token’s private data to another', async () => {
    await host.addRepository({ fullName: 'hidden/tool', visibility: 'private', files: { 'action.yml': ACTION } });
    const owner = host.world.account('hidden');
    const member = host.world.addAccount({ login: 'insider', type: 'User' });
    if (owner !== undefined) host.world.addMember(owner, member, 'member');
    const insider = connect({ token: host.tokenOf('insider', { throughApp: false }) });
    const seen = await insider.readActions(using('hidden/tool@main'));
    expect(seen).toMatchObject({ value: { actions: expect.objectContaining({ size: 1 }) as unknown } });
    const facts = await read('hidden/tool@main');
    expect(facts.actions.size).toBe(0);
    expect(facts.missing).toEqual(new Map([['hidden/tool', { owner: 'exists' }]]));
  });

  it('leaves out what would take too long, and reports it', async () => {
    const large = `# ${'x'.repeat(90_000)}\n${ACTION}`;
    const names = Array.from({ length: 40 }, (_, index) => `octo/large-${String(index).padStart(2, '0')}`);
    await host.addRepositories(names.map((fullName) => ({ fullName, files: { 'action.yml': large } })));
    const facts = await read(...names.map((name) => `${name}@main`));
    const kept = [...facts.actions.values()].reduce((sum, { definitions }) => sum + (definitions?.size ?? 0), 0);
    expect(kept).toBe(33);
    expect(facts.unread).toHaveLength(7);
    const refs = Array.from({ length: 20 }, (_, index) => `octo/large-00@v${index}`);
    const { unread = [] } = await read(...refs);
    expect(unread.filter(({ what }) => what === 'network')).toHaveLength(8);
  });

  it('never sends invalid names', async () => {
    const facts = await read('octo/../etc@v1', "octo/bad'name@v1", 'octo/ok@v1:../../x');
    expect(facts.actions.size).toBe(0);
    const sent = await requests();
    expect(sent.length).toBeLessThanOrEqual(2);
  });
});
