import type { AdminDb } from '../clients.ts';
import { unwrap } from '../unwrap.ts';

/**
 * Returns the newest migration that the database has: null if it recorded none, as when files were applied by hand, and
 * undefined if it does not have the function that knows.
 */
export async function read(db: AdminDb): Promise<string | null | undefined> {
  const answer = await db.rpc('schema_version');
  return answer.error?.code === 'PGRST202' ? undefined : unwrap(answer);
}
