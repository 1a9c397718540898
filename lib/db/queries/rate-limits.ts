import type { AdminDb } from '../clients.ts';
import { unwrap } from '../unwrap.ts';

const WINDOW_SECONDS = 60;

/** Counts one request against each budget; the seconds to wait when one of them is used up. */
export async function take(
  db: AdminDb,
  budgets: readonly { readonly key: string; readonly limit: number }[],
): Promise<number | null> {
  const args = { p_budgets: JSON.stringify(budgets), p_window_seconds: WINDOW_SECONDS };
  return unwrap<number | null>(await db.rpc('take_rate_limits', args));
}
