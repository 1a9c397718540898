import { createHash, type Hash } from 'node:crypto';
import { readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { NO_FACTS } from '#lib/facts/facts.ts';
import { factsOf, type Platform } from '#lib/workflow/model/platform.ts';
import type { InputFile } from '#lib/workflow/repository.ts';
import { readEntry, writeEntry } from './cache-entry.ts';
import { privateFolder } from './cache-folder.ts';
import { type LocalRepository, nameOf, readRepository } from './files.ts';
import { createLocal, type LocalScan, type ScanWishes, scanLocal } from './scan-local.ts';

const MAX_ENTRY_BYTES = 16 * 1024 * 1024;
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_ENTRIES = 10_000;
const DAY_MS = 24 * 60 * 60 * 1_000;
const MAX_AGE_MS = 30 * DAY_MS;

export interface CachePlace {
  readonly folder: string;
  readonly engine: string;
}

/**
 * Keeps results of scans without network access by a digest of everything that they depend on, so that an entry is right
 * or is not found. The engine has no clock: what depends on the day is said outside of a result.
 */
export class ResultCache {
  readonly #folder: string | undefined;
  readonly #common: string;
  readonly #platform: Platform;
  readonly #wishes: ScanWishes;
  #grew = false;

  constructor(place: CachePlace | undefined, platform: Platform, wishes: ScanWishes) {
    this.#folder = place && privateFolder(place.folder, 'results');
    this.#platform = platform;
    this.#wishes = wishes;
    this.#common = JSON.stringify([place?.engine, process.versions.v8, factsOf(platform), describe(wishes)]);
  }

  find(local: LocalRepository): LocalScan | undefined {
    const key = this.#keyOf(local, readRepository(local));
    return key === undefined ? undefined : this.#read(key);
  }

  scan(local: LocalRepository): LocalScan {
    const files = readRepository(local);
    const key = this.#keyOf(local, files);
    const known = key === undefined ? undefined : this.#read(key);
    if (known !== undefined) return known;
    const repository = createLocal(local, files, this.#platform, this.#wishes);
    const scan = scanLocal(local, repository, this.#wishes, NO_FACTS);
    if (key !== undefined) this.#write(key, scan);
    return scan;
  }

  #keyOf(local: LocalRepository, files: readonly InputFile[]): string | undefined {
    if (this.#folder === undefined) return undefined;
    const hash = createHash('sha256');
    add(hash, this.#common);
    add(hash, local.root);
    add(hash, nameOf(local));
    add(hash, String(local.only !== undefined));
    for (const { path, text, problem } of files) {
      add(hash, path);
      add(hash, text);
      add(hash, JSON.stringify(problem));
    }
    return join(this.#folder, hash.digest('hex'));
  }

  #read(path: string): LocalScan | undefined {
    const content = readEntry(path);
    if (content === undefined) return undefined;
    try {
      const scan = deserialize(content) as LocalScan;
      touch(path);
      return scan;
    } catch {
      return undefined;
    }
  }

  #write(path: string, scan: LocalScan): void {
    if (scan.result.notAssessed.some(({ reason }) => reason === 'rule_error')) return;
    const content = serialize(scan);
    if (content.length > MAX_ENTRY_BYTES) return;
    writeEntry(path, content);
    this.#grew = true;
  }

  prune({ now = Date.now(), maxBytes = MAX_BYTES, maxEntries = MAX_ENTRIES } = {}): void {
    if (this.#folder === undefined || !this.#grew) return;
    const entries = entriesOf(this.#folder).sort((a, b) => b.used - a.used);
    let bytes = 0;
    for (const [index, { path, size, used }] of entries.entries()) {
      bytes += size;
      if (index >= maxEntries || bytes > maxBytes || now - used > MAX_AGE_MS) rmSync(path, { force: true });
    }
  }
}

/** Lists every option by name, so that a new one cannot be forgotten. */
function describe({
  ruleset,
  chosen,
  attackPaths,
  suppressions,
  config,
}: ScanWishes): Record<keyof ScanWishes, unknown> {
  return { ruleset, chosen: chosen && [...chosen].sort(), attackPaths, suppressions, config };
}

/** Texts are preceded by their lengths, so that no two lists of files look the same. */
function add(hash: Hash, text: string | undefined): void {
  hash.update(text === undefined ? '-;' : `${text.length};`).update(text ?? '');
}

function touch(path: string): void {
  try {
    const now = Date.now();
    if (now - statSync(path).mtimeMs > DAY_MS) utimesSync(path, now / 1_000, now / 1_000);
  } catch {
    // Another process removed it.
  }
}

function entriesOf(folder: string): { path: string; size: number; used: number }[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats === undefined ? [] : [{ path, size: stats.size, used: stats.mtimeMs }];
  });
}
