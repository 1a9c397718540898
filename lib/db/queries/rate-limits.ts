import { call } from '../call.ts';
import type { AdminDb } from '../clients.ts';

const WINDOW_SECONDS = 60;

export async function take(
  db: AdminDb,
  budgets: readonly { readonly key: string; readonly limit: number }[],
): Promise<number | null> {
  return call(db, 'take_rate_limits', { p_budgets: JSON.stringify(budgets), p_window_seconds: WINDOW_SECONDS });
}
