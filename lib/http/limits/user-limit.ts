import { LRUCache } from 'lru-cache';
import { tooMany } from './too-many.ts';

export const USER_LIMIT = 120;
const WINDOW_MS = 60_000;
const MAX_USERS = 20_000;

export class UserLimiter {
  readonly #hits: LRUCache<string, number[]>;
  readonly #limit: number;
  constructor({ limit = USER_LIMIT, maxUsers = MAX_USERS } = {}) {
    this.#limit = limit;
    this.#hits = new LRUCache({ max: maxUsers });
  }

  take(userId: string, now = performance.now()): void {
    const recent = (this.#hits.get(userId) ?? []).filter((at) => at > now - WINDOW_MS);
    const [oldest] = recent;
    if (recent.length >= this.#limit && oldest !== undefined) throw tooMany((oldest + WINDOW_MS - now) / 1000);
    recent.push(now);
    this.#hits.set(userId, recent);
  }
}
