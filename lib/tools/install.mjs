import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

const PRESENT = 'node_modules/.package-lock.json';
const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const PATCH = 'node_modules/patch-package/index.js';
// Development packages too, also where NODE_ENV leaves them out: the demo and the build need them.
const INSTALL = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];

/**
 * Brings `node_modules` to the state of the lockfile. Scripts of packages do not run (`.npmrc`).
 * @param {string} [folder]
 * @returns {boolean} false if npm refuses, which it explains itself
 */
export function installPackages(folder = '.') {
  if (isInstalled(folder)) return true;
  console.log('Installing packages …');
  return spawnSync(NPM, INSTALL, { cwd: folder, stdio: 'inherit' }).status === 0 && applyPatches(folder);
}

/**
 * Applies `patches` to packages, which no package script can do, since those do not run.
 * @param {string} folder
 */
function applyPatches(folder) {
  if (!existsSync(join(folder, 'patches'))) return true;
  const { status, stdout } = spawnSync(process.execPath, [PATCH, '--error-on-fail'], { cwd: folder, encoding: 'utf8' });
  if (status !== 0) console.error(stdout);
  return status === 0;
}

export function buildMissingCli() {
  if (existsSync('dist/cli.mjs')) return true;
  return spawnSync(process.execPath, ['lib/tools/build-cli.mjs'], { stdio: 'inherit' }).status === 0;
}

/**
 * Compares versions, since a checkout changes the times of files. npm writes its own list of `node_modules` also when it
 * installs nothing, but removes it first when it installs. Optional packages are left out: they depend on the platform.
 * @param {string} folder
 */
function isInstalled(folder) {
  if (!existsSync(join(folder, PRESENT))) return false;
  const manifest = readJson(folder, 'package.json');
  const wanted = readJson(folder, 'package-lock.json')?.packages;
  return (
    ['dependencies', 'devDependencies', 'optionalDependencies'].every((kind) =>
      isDeepStrictEqual(manifest[kind] ?? {}, wanted?.[''][kind] ?? {}),
    ) &&
    Object.entries(wanted).every(
      ([path, { version, optional }]) =>
        optional === true || plain(readJson(join(folder, path), 'package.json')?.version) === plain(version),
    )
  );
}

/**
 * Some packages write `v1.0.0`, which npm locks as `1.0.0`.
 * @param {string | undefined} version
 */
function plain(version) {
  return version?.replace(/^v|\+.*$/g, '');
}

function readJson(folder, name) {
  const path = join(folder, name);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.chdir(fileURLToPath(new URL('../..', import.meta.url)));
  if (!installPackages() || !buildMissingCli()) process.exit(1);
}
