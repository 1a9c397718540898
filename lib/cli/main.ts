import { isMainThread } from 'node:worker_threads';
import { version } from '../../package.json';
import { loadProgram } from './load-program.ts';
import { tune, unlimitYoungGeneration } from './tune.ts';

/** Set by the build: `program-<digest>.cjs`, which lies beside this file unless it holds the program itself. */
declare const PROGRAM_FILE: string;
declare const IS_STANDALONE: boolean;

const [first, ...others] = process.argv.slice(2);

if (isMainThread && others.length === 0 && (first === '--version' || first === '-V')) {
  process.stdout.write(`${version}\n`);
} else {
  // Comes before loading the program: V8 rejects code that it cached under other settings.
  if (isMainThread) tune(process.versions.node);
  const here = new URL(import.meta.url);
  if (IS_STANDALONE) {
    const { start } = await import('./start.ts');
    await start(here, PROGRAM_FILE);
  } else {
    const { program, keep } = loadProgram(new URL(PROGRAM_FILE, here));
    await program.start(here, PROGRAM_FILE);
    if (isMainThread) {
      unlimitYoungGeneration();
      keep();
    }
  }
}
