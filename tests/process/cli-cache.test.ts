import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { spawnCli, temporaryFolder } from '../support/cli.ts';

const WORKFLOW = 'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n';

function scan(folder: string, cache: string): { stdout: string; stderr: string; code: number | null } {
  const { stdout, stderr, code } = spawnCli(['scan', '--format', 'json', folder], {
    env: { CHAINBREAK_CACHE_DIR: cache },
  });
  return { stdout, stderr, code };
}

/** Enough for V8 to enlarge the young generation, and for a run that counts as long. */
function manyRepositories(count = 16): string {
  const steps = Array.from(
    { length: 300 },
    (_, index) =>
      `      - run: |\n          make part-${index}\n          echo "\${{ github.event.issue.title }}" >> "$GITHUB_ENV"\n`,
  );
  const workflow = `on: issues\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n${steps.join('')}`;
  return temporaryFolder(
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}/.github/workflows/a.yml`, workflow])),
  );
}

const scanOf = (folder: string): string[] => ['scan', '--no-cache', '--fail-on', 'never', folder];

const filesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

describe('compiled code that is kept between runs', () => {
  it('changes nothing of what a scan prints, also when it is damaged', () => {
    const folder = temporaryFolder({ '.github/workflows/a.yml': WORKFLOW });
    const cache = temporaryFolder({});
    const first = scan(folder, cache);
    const [code = ''] = filesIn(join(cache, 'code'));
    expect(code).toMatch(/^program-[0-9a-f]{32}\.cjs-v/);
    expect(scan(folder, cache)).toEqual(first);
    const path = join(cache, 'code', code);
    const bytes = readFileSync(path);
    for (const damaged of [bytes.subarray(0, 100), Buffer.alloc(0), Buffer.from(bytes).fill(0, 4_000, 9_000)]) {
      writeFileSync(path, damaged);
      expect(scan(folder, cache)).toEqual(first);
      expect(readFileSync(path).length, 'it is written again').toBeGreaterThan(1_000_000);
    }
  });

  it.skipIf(process.platform === 'win32')('is not read from a folder that others can write to', () => {
    const folder = temporaryFolder({ '.github/workflows/a.yml': WORKFLOW });
    const cache = temporaryFolder({});
    mkdirSync(join(cache, 'code'));
    chmodSync(join(cache, 'code'), 0o777);
    chmodSync(cache, 0o777);
    expect(scan(folder, cache).stdout).toContain('actions/checkout');
    expect(filesIn(join(cache, 'code'))).toEqual([]);
    expect(filesIn(join(cache, 'results'))).toEqual([]);
  });

  it('is accepted by the next run, also after a scan of many repositories', () => {
    const cache = temporaryFolder({});
    const env = { CHAINBREAK_CACHE_DIR: cache };
    spawnCli(scanOf(manyRepositories()), { env });
    const [code = ''] = filesIn(join(cache, 'code'));
    expect(code).not.toBe('');
    const kept = statSync(join(cache, 'code', code)).ino;
    spawnCli(['rules'], { env });
    expect(statSync(join(cache, 'code', code)).ino, 'it is not written again').toBe(kept);
  });

  it('grows by what a long run compiles', () => {
    const cache = temporaryFolder({});
    const env = { CHAINBREAK_CACHE_DIR: cache };
    spawnCli(['rules'], { env });
    const [code = ''] = filesIn(join(cache, 'code'));
    const sizeOf = () => statSync(join(cache, 'code', code)).size;
    const before = sizeOf();
    for (let count = 16; sizeOf() === before && count <= 256; count *= 2)
      spawnCli(scanOf(manyRepositories(count)), { env });
    expect(sizeOf()).toBeGreaterThan(before * 1.1);
  });

  it('needs no place to keep it in', () => {
    const folder = temporaryFolder({ '.github/workflows/a.yml': WORKFLOW, file: '' });
    const expected = scan(folder, temporaryFolder({}));
    expect(scan(folder, join(folder, 'file'))).toEqual(expected);
    expect(scan(folder, 'relative')).toEqual(expected);
    expect(existsSync('relative')).toBe(false);
  });
});

describe('the command line without its program', () => {
  it.each(['--version', '-V'])('answers %s', (flag) => {
    const { stdout, code } = spawnCli([flag]);
    expect({ stdout, code }).toEqual({ stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), code: 0 });
  });
});
