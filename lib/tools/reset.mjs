import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { takeLock } from '#lib/embedded/lock.mjs';
import { dataFolder, stop } from './data-folder.mjs';

const PARTS = ['database', 'code-host', 'logs', 'env', 'env.new'];
const WAIT_MS = 6000;

process.chdir(fileURLToPath(new URL('../..', import.meta.url)));
const folder = dataFolder();
if (!existsSync(folder)) {
  console.log('There is nothing to clear.');
  process.exit(0);
}
const running = `The service still runs with the data in ${folder}. Stop it first.`;
if ((await takeLock(folder, 'launcher')) === null) stop(running);
// Processes of a killed launcher may still be closing files.
const database = join(folder, 'database');
if (existsSync(database) && (await takeLock(database, 'database', WAIT_MS)) === null) stop(running);
// Deletes only what `npm start` created, since the folder can be anyone's.
for (const part of PARTS) rmSync(join(folder, part), { recursive: true, force: true });
console.log(`Cleared ${folder}.`);
process.exit(0);
