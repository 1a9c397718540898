import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startDatabase } from '#lib/embedded/database.ts';
import { takeLock } from '#lib/embedded/lock.mjs';

const CACHE = 'node_modules/.cache/chainbreak/test';
const SOURCES = ['supabase/migrations', 'lib/embedded'];
const PACKAGES = ['@supabase/lite', '@electric-sql/pglite'];
const WAIT_MS = 120_000;

let current: Promise<string> | undefined;

export function templateDigest(): Promise<string> {
  current ??= digestOf();
  return current;
}

async function digestOf(): Promise<string> {
  const digest = createHash('sha256');
  for (const folder of SOURCES) {
    for (const name of (await readdir(folder)).sort()) {
      digest.update(`${folder}/${name}\0`).update(await readFile(join(folder, name)));
    }
  }
  for (const name of PACKAGES) digest.update(await readFile(join('node_modules', name, 'package.json')));
  return digest.digest('hex').slice(0, 16);
}

export async function readTemplate(): Promise<Blob> {
  const name = `database-${await templateDigest()}.tar`;
  const file = join(CACHE, name);
  const cached = await read(file);
  if (cached !== null) return cached;

  await mkdir(CACHE, { recursive: true });
  const release = await takeLock(CACHE, 'database-template', WAIT_MS);
  if (release === null) throw new Error('Another process has been making the database template for two minutes.');
  try {
    const other = await read(file);
    if (other !== null) return other;
    const archive = await makeArchive();
    const unfinished = join(CACHE, `${randomBytes(6).toString('hex')}.part`);
    await writeFile(unfinished, archive.stream());
    for (const old of await readdir(CACHE)) if (/^database-.*\.tar$/.test(old)) await rm(join(CACHE, old));
    await rename(unfinished, file);
    return archive;
  } finally {
    await release();
  }
}

function read(file: string): Promise<Blob | null> {
  return readFile(file).then(
    (content) => new Blob([content]),
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    },
  );
}

async function makeArchive(): Promise<Blob> {
  const [publishableKey, secretKey, jwtSecret] = [
    'sb_publishable_template',
    'sb_secret_template',
    'x'.repeat(64),
  ] as const;
  const database = await startDatabase({ store: 'memory', publishableKey, secretKey, jwtSecret });
  try {
    // Unused in tests, and half of the files that each new database is copied from.
    await database.sql('update pg_database set datistemplate = false');
    for (const unused of ['template0', 'template1']) await database.sql(`drop database ${unused}`);
    const archive = await database.archive?.();
    if (archive === undefined) throw new Error('A database in memory has no archive.');
    return archive;
  } finally {
    await database.stop();
  }
}
