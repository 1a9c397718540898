import type { Env } from '#lib/env.ts';
import type { Services } from '#lib/services/context.ts';
import { type Budgets, type CountRequest, countRequest } from '#lib/services/public-scans/count-request.ts';
import { createUpstashCounter } from './count-in-upstash.ts';
import { tooMany } from './too-many.ts';

export const PUBLIC_BUDGETS: Readonly<Record<'public-scan' | 'action-request', Budgets>> = {
  'public-scan': { name: 'public-scan', perAddress: 5, together: 30 },
  'action-request': { name: 'action-request', perAddress: 5, together: 30 },
};

export type PublicBudget = keyof typeof PUBLIC_BUDGETS;

export async function takePublic(services: Services, budget: PublicBudget, address: string): Promise<void> {
  const retryAfterSeconds = await count(services, PUBLIC_BUDGETS[budget], address);
  if (retryAfterSeconds !== null) throw tooMany(retryAfterSeconds);
}

const count: CountRequest = async (services, budgets, address) => {
  const { upstash } = services.env;
  if (upstash !== null) {
    try {
      return await counterOf(upstash)(services, budgets, address);
    } catch (error) {
      services.log.warn('the shared rate limit is unreachable: counting in the database', { error });
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
