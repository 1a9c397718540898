import { call, callAgain } from '../call.ts';
import type { AdminDb } from '../clients.ts';
import type { ShownScan } from '../shapes/public-scans.ts';

export interface ScanOrigin {
  readonly commit_sha: string | null;
  readonly engine_version: string | null;
}

export interface FoundPath {
  readonly id: string;
  readonly severity: 'CRITICAL' | 'HIGH' | 'MEDIUM';
  readonly count: number;
}

export interface ScanOutlook {
  readonly attack_paths: readonly FoundPath[];
  /** Number of findings whose fixes end every attack path; null if no fix ends one of them. */
  readonly path_fixes: number | null;
  readonly checks: readonly { readonly category: string; readonly passed: number; readonly run: number }[];
}

export interface StoredScan extends ShownScan, ScanOrigin {
  readonly slug: string;
  readonly scanned_at: string;
  readonly attack_paths: ScanOutlook['attack_paths'] | null;
  readonly path_fixes: number | null;
  readonly checks: ScanOutlook['checks'] | null;
}

export interface NewScan extends ShownScan, ScanOrigin, ScanOutlook {
  readonly slug: string;
  readonly scm_id: string;
  readonly rule_counts: Readonly<Record<string, number>>;
}

export type Beginning =
  | { readonly state: 'cached'; readonly scan: StoredScan }
  | { readonly state: 'claimed' | 'busy' };

export interface Statistics {
  readonly repositories: number;
  readonly workflows: number;
  readonly findings: number;
  readonly actions: number;
  readonly rules: Readonly<Record<string, number>>;
  readonly recent: readonly StoredScan[];
}

interface BeginOptions {
  readonly claim: string;
  readonly maxAgeSeconds: number;
  readonly claimSeconds: number;
}

/** Returns a fresh stored scan, the claim to make one, or `busy` while another process holds the claim. */
export async function begin(db: AdminDb, repoKey: string, options: BeginOptions): Promise<Beginning> {
  return call(db, 'begin_public_scan', {
    p_repo_key: repoKey,
    p_claim: options.claim,
    p_max_age_seconds: options.maxAgeSeconds,
    p_claim_seconds: options.claimSeconds,
  });
}

export async function finish(db: AdminDb, claim: string, scan: NewScan): Promise<StoredScan> {
  const parameters = { p_claim: claim, p_scan: JSON.stringify(scan) };
  return callAgain(db, 'finish_public_scan', parameters, () => findBySlug(db, scan.slug));
}

export async function abandon(db: AdminDb, repoKey: string, claim: string): Promise<void> {
  await call(db, 'abandon_public_scan', { p_repo_key: repoKey, p_claim: claim });
}

/** Afterwards the repository's name leads to no report until a new one is made. */
export async function withdraw(db: AdminDb, repoKey: string): Promise<void> {
  await call(db, 'withdraw_public_scans', { p_repo_key: repoKey });
}

export async function findBySlug(db: AdminDb, slug: string): Promise<StoredScan | null> {
  return call(db, 'public_scan_by_slug', { p_slug: slug });
}

export async function findNewest(db: AdminDb, repoKey: string): Promise<StoredScan | null> {
  return call(db, 'newest_public_scan', { p_repo_key: repoKey, p_max_age_seconds: null });
}

export async function readStatistics(db: AdminDb): Promise<Statistics> {
  return call(db, 'public_statistics', {});
}
