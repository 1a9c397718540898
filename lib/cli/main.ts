import { isMainThread } from 'node:worker_threads';
import { version } from '../../package.json';
import { loadProgram } from './load-program.ts';
import { tune } from './tune.ts';

/** Set by the build: `program-<digest>.cjs`, which lies beside this file. */
declare const PROGRAM_FILE: string;

const [first, ...others] = process.argv.slice(2);

if (isMainThread && others.length === 0 && (first === '--version' || first === '-V')) {
  process.stdout.write(`${version}\n`);
} else {
  // Before the program is loaded: V8 refuses code that it kept under other settings.
  if (isMainThread) tune(process.versions.node);
  const here = new URL(import.meta.url);
  const { program, keep } = loadProgram(new URL(PROGRAM_FILE, here));
  await program.start(here, PROGRAM_FILE);
  if (isMainThread) keep();
}
