import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { privateFolder } from '#lib/cli/cache-folder.ts';
import { findRepositories } from '#lib/cli/files.ts';
import { type CachePlace, ResultCache } from '#lib/cli/result-cache.ts';
import type { ScanWishes } from '#lib/cli/scan-local.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { enterpriseServer, GITHUB_COM, type Platform } from '#lib/workflow/model/platform.ts';
import { runCli, temporaryFolder } from '../support/cli.ts';
import { effort } from '../support/effort.ts';

const WISHES: ScanWishes = { ruleset: 'all', attackPaths: true, suppressions: true, config: true };
const STEP = 'on: pull_request_target\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - ';
const EXAMPLES = rules
  .flatMap(({ examples }) => [...examples.bad, ...examples.good].map(({ yaml }) => yaml))
  .flatMap((yaml) => (typeof yaml === 'string' ? [yaml] : Object.values(yaml)));

function write(folder: string, path: string, text: string): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function cacheIn(place: CachePlace, wishes: ScanWishes = WISHES, platform: Platform = GITHUB_COM): ResultCache {
  return new ResultCache(place, platform, wishes);
}

function entriesOf({ folder }: CachePlace): string[] {
  return existsSync(join(folder, 'results')) ? readdirSync(join(folder, 'results')) : [];
}

function scanOf(folder: string, cache: ResultCache): unknown {
  return findRepositories(folder).map((local) => cache.scan(local));
}

describe('results of earlier scans', () => {
  it('equal those of a new scan after every edit', () => {
    const place = { folder: temporaryFolder({}), engine: 'e' };
    const folder = temporaryFolder({ '.github/workflows/a.yml': `${STEP}run: make\n`, '.github/chainbreak.yml': '' });
    const paths = ['.github/workflows/a.yml', '.github/workflows/b.yml', 'x/action.yml', '.github/dependabot.yml'];
    const config = fc.constantFrom('', 'ignore: [{ rule: missing-timeout, reason: x }]\n');
    const edit = fc.oneof(
      fc.record({ path: fc.constantFrom(...paths), text: fc.option(fc.constantFrom(...EXAMPLES)) }),
      fc.record({ path: fc.constant('.github/chainbreak.yml'), text: config }),
    );
    const wishes = fc.constantFrom<ScanWishes>(WISHES, { ...WISHES, config: false }, { ...WISHES, ruleset: 'owasp' });
    fc.assert(
      fc.property(fc.array(fc.tuple(edit, wishes), { minLength: 1, maxLength: 6 }), (steps) => {
        for (const [{ path, text }, wanted] of steps) {
          if (text === null) rmSync(join(folder, path), { force: true });
          else write(folder, path, text);
          const fresh = scanOf(folder, new ResultCache(undefined, GITHUB_COM, wanted));
          expect(scanOf(folder, cacheIn(place, wanted))).toEqual(fresh);
          expect(scanOf(folder, cacheIn(place, wanted)), 'from the cache').toEqual(fresh);
        }
      }),
      effort(5, 300),
    );
    expect(entriesOf(place).length).toBeGreaterThan(5);
  });

  it.each<[string, (folder: string, place: CachePlace) => [CachePlace, ScanWishes, Platform]]>([
    ['another engine', (_, place) => [{ ...place, engine: 'f' }, WISHES, GITHUB_COM]],
    ['another ruleset', (_, place) => [place, { ...WISHES, ruleset: 'slsa' }, GITHUB_COM]],
    ['chosen rules', (_, place) => [place, { ...WISHES, chosen: new Set(['artipacked']) }, GITHUB_COM]],
    ['no attack paths', (_, place) => [place, { ...WISHES, attackPaths: false }, GITHUB_COM]],
    ['no suppressions', (_, place) => [place, { ...WISHES, suppressions: false }, GITHUB_COM]],
    ['no configuration', (_, place) => [place, { ...WISHES, config: false }, GITHUB_COM]],
    ['an older server', (_, place) => [place, WISHES, enterpriseServer('3.10') as Platform]],
    [
      'another name',
      (folder, place) => {
        write(folder, '.git/config', '[remote "origin"]\n\turl = https://github.com/a/b\n');
        return [place, WISHES, GITHUB_COM];
      },
    ],
    [
      'another path',
      (folder, place) => {
        write(folder, '.github/workflows/b.yml', readFileSync(join(folder, '.github/workflows/a.yml'), 'utf8'));
        rmSync(join(folder, '.github/workflows/a.yml'));
        return [place, WISHES, GITHUB_COM];
      },
    ],
    [
      'a file that cannot be read',
      (folder, place) => {
        symlinkSync('a.yml', join(folder, '.github/workflows/c.yml'));
        return [place, WISHES, GITHUB_COM];
      },
    ],
  ])('are not used with %s', (_, change) => {
    const place = { folder: temporaryFolder({}), engine: 'e' };
    const folder = temporaryFolder({ '.github/workflows/a.yml': `${STEP}run: make\n` });
    scanOf(folder, cacheIn(place));
    const [changed, wishes, platform] = change(folder, place);
    for (const local of findRepositories(folder))
      expect(cacheIn(changed, wishes, platform).find(local)).toBeUndefined();
  });

  it('are used for the same files', () => {
    const place = { folder: temporaryFolder({}), engine: 'e' };
    const folder = temporaryFolder({ '.github/workflows/a.yml': `${STEP}run: make\n` });
    const scans = scanOf(folder, cacheIn(place));
    expect(findRepositories(folder).map((local) => cacheIn(place).find(local))).toEqual(scans);
  });

  it('are ignored when damaged, and written again', () => {
    const place = { folder: temporaryFolder({}), engine: 'e' };
    const folder = temporaryFolder({ '.github/workflows/a.yml': `${STEP}run: make\n` });
    const scans = scanOf(folder, cacheIn(place));
    const [name = ''] = entriesOf(place);
    const path = join(place.folder, 'results', name);
    const whole = readFileSync(path);
    const flipped = Buffer.from(whole);
    flipped[whole.length - 5] = (flipped[whole.length - 5] ?? 0) ^ 1;
    for (const damaged of [flipped, whole.subarray(0, 40), Buffer.alloc(0), Buffer.from('x'.repeat(500))]) {
      writeFileSync(path, damaged);
      const found = () => findRepositories(folder).map((local) => cacheIn(place).find(local));
      expect(found()).toEqual([undefined]);
      expect(scanOf(folder, cacheIn(place))).toEqual(scans);
      expect(found()).toEqual(scans);
    }
  });

  it('are bounded in number, size and age; the last used stay', () => {
    const place = { folder: temporaryFolder({}), engine: 'e' };
    const folder = temporaryFolder({ '.github/workflows/a.yml': '' });
    const now = Date.now();
    const ageOf = (name: string, days: number) => {
      const then = now / 1_000 - days * 86_400;
      utimesSync(join(place.folder, 'results', name), then, then);
    };
    const kept = new Set<string>();
    let cache = cacheIn(place);
    for (const days of [40, 9, 5, 3]) {
      write(folder, '.github/workflows/a.yml', `${STEP}run: make ${days}\n`);
      cache = cacheIn(place);
      scanOf(folder, cache);
      const name = entriesOf(place).find((each) => !kept.has(each)) as string;
      kept.add(name);
      ageOf(name, days);
    }
    const [old, ...others] = [...kept];
    cache.prune();
    expect(entriesOf(place).sort()).toEqual([...others].sort());
    expect(old).toBeDefined();
    cache.prune({ maxEntries: 2 });
    expect(entriesOf(place).sort()).toEqual(others.slice(1).sort());
    cache.prune({ maxBytes: 1 });
    expect(entriesOf(place)).toEqual([]);
  });
});

describe('a cache that a repository could have brought', () => {
  it.each([
    ['below a checkout', { '.git/HEAD': '' }, '.cache', '/elsewhere'],
    ['in the folder where the program runs', {}, '.cache', ''],
    ['below that folder', {}, 'a/.cache', 'a'],
  ])('%s is not believed, and not made', (_, files, cache, work) => {
    const folder = temporaryFolder(files);
    mkdirSync(join(folder, 'a'));
    expect(
      privateFolder(join(folder, cache), 'code', work.startsWith('/') ? work : join(folder, work)),
    ).toBeUndefined();
    expect(existsSync(join(folder, cache))).toBe(false);
  });

  it('is not believed through a link either', () => {
    const folder = temporaryFolder({ 'checkout/.git/HEAD': '' });
    symlinkSync(join(folder, 'checkout'), join(folder, 'link'));
    expect(privateFolder(join(folder, 'link/.cache'), 'code', '/elsewhere')).toBeUndefined();
  });

  it('does not cover the caches of a user who works in the home folder', () => {
    const folder = temporaryFolder({});
    const place = join(folder, '.cache');
    expect(privateFolder(place, 'code', '/')).toBe(join(place, 'code'));
  });
});

describe('chainbreak cache clean', () => {
  it('removes what scans kept, and nothing else', async () => {
    const folder = temporaryFolder({ 'results/a': '1', 'code/b': '2', 'mine.txt': '3' });
    const { stdout, code } = await runCli(['cache', 'clean'], { env: { CHAINBREAK_CACHE_DIR: folder } });
    expect({ stdout, code }).toEqual({ stdout: `Removed the cache in ${folder}.\n`, code: 0 });
    expect(readdirSync(folder)).toEqual(['mine.txt']);
  });

  it('uses the folder for caches of the user', async () => {
    const folder = temporaryFolder({ 'chainbreak/results/a': '1' });
    await runCli(['cache', 'clean'], { env: { XDG_CACHE_HOME: folder } });
    expect(readdirSync(join(folder, 'chainbreak'))).toEqual([]);
  });

  it('says when the cache is off', async () => {
    const { stdout } = await runCli(['cache', 'clean'], { env: { CHAINBREAK_NO_CACHE: '1' } });
    expect(stdout).toBe('The cache is off.\n');
  });
});
