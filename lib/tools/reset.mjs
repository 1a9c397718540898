/** `npm run reset`: clears what `npm start` keeps: the database, the local code host, credentials and logs. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { takeLock } from '../embedded/lock.mjs';
import { dataFolder, stop } from './data-folder.mjs';

const PARTS = ['database', 'code-host', 'logs', 'env', 'env.new'];
const WAIT_MS = 6000;

process.chdir(fileURLToPath(new URL('../..', import.meta.url)));
const folder = dataFolder();
if (!existsSync(folder)) {
  console.log('There is nothing to clear.');
  process.exit(0);
}
// The database's own lock too: what a killed launcher left may still be closing its files.
const locks = [
  [folder, 'launcher'],
  [join(folder, 'database'), 'database'],
];
for (const [path = '', name = ''] of locks) {
  if (path !== folder && !existsSync(path)) continue;
  if ((await takeLock(path, name, WAIT_MS)) === null)
    stop(`The service still runs with the data in ${folder}. Stop it first.`);
}
// Only what npm start made: the folder may be anybody's.
for (const part of PARTS) rmSync(join(folder, part), { recursive: true, force: true });
console.log(`Cleared ${folder}.`);
process.exit(0);
