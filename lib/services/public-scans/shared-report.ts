import * as publicScans from '#lib/db/queries/public-scans.ts';
import type { PublicScanReport } from '#lib/db/shapes/public-scans.ts';
import { AppError } from '#lib/errors.ts';
import type { Services } from '../context.ts';
import { type OldData, oldDataAt } from '../pages/old-data.ts';
import { CACHE_SECONDS, keyOf, toReport } from './scan.ts';

/** What the page of a shared report shows. */
export interface SharedReport {
  readonly report: PublicScanReport;
  /** The commit that was scanned; null when none is known. */
  readonly commit: string | null;
  /** The version of this program that scanned it; null when none is known. */
  readonly engineVersion: string | null;
  /** RFC 3339: from then on another scan of the repository gives a new result instead of the stored one. */
  readonly freshFrom: string;
  /** A later scan of the repository is stored. */
  readonly outdated: boolean;
  /** What was known of advisories and incidents when it was made, if that was old. */
  readonly oldData: OldData | undefined;
}

/** A stored report with where it comes from. Throws `not-found` for an unknown slug. */
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
