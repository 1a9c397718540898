import { call } from '../call.ts';
import type { AdminDb } from '../clients.ts';

export interface FixOutcome {
  readonly scm_id: string;
  readonly number: number;
  readonly state: 'open' | 'closed' | 'merged';
  readonly merged_at: string | null;
  readonly closed_at: string | null;
  readonly merge_commit_sha: string | null;
}

export interface OpenFix {
  readonly installation_id: string;
  readonly scm_id: string;
  readonly full_name: string;
  readonly number: number;
}

/** Stores the states of pull requests and returns how many of them are ours. A stored merge is final. */
export async function recordOutcomes(db: AdminDb, outcomes: readonly FixOutcome[]): Promise<number> {
  return call(db, 'record_fix_outcomes', { p_outcomes: JSON.stringify(outcomes) });
}

export async function listOpen(db: AdminDb, after: OpenFix | null, limit: number): Promise<readonly OpenFix[]> {
  return call(db, 'open_fix_pull_requests', {
    p_after: after === null ? null : JSON.stringify(after),
    p_limit: limit,
  });
}

export async function listTriaged(db: AdminDb, repoId: string): Promise<readonly string[]> {
  return call(db, 'triaged_fingerprints', { p_repo_id: repoId });
}
