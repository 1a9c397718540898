import { LRUCache } from 'lru-cache';
import type { PublishedVersion } from '#lib/facts/facts.ts';

export interface Found {
  readonly value: PublishedVersion | null;
}

export const knownVersions = new LRUCache<string, Found>({ max: 2_000, ttl: 10 * 60_000 });
