import { call } from '../call.ts';
import type { AdminDb } from '../clients.ts';
import type { NotAssessed } from '../shapes/common.ts';
import type { ExpiredTriage, Finding, Ruleset, ScanResult, Triage, TriageStatus } from '../shapes/scans.ts';

/** What a release tag of an action named when a scan of the repository first saw it. */
export interface ObservedTagRow {
  /** `owner/repo` in lower case. */
  readonly action: string;
  readonly tag: string;
  readonly commit: string;
  /** RFC 3339. */
  readonly at: string;
}

/** A release tag that a scan's workflows use. */
export interface UsedTag {
  readonly action: string;
  readonly tag: string;
  /** What it names, kept when no scan has seen it before; null when nobody knows. */
  readonly commit: string | null;
}

/** A repository of one organization, with what its next scan builds on. */
export interface ScanTarget {
  readonly repo_id: string;
  readonly org_id: string;
  /** Who the scan is for. */
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

/** What combinations need of a scan. */
export interface NewEvidence {
  /** As the engine wrote it. */
  readonly evidence: object;
  /** False when there was more than is kept. */
  readonly whole: boolean;
  /** Where runs that outsiders cause can only read the caches of the default branch. */
  readonly caches_read_only: boolean;
}

export interface NewScan {
  readonly repo_id: string;
  readonly user_id: string;
  readonly trigger: 'manual' | 'push';
  readonly ruleset: Ruleset;
  readonly commit_sha: string | null;
  readonly workflow_files: number;
  readonly suppressed: number;
  /** RFC 3339. */
  readonly started_at: string;
  /** The repository's last scan when this one began: another one since then makes it stale. */
  readonly after_scan_id: string | null;
  /** What the result follows from, beside the tree: rules, their version, settings. */
  readonly digest: string;
  readonly tree: string;
  /** Rules that ran to their end. */
  readonly completed: readonly string[];
  readonly not_assessed: readonly NotAssessed[];
  /** Findings and evidence are those of this scan, `findings` is empty and `evidence` null. */
  readonly same_as: string | null;
  readonly findings: readonly Finding[];
  readonly evidence: NewEvidence | null;
  /** Null of a scan that did not look: what was observed stays as it is. */
  readonly observed_tags: readonly UsedTag[] | null;
  readonly full_name: string;
  readonly html_url: string;
  readonly private: boolean;
  readonly default_branch: string | null;
  readonly archived: boolean;
}

export interface StoredScan extends ScanResult {
  /** Findings at HIGH that no scan had found before. */
  readonly new_high: readonly Pick<Finding, 'rule_id' | 'title' | 'file' | 'line'>[];
}

/** `not-found` for a repository that this user may not see, or that left its installation. */
export async function getTarget(db: AdminDb, userId: string, repoId: string): Promise<ScanTarget> {
  return call(db, 'scan_target', { p_user_id: userId, p_repo_id: repoId });
}

/** Every monitored row of a repository; null when no organization knows it. */
export async function listPushTargets(db: AdminDb, scmId: string): Promise<readonly ScanTarget[] | null> {
  return call(db, 'push_targets', { p_scm_id: scmId });
}

/** Stores a whole scan in one transaction; null when it is stale and has to begin again. */
export async function persist(db: AdminDb, { evidence, ...scan }: NewScan): Promise<StoredScan | null> {
  return call(db, 'persist_scan', {
    p_scan: JSON.stringify(scan),
    p_evidence: evidence === null ? null : JSON.stringify(evidence),
  });
}

export interface Decision {
  readonly repoId: string;
  readonly fingerprint: string;
  readonly status: TriageStatus;
  readonly reason: string | null;
  /** RFC 3339; for accepted and snoozed only. */
  readonly expiresAt: string | null;
}

export async function triage(
  db: AdminDb,
  userId: string,
  { repoId, fingerprint, status, reason, expiresAt }: Decision,
): Promise<Triage> {
  return call(db, 'triage_finding', {
    p_user_id: userId,
    p_repo_id: repoId,
    p_fingerprint: fingerprint,
    p_status: status,
    p_reason: reason,
    p_expires_at: expiresAt,
  });
}

/** Opens what was accepted or snoozed until now, of so many repositories at most. */
export async function expireTriage(
  db: AdminDb,
  maxRepositories: number,
): Promise<ExpiredTriage & { readonly more: boolean }> {
  return call(db, 'expire_triage', { p_max_repositories: maxRepositories });
}
