import { isMainThread } from 'node:worker_threads';
import { CommanderError } from 'commander';
import { AppError } from '#lib/errors.ts';
import { visible } from '#lib/report/visible.ts';
import { version } from '../../package.json';
import { EXIT } from './exit-codes.ts';
import { createProgram } from './program.ts';
import { serveScans } from './scan-threads.ts';
import { tune } from './tune.ts';

if (isMainThread) tune(process.versions.node);

const { stdout, stderr, env } = process;
// https://no-color.org and https://force-color.org; `isTTY` is undefined without a terminal, despite its type.
const color = Boolean(!env['NO_COLOR'] && (env['FORCE_COLOR'] || stdout.isTTY));
// A reader such as `head` closes the pipe early.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

if (!serveScans()) {
  try {
    // In the bundle, this file is the whole program.
    const terminal = { stdout, stderr, version, color, program: new URL(import.meta.url) };
    const program = createProgram(terminal, env, (code) => {
      process.exitCode = code;
    });
    await program.parseAsync();
  } catch (error) {
    process.exitCode = report(error);
  }
}

function report(error: unknown): number {
  // Commander has already printed the message, help or version.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.clean : EXIT.usage;
  if (error instanceof AppError) {
    stderr.write(`chainbreak: ${visible(error.message)}\n`);
    return error.code === 'usage' ? EXIT.usage : EXIT.failed;
  }
  stderr.write(
    `chainbreak: unexpected error: ${error instanceof Error ? (error.stack ?? error.message) : 'unknown'}\n`,
  );
  return EXIT.failed;
}
