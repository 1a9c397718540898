import * as publicScans from '#lib/db/queries/public-scans.ts';
import type { PublicScanReport } from '#lib/db/shapes/public-scans.ts';
import { AppError } from '#lib/errors.ts';
import type { Services } from '../context.ts';
import { type OldData, oldDataAt } from '../pages/old-data.ts';
import { CACHE_SECONDS, keyOf, toReport } from './scan.ts';

export interface SharedReport {
  readonly report: PublicScanReport;
  readonly commit: string | null;
  readonly engineVersion: string | null;
  readonly freshFrom: string;
  readonly outdated: boolean;
  readonly oldData: OldData | undefined;
}

export async function readSharedReport(services: Services, slug: string): Promise<SharedReport> {
  const db = services.adminDb();
  const stored = await publicScans.findBySlug(db, slug);
  if (stored === null) throw new AppError('not-found', 'There is no report at this address.');
  const newest = (await publicScans.findNewest(db, keyOf(stored.repo))) ?? stored;
  return {
    report: toReport(stored, true),
    commit: stored.commit_sha,
    engineVersion: stored.engine_version,
    freshFrom: new Date(Date.parse(newest.scanned_at) + CACHE_SECONDS * 1000).toISOString(),
    outdated: newest.slug !== stored.slug,
    oldData: oldDataAt(new Date(stored.scanned_at)),
  };
}
