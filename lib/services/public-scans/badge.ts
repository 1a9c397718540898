import type { PublicScanReport } from '#lib/db/shapes/public-scans.ts';
import { isRepositoryName, type RepositoryName } from '#lib/hosts/code-host/repository-name.ts';
import type { Services } from '../context.ts';
import { newestPublicScan } from './scan.ts';

export type BadgeCounts = PublicScanReport['counts'] | 'no workflows' | null;

/**
 * Returns what the badge of a report shows. A repository without workflows is not clean, since there is nothing to
 * judge.
 */
export function badgeOf({
  findings,
  no_workflows,
  counts,
}: Pick<PublicScanReport, 'findings' | 'no_workflows' | 'counts'>): BadgeCounts {
  return findings === 0 && no_workflows ? 'no workflows' : counts;
}

/** Returns the counts of the newest stored scan. `known` is false if the database failed: not cacheable. */
export async function readBadgeCounts(
  services: Services,
  repository: RepositoryName,
): Promise<{ readonly counts: BadgeCounts; readonly known: boolean }> {
  if (services.env.database === null || !isRepositoryName(repository)) return { counts: null, known: true };
  try {
    const report = await newestPublicScan(services, repository);
    return { counts: report === null ? null : badgeOf(report), known: true };
  } catch (error) {
    services.log.error('badge without its data', { error });
    return { counts: null, known: false };
  }
}
