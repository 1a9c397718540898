import { call } from '../call.ts';
import type { AdminDb } from '../clients.ts';

export interface DeliveryClaim {
  readonly id: string;
  readonly event: string;
  readonly claim: string;
  readonly claimSeconds: number;
}

/** Claims a delivery or renews the claim: `busy` while another process holds it, `handled` afterwards. */
export async function begin(
  db: AdminDb,
  { id, event, claim, claimSeconds }: DeliveryClaim,
): Promise<'claimed' | 'busy' | 'handled'> {
  return call(db, 'begin_delivery', { p_id: id, p_event: event, p_claim: claim, p_claim_seconds: claimSeconds });
}

export async function listUnhandled(db: AdminDb, ids: readonly string[]): Promise<readonly string[]> {
  return call(db, 'unhandled_deliveries', { p_ids: JSON.stringify(ids) });
}

export async function listUnfinished(db: AdminDb, days: number): Promise<readonly string[]> {
  return call(db, 'unfinished_deliveries', { p_days: days });
}

/** Releases the claim. An unhandled delivery may arrive again. */
export async function end(db: AdminDb, id: string, claim: string, handled: boolean): Promise<void> {
  await call(db, 'end_delivery', { p_id: id, p_claim: claim, p_handled: handled });
}
