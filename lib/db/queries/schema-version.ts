import type { AdminDb } from '../clients.ts';
import { unwrap } from '../unwrap.ts';

/** The API does not know the function, or knows it only from its cache. */
const MISSING = ['PGRST202', '42883'];

/**
 * Returns the newest migration of the database; null if it recorded none, for example because files were applied by
 * hand; undefined if it lacks the function.
 */
export async function read(db: AdminDb): Promise<string | null | undefined> {
  const answer = await db.rpc('schema_version');
  return MISSING.includes(answer.error?.code ?? '') ? undefined : unwrap(answer);
}
