import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTemporaryFolder, temporaryFolder } from '../support/cli.ts';

const CI = '.github/workflows/ci.yml';
const SAFE =
  'name: Q\non: pull_request\npermissions: {}\njobs:\n  a:\n    name: A\n    runs-on: ubuntu-24.04\n    timeout-minutes: 5\n    steps: [{ run: make }]\n';
const UNSAFE = `on: issue_comment
permissions: { contents: write }
jobs:
  reply:
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    steps:
      - run: echo "\${{ github.event.comment.body }}"
`;
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

let out: string;
let remove: () => void;

beforeAll(() => {
  [out, remove] = makeTemporaryFolder();
  const args = ['lib/tools/release.mjs', '--dry-run', '--out', out];
  // The registry is not asked: without an address npm fails at once.
  const env = { ...process.env, npm_config_registry: 'http://127.0.0.1:9', npm_config_fetch_retries: '0' };
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
  if (status !== 0) throw new Error(stderr);
});
afterAll(() => remove());

describe('the npm package', () => {
  it('installs without network and scripts into an empty folder, brings one package, and scans', () => {
    const tarball = join(out, `chainbreak-${version}.tgz`);
    expect(statSync(tarball).size).toBeLessThan(1_000_000);
    const folder = temporaryFolder({ 'package.json': '{"private":true}', [CI]: UNSAFE });
    execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: folder, stdio: 'pipe' });
    const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as { packages: object };
    expect(Object.keys(lock.packages)).toEqual(['', 'node_modules/chainbreak']);
    expect(Object.values(lock.packages)[1]).not.toHaveProperty('hasInstallScript');
    const scanned = spawnSync('node_modules/.bin/chainbreak', ['scan', '--format', 'json'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(scanned.status).toBe(1);
    expect(scanned.stdout).toContain('"rule_id": "template-injection"');
    expect(scanned.stdout).toContain(`"version": "${version}"`);
  });

  it('has checksums of every file, and a list of the packages in the bundle', () => {
    const sums = readFileSync(join(out, 'SHA256SUMS'), 'utf8').trimEnd().split('\n');
    expect(sums).toHaveLength(3);
    for (const line of sums) {
      const [hash, file = ''] = line.split('  ');
      expect(
        createHash('sha256')
          .update(readFileSync(join(out, file)))
          .digest('hex'),
      ).toBe(hash);
    }
    const { components } = JSON.parse(readFileSync(join(out, `chainbreak-${version}.cdx.json`), 'utf8')) as {
      components: { name: string; version: string }[];
    };
    const names = components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['commander', 'yaml', '@actions/workflow-parser']));
    expect(names).not.toContain('next');
  });
});

describe('the GitHub Action', () => {
  interface Step {
    readonly code: number | null;
    readonly stdout: string;
    readonly output: string;
    readonly summary: string;
  }

  function step(folder: string, variables: Readonly<Record<string, string>> = {}): Step {
    const temp = temporaryFolder({ output: '', summary: '' });
    const env: NodeJS.ProcessEnv = {
      NODE_ENV: 'test',
      PATH: process.env['PATH'],
      ACTION_PATH: join(out, 'tree'),
      GITHUB_OUTPUT: join(temp, 'output'),
      GITHUB_STEP_SUMMARY: join(temp, 'summary'),
      RUNNER_TEMP: temp,
      ...defaults(),
      ...variables,
    };
    const { status, stdout } = spawnSync('bash', [join(out, 'tree/.github/scan.sh')], {
      cwd: folder,
      encoding: 'utf8',
      env,
    });
    return {
      code: status,
      stdout,
      output: readFileSync(join(temp, 'output'), 'utf8'),
      summary: readFileSync(join(temp, 'summary'), 'utf8'),
    };
  }

  function defaults(): Record<string, string> {
    const text = readFileSync(join(out, 'tree/action.yml'), 'utf8');
    const inputs = [...text.matchAll(/^ {2}([a-z-]+):\n {4}description: .*\n {4}default: (.*)$/gm)];
    expect(inputs.length).toBeGreaterThan(8);
    return Object.fromEntries(
      inputs.map(([, name = '', value = '']) => [
        `INPUT_${name.toUpperCase().replaceAll('-', '_')}`,
        value.replaceAll('"', ''),
      ]),
    );
  }

  it('annotates, writes the summary and SARIF, and leaves the exit code to the last step', () => {
    const folder = temporaryFolder({ [CI]: UNSAFE });
    const { code, stdout, output, summary } = step(folder, { INPUT_SARIF: 'true' });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^::error file=\.github\/workflows\/ci\.yml,line=\d+,.*template-injection/m);
    expect(summary).toMatch(/^# Chainbreak\n[^]*## Attack paths/);
    const [, file = ''] = /^sarif-file=(.*)$/m.exec(output) ?? [];
    expect(output).toMatch(/^exit-code=1$/m);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ version: '2.1.0' });
  });

  it('reports of a pull request what it adds, and believes none of its comments', () => {
    const folder = temporaryFolder({ [CI]: UNSAFE });
    const git = (...args: string[]): string =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
        cwd: folder,
        encoding: 'utf8',
      });
    git('init', '-q', '-b', 'main');
    git('add', '.');
    git('commit', '-qm', 'base');
    const BASE_SHA = git('rev-parse', 'HEAD').trim();
    expect(step(folder, { BASE_SHA }).output).toContain('exit-code=0');
    mkdirSync(join(folder, '.github/workflows'), { recursive: true });
    writeFileSync(
      join(folder, '.github/workflows/new.yml'),
      UNSAFE.replace('- run', '# chainbreak: ignore[template-injection] trust me\n      - run'),
    );
    git('add', '.');
    git('commit', '-qm', 'head');
    const { stdout, output } = step(folder, { BASE_SHA });
    expect(output).toContain('exit-code=1');
    expect(stdout).toContain('new.yml');
    expect(stdout).not.toContain('file=.github/workflows/ci.yml');
  });

  it('passes a quiet repository, several paths and names with spaces', () => {
    const folder = temporaryFolder({ [`a b/${CI}`]: SAFE, [`c/${CI}`]: SAFE });
    const { stdout, output } = step(folder, { INPUT_PATHS: 'a b\n\nc\n' });
    expect(output).toBe('exit-code=0\n');
    expect(stdout).not.toMatch(/^::/m);
  });

  it('repeats no usage error', () => {
    const { code, output, summary } = step(temporaryFolder({ [CI]: SAFE }), { INPUT_FAIL_ON: 'nope' });
    expect([code, output, summary]).toEqual([0, 'exit-code=2\n', '']);
  });
});
