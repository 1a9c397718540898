import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { CLI_BUNDLE, PROGRAM_BUNDLE, STANDALONE_BUNDLE } from './bundle.mjs';

export async function buildCli() {
  const { outputFiles } = await build({ ...PROGRAM_BUNDLE, entryPoints: [...PROGRAM_BUNDLE.entryPoints] });
  const { contents, text } = outputFiles[0];
  if (!/^[\0-\x7F]*$/.test(text)) throw new RangeError('the program has characters beyond ASCII; write them with \\u');
  const name = `program-${createHash('sha256').update(contents).digest('hex').slice(0, 32)}.cjs`;
  const folder = dirname(CLI_BUNDLE.outfile);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.new`), contents);
  renameSync(join(folder, `${name}.new`), join(folder, name));
  for (const bundle of [CLI_BUNDLE, STANDALONE_BUNDLE]) {
    const define = { PROGRAM_FILE: JSON.stringify(name), IS_STANDALONE: String(bundle === STANDALONE_BUNDLE) };
    await build({ ...bundle, entryPoints: [...bundle.entryPoints], define });
    chmodSync(bundle.outfile, 0o755);
  }
  for (const other of readdirSync(folder)) {
    if (other.startsWith('program-') && other !== name) rmSync(join(folder, other), { force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildCli();
