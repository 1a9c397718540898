import * as scans from '#lib/db/queries/scans.ts';
import type { ExpiredTriage } from '#lib/db/shapes/scans.ts';
import type { Services } from '../context.ts';

const BATCH = 200;

/** Opens every accepted or snoozed finding whose time has passed. Concurrent runs are safe. */
export async function expireTriage(services: Services): Promise<ExpiredTriage> {
  const total = { expired: 0, repositories: 0 };
  for (let more = true; more; ) {
    const batch = await scans.expireTriage(services.adminDb(), BATCH);
    total.expired += batch.expired;
    total.repositories += batch.repositories;
    more = batch.more && batch.repositories > 0;
  }
  return total;
}
