import type { AdminDb } from '../clients.ts';
import { unwrap } from '../unwrap.ts';

/** Numbers of the accounts at the code host that a user signed in with, as decimal digits. */
export async function listScmAccounts(db: AdminDb, userId: string): Promise<readonly string[]> {
  return unwrap(await db.rpc('scm_identities', { p_user_id: userId }));
}
