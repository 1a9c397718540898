import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findRepositories, type LocalRepository } from '#lib/cli/files.ts';
import { type LocalScan, readLocal, scanLocal } from '#lib/cli/scan-local.ts';
import { scanOnThreads } from '#lib/cli/scan-threads.ts';
import { NO_FACTS } from '#lib/facts/facts.ts';
import { enterpriseServer, GITHUB_COM, type Platform } from '#lib/workflow/model/platform.ts';
import { spawnCli, temporaryFolder } from '../support/cli.ts';

const PROGRAM = pathToFileURL(resolve('dist/cli.mjs'));
const WISHES = { ruleset: 'owasp', attackPaths: true, suppressions: true, config: true } as const;
const SERVER = enterpriseServer('3.10') as Platform;

function workflow(number: number): string {
  return `on: pull_request_target
jobs:
  a${number}:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with:
          ref: \${{ github.event.pull_request.head.sha }}
      - run: make ${number}
`;
}

function repositories(count: number): string {
  const files = Array.from({ length: count }, (_, index) => [
    `r${String(index).padStart(2, '0')}/.github/workflows/ci.yml`,
    workflow(index),
  ]);
  return temporaryFolder(Object.fromEntries(files) as Record<string, string>);
}

const programOf = (code: string) => new URL(`data:text/javascript,${encodeURIComponent(code)}`);

async function scanned(locals: readonly LocalRepository[], program: URL): Promise<number[]> {
  const done: number[] = [];
  await scanOnThreads(locals, { program, platform: GITHUB_COM, ...WISHES }, (index) => done.push(index));
  return done.sort((a, b) => a - b);
}

describe.skipIf(availableParallelism() < 2)('scanning on threads', () => {
  it.each([
    ['github.com', GITHUB_COM],
    ['an older server', SERVER],
  ])('returns for %s what the main thread returns', async (_, platform) => {
    const locals = findRepositories(repositories(20));
    const scans = new Map<number, LocalScan>();
    await scanOnThreads(locals, { program: PROGRAM, platform, ...WISHES }, (index, scan) => {
      expect(scans.has(index)).toBe(false);
      scans.set(index, scan);
    });
    expect([...scans.keys()].sort((a, b) => a - b)).toEqual(locals.map((_, index) => index));
    for (const [index, local] of locals.entries()) {
      expect(scans.get(index)).toEqual(scanLocal(local, readLocal(local, platform, WISHES), WISHES, NO_FACTS));
    }
    expect(scans.get(3)?.result.findings.length).toBeGreaterThan(0);
  });

  it('believes no more of a repository than the main thread', async () => {
    const folder = repositories(20);
    const locals = findRepositories(folder);
    for (const { folder: each } of locals) {
      const config = 'ignore: [{ rule: missing-timeout, reason: x }]\n';
      writeFileSync(join(each, '.github/chainbreak.yml'), config);
    }
    for (const trusts of [true, false]) {
      const wishes = { ...WISHES, ruleset: 'all', suppressions: trusts, config: trusts } as const;
      const suppressed = new Set<number>();
      await scanOnThreads(locals, { program: PROGRAM, platform: GITHUB_COM, ...wishes }, (_, { result }) => {
        suppressed.add(result.suppressed.length);
      });
      expect([...suppressed]).toEqual([trusts ? 1 : 0]);
    }
  });

  it('leaves a repository whose scan throws to the caller and continues', async () => {
    const locals = findRepositories(repositories(20));
    const asked = locals.map((local, index) => (index === 4 ? ({ ...local, remote: {} } as LocalRepository) : local));
    expect(await scanned(asked, PROGRAM)).toEqual([...locals.keys()].filter((index) => index !== 4));
  });

  it.each(['process.exit(1)', 'throw new Error()', 'const full = []; for (;;) full.push(new Array(1e6).fill(1.5))'])(
    'scans on the main thread what a dying thread has not taken: %s',
    async (code) => {
      const locals = findRepositories(repositories(20));
      expect(await scanned(locals, programOf(code))).toEqual([...locals.keys()]);
    },
  );

  it('leaves the repositories of a dead thread to the caller', async () => {
    const locals = findRepositories(repositories(20));
    const take =
      "import { workerData } from 'node:worker_threads'; Atomics.add(workerData.next, 0, 1); process.exit(1)";
    const done: number[] = [];
    await scanOnThreads(locals, { program: programOf(take), platform: GITHUB_COM, ...WISHES }, (index) => {
      if (done.push(index) === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
    });
    expect(done.length).toBeLessThan(locals.length);
    expect(done.length).toBeGreaterThanOrEqual(locals.length - 3);
  });

  it('scans on the main thread if no other can be started', async () => {
    const locals = findRepositories(repositories(20));
    expect(await scanned(locals, new URL('https://example.com/'))).toEqual([...locals.keys()]);
  });

  it('starts no threads for few repositories', async () => {
    expect(await scanned(findRepositories(repositories(3)), PROGRAM)).toEqual([]);
  });

  it('prints repositories in order', () => {
    const { code, stdout } = spawnCli(['scan', repositories(20), '--pedantic', '--format', 'json', '--fail-on', 'low']);
    expect(code).toBe(1);
    const { findings } = JSON.parse(stdout) as { findings: { rule_id: string; root: string }[] };
    const roots = findings.filter(({ rule_id }) => rule_id === 'unpinned-uses').map(({ root }) => root);
    expect(roots).toEqual(Array.from({ length: 20 }, (_, index) => `r${String(index).padStart(2, '0')}`));
  });
});
