import { Ratelimit } from '@upstash/ratelimit';
import { Redis } from '@upstash/redis';
import type { Env } from '#lib/env.ts';
import { type Budget, type CountRequest, pseudonym } from '#lib/services/public-scans/count-request.ts';

const DEADLINE_MS = 1_200;
const MAX_BLOCKED = 20_000;

export function createUpstashCounter({ url, token }: NonNullable<Env['upstash']>): CountRequest {
  const redis = new Redis({
    url,
    token,
    retry: { retries: 1 },
    // A function, because the client takes an aborted plain signal for an answer.
    signal: () => AbortSignal.timeout(DEADLINE_MS),
  });
  const limiters = new Map<string, Ratelimit>();
  const blocked = new Map<string, number>();

  const limiterOf = (name: string, requests: number): Ratelimit => {
    const known = limiters.get(name);
    if (known !== undefined) return known;
    const limiter = new Ratelimit({
      redis,
      prefix: `chainbreak:${name}`,
      limiter: Ratelimit.slidingWindow(requests, '60 s'),
      ephemeralCache: blocked,
      // The library's own timeout lets requests pass, so it is off.
      timeout: 0,
    });
    limiters.set(name, limiter);
    return limiter;
  };

  const take = async (name: string, requests: number, identifier: string): Promise<Budget> => {
    // The library never clears it, and addresses are cheap.
    if (blocked.size > MAX_BLOCKED) blocked.clear();
    const { success, reset } = await limiterOf(name, requests).limit(identifier);
    return success ? null : Math.max(1, (reset - Date.now()) / 1000);
  };

  const takeBoth: CountRequest = async (_, { name, perAddress, together }, address) =>
    (await take(`${name}:address`, perAddress, pseudonym(address, token))) ??
    (await take(`${name}:all`, together, 'all'));

  return (services, budgets, address) =>
    // No `cause`: the original error contains the token and addresses.
    within(DEADLINE_MS, takeBoth(services, budgets, address)).catch((error: unknown) =>
      Promise.reject(new Error(reasonOf(error, token))),
    );
}

function reasonOf(error: unknown, token: string): string {
  if (!(error instanceof Error)) return 'unknown';
  const [reason = ''] = error.message.split(', command was: ');
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
  return `${reason.replaceAll(token, '[token]')}${code}`.slice(0, 300);
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
