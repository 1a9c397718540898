import type { AdminDb } from '../clients.ts';
import { unwrap } from '../unwrap.ts';

/** The API does not know the function, or only its cache does. */
const MISSING = ['PGRST202', '42883'];

/**
 * Returns the newest migration that the database has: null if it recorded none, as when files were applied by hand, and
 * undefined if it does not have the function that knows.
 */
export async function read(db: AdminDb): Promise<string | null | undefined> {
  const answer = await db.rpc('schema_version');
  return MISSING.includes(answer.error?.code ?? '') ? undefined : unwrap(answer);
}
