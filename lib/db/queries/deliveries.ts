import { call } from '../call.ts';
import type { AdminDb } from '../clients.ts';

/** Who handles a delivery, and for how long unless they say so again. */
export interface DeliveryClaim {
  readonly id: string;
  readonly event: string;
  /** A uuid of whoever claims it. */
  readonly claim: string;
  readonly claimSeconds: number;
}

/** Claims a delivery or renews the claim: `busy` while somebody else has it, `handled` once it was. */
export async function begin(
  db: AdminDb,
  { id, event, claim, claimSeconds }: DeliveryClaim,
): Promise<'claimed' | 'busy' | 'handled'> {
  return call(db, 'begin_delivery', { p_id: id, p_event: event, p_claim: claim, p_claim_seconds: claimSeconds });
}

/** Gives the claim up: for good when handled, else the delivery may come again. */
export async function end(db: AdminDb, id: string, claim: string, handled: boolean): Promise<void> {
  await call(db, 'end_delivery', { p_id: id, p_claim: claim, p_handled: handled });
}
