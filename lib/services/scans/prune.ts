import * as scans from '#lib/db/queries/scans.ts';
import type { Services } from '../context.ts';

const BATCH = 200;
const TIME_LIMIT_MS = 30_000;

/**
 * Deletes the details of old scans: those that ended more than `RETENTION_DAYS` ago and are not a repository's last.
 * Counts, triage and the last sighting of each finding stay. Ends after half a minute; the next run goes on.
 */
export async function pruneScans(services: Services): Promise<void> {
  const { retentionDays } = services.env;
  if (retentionDays === 0) return;
  const deadline = performance.now() + TIME_LIMIT_MS;
  const total = { scans: 0, findings: 0 };
  for (let more = true; more && performance.now() < deadline; ) {
    const batch = await scans.prune(services.adminDb(), retentionDays, BATCH);
    total.scans += batch.scans;
    total.findings += batch.findings;
    more = batch.scans === BATCH;
  }
  if (total.scans > 0) services.log.info('details of old scans were deleted', total);
}
