import { call } from '../call.ts';
import type { AdminDb } from '../clients.ts';

export interface FixOutcome {
  readonly scmId: string;
  readonly number: number;
  readonly mergedAt: string | null;
  readonly closedAt: string | null;
}

export async function recordOutcome(db: AdminDb, { scmId, number, mergedAt, closedAt }: FixOutcome): Promise<number> {
  return call(db, 'record_fix_outcome', {
    p_scm_id: scmId,
    p_number: number,
    p_merged_at: mergedAt,
    p_closed_at: closedAt,
  });
}
