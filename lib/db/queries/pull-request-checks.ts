import { call } from '../call.ts';
import type { AdminDb } from '../clients.ts';

export interface CheckedPull {
  readonly installationId: string;
  readonly scmId: string;
  readonly number: number;
}

export interface PullCommits {
  readonly head: string;
  readonly base: string;
}

export interface NewCheck extends CheckedPull, PullCommits {
  readonly previousHead: string | null;
  readonly changedAt: string;
  readonly claim: string;
}

export interface OrganizationPolicy {
  readonly org_id: string;
  /** Null if the organization has not listed the repository. */
  readonly repo_id: string | null;
  readonly fail_on: 'never' | 'critical' | 'high' | 'medium' | 'low' | 'info';
  readonly new_only: boolean;
  readonly disabled_rules: readonly string[];
  readonly decided: Readonly<Record<string, string>>;
}

/** Makes a run the one whose result counts. False if a newer head is known. */
export async function begin(db: AdminDb, check: NewCheck): Promise<boolean> {
  const { installationId, scmId, number, head, base, previousHead, changedAt, claim } = check;
  return call(db, 'begin_pull_request_check', {
    p_check: JSON.stringify({
      installation_id: installationId,
      scm_id: scmId,
      number,
      head_sha: head,
      base_sha: base,
      before_sha: previousHead,
      changed_at: changedAt,
      claim,
    }),
  });
}

/** Makes a new run the one of every pull request with this head, and returns them. */
export async function repeat(
  db: AdminDb,
  { installationId, scmId }: Omit<CheckedPull, 'number'>,
  head: string,
  claim: string,
): Promise<readonly (PullCommits & { readonly number: number })[]> {
  return call(db, 'repeat_pull_request_checks', {
    p_installation_id: installationId,
    p_scm_id: scmId,
    p_head_sha: head,
    p_claim: claim,
  });
}

export async function isCurrent(
  db: AdminDb,
  { installationId, scmId, number }: CheckedPull,
  claim: string,
): Promise<boolean> {
  return call(db, 'is_current_pull_request_check', {
    p_installation_id: installationId,
    p_scm_id: scmId,
    p_number: number,
    p_claim: claim,
  });
}

export async function listPolicies(
  db: AdminDb,
  installationId: string,
  scmId: string,
): Promise<readonly OrganizationPolicy[]> {
  return call(db, 'pull_request_policies', { p_installation_id: installationId, p_scm_id: scmId });
}
