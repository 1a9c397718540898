import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../support/cli.ts';

let prepared: string;
let removePrepared: () => void;
let folder: string;
let remove: () => void;

beforeAll(() => {
  [prepared, removePrepared] = makeTemporaryFolder();
  folder = prepared;
  writeFileSync(join(folder, '.npmrc'), readFileSync('.npmrc'));
  for (const version of ['1.0.0', '2.0.0']) pack(version);
  writeManifest('1.0.0');
  lock();
});

afterAll(() => removePrepared());

beforeEach(() => {
  [folder, remove] = makeTemporaryFolder();
  cpSync(prepared, folder, { recursive: true });
});

afterEach(() => remove());

function pack(version: string): void {
  const scripts = Object.fromEntries(['preinstall', 'install', 'postinstall'].map((name) => [name, 'touch ran']));
  for (const name of ['used', 'development']) {
    mkdirSync(join(folder, 'package'));
    const spelled = name === 'used' ? `v${version}` : version;
    writeFileSync(join(folder, 'package/package.json'), JSON.stringify({ name, version: spelled, scripts }));
    spawnSync('tar', ['-czf', `${name}-${version}.tgz`, 'package'], { cwd: folder });
    rmSync(join(folder, 'package'), { recursive: true });
  }
}

function writeManifest(version: string): void {
  const content = {
    name: 'x',
    version: '1.0.0',
    scripts: { preinstall: 'touch ran', prepare: 'touch ran' },
    dependencies: { used: `file:used-${version}.tgz` },
    devDependencies: { development: `file:development-${version}.tgz` },
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(content));
}

function lock(): void {
  const { status, stderr } = spawnSync('npm', ['install', '--package-lock-only'], { cwd: folder, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, expect.any(String)]);
}

function install(variables: Readonly<Record<string, string>> = {}) {
  const module = pathToFileURL('lib/tools/install.mjs').href;
  const script = `import { installPackages } from ${JSON.stringify(module)}; process.exit(installPackages() ? 0 : 1);`;
  const env = { ...process.env, ...variables };
  return spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: folder, encoding: 'utf8', env });
}

const installed = () =>
  ['used', 'development'].map((name) => {
    const file = join(folder, 'node_modules', name, 'package.json');
    return existsSync(file)
      ? (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version.replace('v', '')
      : null;
  });

describe('setting up', () => {
  it('installs what the lockfile names, for development too, without running any script', () => {
    expect(install({ NODE_ENV: 'production' }).status).toBe(0);
    expect(installed()).toEqual(['1.0.0', '1.0.0']);
    for (const place of ['.', 'node_modules/used', 'node_modules/development'])
      expect(existsSync(join(folder, place, 'ran'))).toBe(false);
  });

  it('installs nothing when it is there, whatever the times of the files, and again when a part is missing', () => {
    install();
    const later = new Date(Date.now() + 60_000);
    for (const name of ['package.json', 'package-lock.json']) utimesSync(join(folder, name), later, later);
    const { ino } = statSync(join(folder, 'node_modules/used'));
    expect(install()).toMatchObject({ status: 0, stdout: '' });
    expect(statSync(join(folder, 'node_modules/used')).ino).toBe(ino);
    rmSync(join(folder, 'node_modules/development'), { recursive: true });
    expect(install().status).toBe(0);
    expect(installed()).toEqual(['1.0.0', '1.0.0']);
  });

  it('installs the other versions of a changed lockfile', () => {
    install();
    writeManifest('2.0.0');
    lock();
    expect(installed()).toEqual(['1.0.0', '1.0.0']);
    expect(install().status).toBe(0);
    expect(installed()).toEqual(['2.0.0', '2.0.0']);
  });

  it('fails with npm’s reason, and changes no lockfile, when that does not fit package.json', () => {
    install();
    const before = readFileSync(join(folder, 'package-lock.json'), 'utf8');
    writeManifest('2.0.0');
    const { status, stderr } = install();
    expect(status).toBe(1);
    expect(stderr).toMatch(/npm ci.+in sync/s);
    expect(readFileSync(join(folder, 'package-lock.json'), 'utf8')).toBe(before);
  });

  it('fails when a package is not the one that was locked', () => {
    const path = join(folder, 'package-lock.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/sha512-[^"]{9}/, 'sha512-123456789'));
    const { status, stderr } = install();
    expect([status, installed()[0]]).toEqual([1, null]);
    expect(stderr).toMatch(/integrity/i);
  });

  it('fails without a lockfile instead of making one', () => {
    rmSync(join(folder, 'package-lock.json'));
    expect(install().status).toBe(1);
    expect(existsSync(join(folder, 'package-lock.json'))).toBe(false);
  });
});
