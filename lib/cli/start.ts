import supportsHyperlinks from 'supports-hyperlinks';
import { HAS_HOMEPAGE, type Links } from '#lib/report/links.ts';
import { version } from '../../package.json';
import { run } from './program.ts';
import { serveScans } from './scan-threads.ts';

export async function start(program: URL, engine: string): Promise<void> {
  if (serveScans()) return;
  const { stdin, stdout, stderr, env } = process;
  // https://no-color.org and https://force-color.org; `isTTY` is undefined without a terminal, despite its type.
  const color = Boolean(!env['NO_COLOR'] && (env['FORCE_COLOR'] || stdout.isTTY));
  const wanted: Links = color && supportsHyperlinks.stdout ? 'terminal' : env['CI'] ? 'url' : 'none';
  const links = HAS_HOMEPAGE ? wanted : 'none';
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  const terminal = { stdin, stdout, stderr, version, color, links, program, engine };
  process.exitCode = await run(process.argv.slice(2), terminal, env);
}
