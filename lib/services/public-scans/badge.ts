import { isRepositoryName, type RepositoryName } from '#lib/hosts/code-host/repository-name.ts';
import type { Counts } from '#lib/scanner/engine/finding.ts';
import type { Services } from '../context.ts';
import { newestPublicScan } from './scan.ts';

/** Returns the counts of the newest stored scan. `known` is false if the database failed: not cacheable. */
export async function readBadgeCounts(
  services: Services,
  repository: RepositoryName,
): Promise<{ readonly counts: Counts | null; readonly known: boolean }> {
  if (services.env.database === null || !isRepositoryName(repository)) return { counts: null, known: true };
  try {
    return { counts: (await newestPublicScan(services, repository))?.counts ?? null, known: true };
  } catch (error) {
    services.log.error('badge without its data', { error });
    return { counts: null, known: false };
  }
}
