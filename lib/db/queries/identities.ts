import { call } from '../call.ts';
import type { AdminDb } from '../clients.ts';

/** Returns the account numbers at the code host that a user signed in with, as decimal digits. */
export async function listScmAccounts(db: AdminDb, userId: string): Promise<readonly string[]> {
  return call(db, 'scm_identities', { p_user_id: userId });
}
