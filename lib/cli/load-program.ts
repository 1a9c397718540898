import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { readEntry, writeEntry } from './cache-entry.ts';
import { cacheFolder, privateFolder } from './cache-folder.ts';
import type * as start from './start.ts';

const LONG_RUN_MICROSECONDS = 2_000_000;
const MUCH_MORE = 1.1;

interface Loaded {
  readonly program: typeof start;
  readonly keep: () => void;
}

/**
 * Loads the program with the code that V8 compiled in an earlier run. The name of the file contains its digest: V8 itself
 * compares nothing but the length of the source.
 */
export function loadProgram(url: URL): Loaded {
  const file = fileURLToPath(url);
  const folder = privateFolder(cacheFolder(process.env), 'code');
  const cached = folder && join(folder, `${basename(file)}-${process.version}-${process.arch}`);
  const cachedData = cached === undefined ? undefined : readEntry(cached);
  // The build allows only ASCII. The wrapper stays on one line, so that lines of errors are right.
  const source = `(function (exports, require, module) { ${readFileSync(file, 'latin1')}\n})`;
  const script = new Script(source, { filename: file, ...(cachedData && { cachedData }) });
  const module = { exports: {} };
  const run = script.runInThisContext() as (exports: object, require: NodeJS.Require, module: object) => void;
  run(module.exports, createRequire(url), module);
  return {
    program: module.exports as typeof start,
    keep: () => {
      if (cached === undefined) return;
      const before = script.cachedDataRejected === true ? undefined : cachedData;
      // Collecting the code takes as long as a tenth of a short run.
      if (before !== undefined && process.cpuUsage().user < LONG_RUN_MICROSECONDS) return;
      const now = script.createCachedData();
      if (before === undefined || now.length > before.length * MUCH_MORE) writeEntry(cached, now);
    },
  };
}
