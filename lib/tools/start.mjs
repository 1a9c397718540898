import { existsSync } from 'node:fs';
import { loadEnvFile } from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { takeLock } from '#lib/embedded/lock.mjs';
import { dataFolder, stop } from './data-folder.mjs';
import { buildMissingCli, installPackages } from './install.mjs';

const BUNDLES = 'node_modules/.cache/chainbreak/launcher';
const BUILD_WAIT_MS = 300_000;
const END_WAIT_MS = 5_000;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19))
  stop(`Node ${process.versions.node} is too old: 20.19 or newer is needed.`);
process.chdir(fileURLToPath(new URL('../..', import.meta.url)));
const folder = dataFolder();
if (existsSync('.env')) loadEnvFile('.env');

if ((await takeLock(folder, 'launcher', END_WAIT_MS)) === null) {
  stop(
    `The service already runs with the data in ${folder}. Stop it first, or name another folder: npm start -- --data <folder>`,
  );
}
const releaseBuildLock = await takeLock('.', 'build', BUILD_WAIT_MS);
if (releaseBuildLock === null) stop('Another npm start has been installing or building here for five minutes.');

if (!installPackages()) stop('The packages of package-lock.json could not be installed.');
if (!buildMissingCli()) stop('The command line could not be built.');

const { build, stop: stopBundler } = await import('esbuild');
const { BUNDLE } = await import('./bundle.mjs');
await build({
  ...BUNDLE,
  entryPoints: ['main', 'database', 'code-host'].map((name) => `lib/launcher/${name}.ts`),
  outdir: BUNDLES,
  outExtension: { '.js': '.mjs' },
  packages: 'external',
  alias: {},
});
await stopBundler();
const { launch } = await import(pathToFileURL(`${BUNDLES}/main.mjs`).href);
process.exit(await launch({ folder, bundles: BUNDLES, releaseBuildLock }));
