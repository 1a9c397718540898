import { call } from '../call.ts';
import type { AdminDb } from '../clients.ts';

export async function listScmAccounts(db: AdminDb, userId: string): Promise<readonly string[]> {
  return call(db, 'scm_identities', { p_user_id: userId });
}
