import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE_PARTS, cacheFolder } from './cache-folder.ts';
import type { Terminal } from './terminal.ts';

export function cleanCache({ stdout }: Terminal, environment: NodeJS.ProcessEnv): void {
  const folder = cacheFolder(environment);
  if (folder === undefined) {
    stdout.write('The cache is off.\n');
    return;
  }
  for (const part of CACHE_PARTS) rmSync(join(folder, part), { recursive: true, force: true });
  stdout.write(`Removed the cache in ${folder}.\n`);
}
