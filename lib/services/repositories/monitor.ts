import * as repositories from '#lib/db/queries/repositories.ts';
import type { Services } from '../context.ts';

/** Whether a push to the default branch scans this repository; whoever switches it on is told of what it brings. */
export function monitorRepository(
  { adminDb }: Services,
  userId: string,
  repoId: string,
  monitored: boolean,
): Promise<boolean> {
  return repositories.setMonitored(adminDb(), userId, repoId, monitored);
}
