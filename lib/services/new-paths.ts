import type { AttackPath } from '#lib/combos/match.ts';
import { newPaths } from '#lib/combos/new-paths.ts';
import * as attackPaths from '#lib/db/queries/attack-paths.ts';
import type { Services } from './context.ts';
import { pathsUnderSettings } from './paths/compute.ts';
import { pathEngine } from './paths/refresh.ts';

/**
 * The attack paths that a repository's last scan brought: what the scan before it did not have, both under the settings
 * and the triage of now. Null when that cannot be told: there is no scan before, or evidence of one of them is missing.
 * Whoever asks has checked that they may.
 */
export async function pathsSinceLastScan(services: Services, repoId: string): Promise<readonly AttackPath[] | null> {
  const db = services.adminDb();
  const engine = pathEngine(services);
  const [[last], [before]] = await Promise.all([
    attackPaths.readInputs(db, [repoId], engine),
    attackPaths.readInputs(db, [repoId], engine, true),
  ]);
  if (last?.whole !== true || before?.whole !== true) return null;
  return newPaths(pathsUnderSettings(before).found, pathsUnderSettings(last).paths);
}
