import { call, callAgain } from '../call.ts';
import type { AdminDb } from '../clients.ts';
import type { NotAssessed } from '../shapes/common.ts';
import type {
  ExpiredTriage,
  Finding,
  Ruleset,
  ScanResult,
  Triage,
  TriageResults,
  TriageStatus,
} from '../shapes/scans.ts';

export interface ObservedTagRow {
  readonly action: string;
  readonly tag: string;
  readonly commit: string;
  readonly at: string;
}

export interface UsedTag {
  readonly action: string;
  readonly tag: string;
  readonly commit: string | null;
}

export interface ScanTarget {
  readonly repo_id: string;
  readonly org_id: string;
  readonly user_id: string;
  readonly scm_id: string;
  readonly installation_id: string;
  readonly full_name: string;
  readonly disabled_rules: readonly string[];
  readonly observed_tags: readonly ObservedTagRow[];
  readonly last_scan: {
    readonly scan_id: string;
    readonly ruleset: Ruleset;
    readonly workflow_files: number;
    readonly suppressed: number;
    readonly tree: string;
    readonly digest: string;
    readonly completed: readonly string[];
    readonly not_assessed: readonly NotAssessed[];
  } | null;
}

export interface NewEvidence {
  readonly evidence: object;
  readonly whole: boolean;
  readonly caches_read_only: boolean;
}

/**
 * Null for `observed_tags`, `action_uses` or `diagnostics` keeps those of the scan before. `after_scan_id` was the last scan
 * when this one began; a newer one makes it stale. `same_as` has the same findings and evidence, which are then left out.
 */
export interface NewScan {
  readonly repo_id: string;
  readonly user_id: string;
  readonly trigger: 'manual' | 'push';
  readonly ruleset: Ruleset;
  readonly commit_sha: string | null;
  readonly workflow_files: number;
  readonly suppressed: number;
  readonly started_at: string;
  readonly after_scan_id: string | null;
  readonly digest: string;
  readonly tree: string;
  readonly completed: readonly string[];
  readonly not_assessed: readonly NotAssessed[];
  readonly same_as: string | null;
  readonly findings: readonly Finding[];
  readonly evidence: NewEvidence | null;
  readonly observed_tags: readonly UsedTag[] | null;
  readonly action_uses: readonly ActionUse[] | null;
  readonly diagnostics: ScanDiagnostics | null;
  readonly full_name: string;
  readonly html_url: string;
  readonly private: boolean;
  readonly default_branch: string | null;
  readonly archived: boolean;
}

export interface ScanDiagnostics {
  readonly count: number;
  readonly first: readonly {
    readonly file: string;
    readonly line: number | null;
    readonly column: number | null;
    readonly severity: 'error' | 'warning';
    readonly message: string;
  }[];
}

export interface ActionUse {
  readonly owner: string;
  readonly name: string;
  readonly path: string;
  readonly ref: string;
  readonly file: string;
  readonly line: number;
}

export interface StoredScan extends ScanResult {
  readonly new_high: readonly Pick<Finding, 'fingerprint' | 'rule_id' | 'title' | 'file' | 'line'>[];
}

export async function getTarget(db: AdminDb, userId: string, repoId: string): Promise<ScanTarget> {
  return call(db, 'scan_target', { p_user_id: userId, p_repo_id: repoId });
}

export async function listPushTargets(db: AdminDb, scmId: string): Promise<readonly ScanTarget[] | null> {
  return call(db, 'push_targets', { p_scm_id: scmId });
}

/**
 * Stores a scan in one transaction. Returns null if it is stale; also if it was stored before but the answer was lost.
 */
export async function persist(db: AdminDb, { evidence, ...scan }: NewScan): Promise<StoredScan | null> {
  return callAgain(db, 'persist_scan', {
    p_scan: JSON.stringify(scan),
    p_evidence: evidence === null ? null : JSON.stringify(evidence),
  });
}

export interface Decision {
  readonly repoId: string;
  readonly fingerprint: string;
  readonly status: TriageStatus;
  readonly reason: string | null;
  readonly expiresAt: string | null;
  readonly ifStatus: TriageStatus | null;
}

export async function triage(
  db: AdminDb,
  userId: string,
  { repoId, fingerprint, status, reason, expiresAt, ifStatus }: Decision,
): Promise<Triage> {
  return call(db, 'triage_finding', {
    p_user_id: userId,
    p_repo_id: repoId,
    p_fingerprint: fingerprint,
    p_status: status,
    p_reason: reason,
    p_expires_at: expiresAt,
    p_if_status: ifStatus,
  });
}

/** Triages findings of one organization in one transaction; each has an outcome of its own. */
export async function triageMany(
  db: AdminDb,
  userId: string,
  orgId: string,
  decisions: readonly Decision[],
): Promise<TriageResults> {
  const changes = decisions.map(({ repoId, fingerprint, status, reason, expiresAt, ifStatus }) => ({
    repo_id: repoId,
    fingerprint,
    status,
    reason,
    expires_at: expiresAt,
    if_status: ifStatus,
  }));
  return call(db, 'triage_findings', { p_user_id: userId, p_org_id: orgId, p_changes: JSON.stringify(changes) });
}

export async function expireTriage(
  db: AdminDb,
  maxRepositories: number,
): Promise<ExpiredTriage & { readonly more: boolean }> {
  return call(db, 'expire_triage', { p_max_repositories: maxRepositories });
}

/** Deletes the details of scans that ended more than `days` ago. Concurrent runs take different scans. */
export async function prune(
  db: AdminDb,
  days: number,
  maxScans: number,
): Promise<{ readonly scans: number; readonly findings: number }> {
  return call(db, 'prune_scans', { p_days: days, p_max_scans: maxScans });
}
