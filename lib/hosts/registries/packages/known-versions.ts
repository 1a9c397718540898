import { LRUCache } from 'lru-cache';
import type { PublishedVersion } from '#lib/facts/facts.ts';

/** A version, or that the registry has no such package: what it tells everybody. */
export interface Found {
  readonly value: PublishedVersion | null;
}

/** Answers by registry and name, for processes that scan many repositories. Ten minutes. */
export const knownVersions = new LRUCache<string, Found>({ max: 2_000, ttl: 10 * 60_000 });
