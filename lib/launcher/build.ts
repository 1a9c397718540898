import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { AppError } from '#lib/errors.ts';

const STAMP = '.next/chainbreak-sources';
const BUILT = ['.next/BUILD_ID', 'dist/engine-worker.mjs', 'dist/actions-worker.mjs'];

const SOURCES = [
  'app',
  'lib',
  'docs',
  'globals.d.ts',
  'instrumentation.ts',
  'next.config.mjs',
  'package.json',
  'package-lock.json',
  'postcss.config.mjs',
  'proxy.ts',
  'public',
  'supabase/migrations',
  'tsconfig.json',
];

export function isBuildStale(): boolean {
  return (
    !BUILT.every((file) => existsSync(file)) || !existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== digestOfSources()
  );
}

export function stampBuild(): void {
  if (!BUILT.every((file) => existsSync(file)))
    throw new AppError('internal', 'The build of the web app ended without a result.');
  writeFileSync(STAMP, digestOfSources());
}

function digestOfSources(): string {
  const digest = createHash('sha256');
  for (const file of SOURCES.flatMap(filesOf)) digest.update(`${file}\0`).update(readFileSync(file)).update('\0');
  return digest.digest('hex');
}

function filesOf(path: string): string[] {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .sort();
}
