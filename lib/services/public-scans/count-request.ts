import { createHmac } from 'node:crypto';
import * as rateLimits from '#lib/db/queries/rate-limits.ts';
import { requireDatabase, type Services } from '../context.ts';

/** Seconds until the next request is welcome; null when this one is. */
export type Budget = number | null;

/** Requests per minute. */
export interface Budgets {
  readonly name: string;
  readonly perAddress: number;
  readonly together: number;
}

export type CountRequest = (services: Services, budgets: Budgets, address: string) => Promise<Budget>;

/** Counts one anonymous request in the database. What one address may not do is not counted against everybody. */
export const countRequest: CountRequest = ({ adminDb, env }, { name, perAddress, together }, address) =>
  rateLimits.take(adminDb(), [
    { key: `${name}:address:${pseudonym(address, requireDatabase(env).secretKey)}`, limit: perAddress },
    { key: `${name}:all`, limit: together },
  ]);

/** Addresses are personal data: a keyed hash counts as well. */
export function pseudonym(address: string, key: string): string {
  return createHmac('sha256', key).update(address).digest('base64url').slice(0, 27);
}
