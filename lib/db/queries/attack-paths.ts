import { call } from '../call.ts';
import type { AdminDb } from '../clients.ts';
import type { NotAssessed } from '../shapes/common.ts';
import type { Finding, TriageStatus } from '../shapes/scans.ts';

/** Which engine asks, and the rules that its combinations name. */
export interface PathEngine {
  readonly engine: string;
  readonly rules: readonly string[];
}

/** A path as it is stored: what the engine says of its kind is left out. */
export interface StoredPath {
  readonly id: string;
  readonly severity: 'CRITICAL' | 'HIGH' | 'MEDIUM';
  readonly scope: 'job' | 'file' | 'repo';
  readonly file: string | null;
  readonly break_rule: string;
  /** The rule of each stage. */
  readonly stages: readonly (string | null)[];
  /** Fingerprints. */
  readonly components: readonly string[];
  readonly mitigated_by: readonly string[];
  readonly accepted: boolean;
}

export interface StoredFix {
  readonly fingerprint: string;
  readonly rule_id: string;
  readonly breaks: number;
}

export interface StoredPaths {
  readonly repo_id: string;
  readonly paths: readonly StoredPath[];
  /** By fingerprint, as the scan wrote them. */
  readonly findings: Readonly<Record<string, Finding>>;
  readonly fix_first: readonly StoredFix[];
}

/** Where there are paths to read. */
export interface RepositoryWithPaths {
  readonly repo_id: string;
  readonly full_name: string;
  readonly html_url: string;
  /** Names these paths among all that the repository had or will have. */
  readonly basis: string;
}

/** Repositories in which the same rules have no complete answer. */
export interface CoverageGroup {
  readonly missing: readonly NotAssessed[];
  readonly repos: number;
  /** How many of them each combination was found in. */
  readonly matched: Readonly<Record<string, number>>;
}

export interface KnownPaths {
  /** The same as long as the rest is. */
  readonly tag: string;
  readonly coverage: readonly CoverageGroup[];
  readonly org_id: string;
  /** By full name; only those with paths. */
  readonly repos: readonly RepositoryWithPaths[];
}

/** Repositories whose paths have to be computed first. */
export interface Stale {
  readonly stale: readonly string[];
}

/** For every repository still in the organization; only the tag if it equals the given one. */
export async function ofOrganization(
  db: AdminDb,
  userId: string,
  orgId: string,
  { engine, rules, tag }: PathEngine & { readonly tag: string | null },
): Promise<Stale | { readonly tag: string } | KnownPaths> {
  return call(db, 'org_attack_paths', {
    p_user_id: userId,
    p_org_id: orgId,
    p_engine: engine,
    p_rules: JSON.stringify(rules),
    p_tag: tag,
  });
}

/** Returns the paths of one repository. Throws `not-found` unless the user may see it. */
export async function ofRepository(
  db: AdminDb,
  userId: string,
  repoId: string,
  { engine, rules }: PathEngine,
): Promise<Stale | KnownPaths> {
  return call(db, 'repository_attack_paths', {
    p_user_id: userId,
    p_repo_id: repoId,
    p_engine: engine,
    p_rules: JSON.stringify(rules),
  });
}

/** In no order; without those that were replaced meanwhile. */
export async function readStored(
  db: AdminDb,
  userId: string,
  orgId: string,
  rows: readonly Pick<RepositoryWithPaths, 'repo_id' | 'basis'>[],
): Promise<readonly StoredPaths[]> {
  const wanted = JSON.stringify(rows.map(({ repo_id, basis }) => ({ repo_id, basis })));
  return call(db, 'stored_paths', { p_user_id: userId, p_org_id: orgId, p_rows: wanted });
}

/** What the paths of a repository follow from. */
export interface PathInputs {
  readonly repo_id: string;
  readonly scan_id: string;
  /** Stored with what follows from this. */
  readonly basis: string;
  readonly private: boolean;
  /** Rules that are off there now. */
  readonly disabled: readonly string[];
  /** Those of the rules asked for that ran to their end in the scan, and all that did not. */
  readonly completed: readonly string[];
  readonly not_assessed: readonly NotAssessed[];
  /** The engine's evidence as it was stored; the next three are null for a scan from before it was. */
  readonly evidence: unknown;
  readonly whole: boolean | null;
  readonly caches_read_only: boolean | null;
  /** Triage by fingerprint; what is open is left out. */
  readonly decided: Readonly<Record<string, Exclude<TriageStatus, 'open'>>>;
}

/** Returns what the paths of repositories' last scans follow from. */
export async function readInputs(
  db: AdminDb,
  repoIds: readonly string[],
  { engine, rules }: PathEngine,
): Promise<readonly PathInputs[]> {
  return call(db, 'path_inputs', {
    p_repo_ids: JSON.stringify(repoIds),
    p_engine: engine,
    p_rules: JSON.stringify(rules),
    p_previous: false,
  });
}

export interface ComputedPaths {
  readonly repo_id: string;
  readonly scan_id: string;
  readonly basis: string;
  readonly paths: readonly StoredPath[];
  /** Fingerprints of the findings that the paths name. */
  readonly used: readonly string[];
  readonly fix_first: readonly StoredFix[];
  readonly matched: readonly string[];
  readonly missing: readonly NotAssessed[];
}

export async function store(db: AdminDb, rows: readonly ComputedPaths[]): Promise<void> {
  await call(db, 'store_paths', { p_rows: JSON.stringify(rows) });
}
