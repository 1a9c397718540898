import { LRUCache } from 'lru-cache';
import type { AdminDb } from '#lib/db/clients.ts';

const KEPT_MS = 5 * 60_000;

/** Caches what pages read from a database for five minutes, as long as the API lets others cache it. */
export class PageCache<Value extends object> {
  readonly #max: number;
  readonly #byDatabase = new WeakMap<AdminDb, LRUCache<string, Value>>();
  constructor(max: number) {
    this.#max = max;
  }

  async get(
    db: AdminDb,
    key: string,
    read: () => Promise<Value>,
    lasts: (value: Value) => boolean = () => true,
  ): Promise<Value> {
    const values = this.#byDatabase.get(db) ?? new LRUCache<string, Value>({ max: this.#max, ttl: KEPT_MS });
    this.#byDatabase.set(db, values);
    const known = values.get(key);
    if (known !== undefined) return known;
    const value = await read();
    if (lasts(value)) values.set(key, value);
    return value;
  }
}
