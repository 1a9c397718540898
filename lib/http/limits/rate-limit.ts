import { LRUCache } from 'lru-cache';
import type { Env } from '#lib/env.ts';
import { AppError } from '#lib/errors.ts';
import type { Services } from '#lib/services/context.ts';
import { type Budgets, type CountRequest, countRequest } from '#lib/services/public-scans/count-request.ts';
import { createUpstashCounter } from './count-in-upstash.ts';

export const USER_LIMIT = 120;
const WINDOW_MS = 60_000;
const MAX_USERS = 20_000;

/** Anonymous work that costs requests to the code host: one visitor, and everybody together. */
export const PUBLIC_BUDGETS: Readonly<Record<'public-scan' | 'action-request', Budgets>> = {
  'public-scan': { name: 'public-scan', perAddress: 5, together: 30 },
  'action-request': { name: 'action-request', perAddress: 5, together: 30 },
};

export type PublicBudget = keyof typeof PUBLIC_BUDGETS;

export function tooMany(retryAfterSeconds: number): AppError {
  return new AppError('rate-limited', 'Too many requests in a minute.', { retryAfterSeconds });
}

/** Counts the requests of each user in this process, in a sliding window. The least recent users are forgotten first. */
export class UserLimiter {
  readonly #hits: LRUCache<string, number[]>;
  readonly #limit: number;
  constructor({ limit = USER_LIMIT, maxUsers = MAX_USERS } = {}) {
    this.#limit = limit;
    this.#hits = new LRUCache({ max: maxUsers });
  }

  /** Throws when the user's budget is used up. `now` is in milliseconds of a clock that never goes back. */
  take(userId: string, now = performance.now()): void {
    const recent = (this.#hits.get(userId) ?? []).filter((at) => at > now - WINDOW_MS);
    const [oldest] = recent;
    if (recent.length >= this.#limit && oldest !== undefined) throw tooMany((oldest + WINDOW_MS - now) / 1000);
    recent.push(now);
    this.#hits.set(userId, recent);
  }
}

/** Counts an anonymous request where every instance sees it: in Upstash when configured, else in the database. */
export async function takePublic(services: Services, budget: PublicBudget, address: string): Promise<void> {
  const retryAfterSeconds = await count(services, PUBLIC_BUDGETS[budget], address);
  if (retryAfterSeconds !== null) throw tooMany(retryAfterSeconds);
}

/** While Upstash is down the database counts: an outage must not open the door to the code host's budget. */
const count: CountRequest = async (services, budgets, address) => {
  const { upstash } = services.env;
  if (upstash !== null) {
    try {
      return await counterOf(upstash)(services, budgets, address);
    } catch (error) {
      services.log.warn('the shared rate limit is unreachable: the database counts', { error });
    }
  }
  return countRequest(services, budgets, address);
};

type UpstashConfig = NonNullable<Env['upstash']>;

let upstash: { readonly config: UpstashConfig; readonly count: CountRequest } | undefined;

function counterOf(config: UpstashConfig): CountRequest {
  if (upstash?.config !== config) upstash = { config, count: createUpstashCounter(config) };
  return upstash.count;
}
