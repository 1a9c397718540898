import { isMainThread } from 'node:worker_threads';
import supportsHyperlinks from 'supports-hyperlinks';
import type { Links } from '#lib/report/links.ts';
import { version } from '../../package.json';
import { run } from './program.ts';
import { serveScans } from './scan-threads.ts';
import { tune } from './tune.ts';

if (isMainThread) tune(process.versions.node);

const { stdin, stdout, stderr, env } = process;
// https://no-color.org and https://force-color.org; `isTTY` is undefined without a terminal, despite its type.
const color = Boolean(!env['NO_COLOR'] && (env['FORCE_COLOR'] || stdout.isTTY));
const links: Links = color && supportsHyperlinks.stdout ? 'terminal' : env['CI'] ? 'url' : 'none';
// A reader such as `head` closes the pipe early.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

if (!serveScans()) {
  const terminal = { stdin, stdout, stderr, version, color, links, program: new URL(import.meta.url) };
  process.exitCode = await run(process.argv.slice(2), terminal, env);
}
