import { ARCHIVED_ACTIONS, type ArchivedAction } from '#lib/data/generated/archived-actions.ts';
import { networkOf } from '#lib/facts/action-lookups.ts';
import type { Facts } from '#lib/facts/facts.ts';

const BY_NAME: ReadonlyMap<string, ArchivedAction> = new Map(ARCHIVED_ACTIONS.map((entry) => [entry.action, entry]));

/** Returns the successor of an archived action, empty for none; undefined unless the action is archived. */
export function successorOfArchived(slug: string, facts: Facts): string | undefined {
  const listed = BY_NAME.get(slug);
  const isArchived = networkOf(facts)?.actions.get(slug)?.archived ?? listed !== undefined;
  return isArchived ? (listed?.successor ?? '') : undefined;
}
