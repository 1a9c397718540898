import { createHmac } from 'node:crypto';
import * as rateLimits from '#lib/db/queries/rate-limits.ts';
import { requireDatabase, type Services } from '../context.ts';

export type Budget = number | null;

export interface Budgets {
  readonly name: string;
  readonly perAddress: number;
  readonly together: number;
}

export type CountRequest = (services: Services, budgets: Budgets, address: string) => Promise<Budget>;

/** Counts an anonymous request in the database. A request over its address's limit does not count for all. */
export const countRequest: CountRequest = ({ adminDb, env }, { name, perAddress, together }, address) =>
  rateLimits.take(adminDb(), [
    { key: `${name}:address:${pseudonym(address, requireDatabase(env).secretKey)}`, limit: perAddress },
    { key: `${name}:all`, limit: together },
  ]);

/** Hashes an address with a key: addresses are personal data. */
export function pseudonym(address: string, key: string): string {
  return createHmac('sha256', key).update(address).digest('base64url').slice(0, 27);
}
