import { Ratelimit } from '@upstash/ratelimit';
import { Redis } from '@upstash/redis';
import { LRUCache } from 'lru-cache';
import type { Env } from '../env.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Services } from '../services/context.ts';
import { type Budget, type Budgets, type CountRequest, countRequest } from '../services/count-request.ts';

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
  const budgets = PUBLIC_BUDGETS[budget];
  const inUpstash = upstashOf(services.env);
  const retryAfterSeconds = await (inUpstash === undefined
    ? countRequest(services, budgets, address)
    : firstThatAnswers(services.log, [inUpstash, countRequest])(services, budgets, address));
  if (retryAfterSeconds !== null) throw tooMany(retryAfterSeconds);
}

/** While Upstash is down the database counts: an outage must not open the door to the code host's budget. */
function firstThatAnswers(log: Log, [first, second]: readonly [CountRequest, CountRequest]): CountRequest {
  return async (services, budgets, address) => {
    try {
      return await first(services, budgets, address);
    } catch (error) {
      log.warn('the shared rate limit is unreachable', { error });
      return second(services, budgets, address);
    }
  };
}

let upstash: { readonly url: string; readonly count: CountRequest } | undefined;

function upstashOf({ upstash: config }: Env): CountRequest | undefined {
  if (config === null) return undefined;
  if (upstash?.url === config.url) return upstash.count;
  const redis = new Redis({ ...config, retry: { retries: 1 } });
  const limiters = new Map<string, Ratelimit>();
  const limiterOf = (name: string, requests: number) => {
    const prefix = `chainbreak:${name}`;
    const known = limiters.get(prefix);
    // A timeout of the library lets the request pass: it is off, and the call is bounded here.
    const limiter =
      known ?? new Ratelimit({ redis, prefix, limiter: Ratelimit.slidingWindow(requests, '60 s'), timeout: 0 });
    limiters.set(prefix, limiter);
    return limiter;
  };
  const take = async (name: string, requests: number, identifier: string): Promise<Budget> => {
    const { success, reset } = await within(1_500, limiterOf(name, requests).limit(identifier));
    return success ? null : Math.max(1, (reset - Date.now()) / 1000);
  };
  const count: CountRequest = async (_, { name, perAddress, together }, address) =>
    (await take(`${name}:address`, perAddress, address)) ?? (await take(`${name}:all`, together, 'all'));
  upstash = { url: config.url, count };
  return count;
}

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${milliseconds} ms`)), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
