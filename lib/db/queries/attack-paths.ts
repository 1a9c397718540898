import { call } from '../call.ts';
import type { AdminDb } from '../clients.ts';
import type { NotAssessed } from '../shapes/common.ts';
import type { Finding, TriageStatus } from '../shapes/scans.ts';

export interface PathEngine {
  readonly engine: string;
  readonly rules: readonly string[];
}

export interface StoredPath {
  readonly id: string;
  readonly severity: 'CRITICAL' | 'HIGH' | 'MEDIUM';
  readonly scope: 'job' | 'file' | 'repo';
  readonly file: string | null;
  readonly break_rule: string;
  readonly stages: readonly (string | null)[];
  readonly components: readonly string[];
  /** Sets of components, by their place in the list; fixing all of any set ends the path. */
  readonly cuts: readonly (readonly number[])[];
  readonly mitigated_by: readonly string[];
  readonly accepted: boolean;
}

export interface StoredPaths {
  readonly repo_id: string;
  readonly paths: readonly StoredPath[];
  readonly findings: Readonly<Record<string, Finding>>;
}

export interface RepositoryWithPaths {
  readonly repo_id: string;
  readonly full_name: string;
  readonly html_url: string;
  readonly basis: string;
}

export interface CoverageGroup {
  readonly gaps: readonly NotAssessed[];
  readonly disabled: readonly string[];
  readonly repos: number;
  readonly matched: Readonly<Record<string, number>>;
}

export interface KnownPaths {
  readonly tag: string;
  readonly org_id: string;
  readonly total: number;
  readonly critical: number;
  readonly high: number;
  readonly coverage: readonly CoverageGroup[];
  readonly repos: readonly RepositoryWithPaths[];
}

export interface Stale {
  readonly stale: readonly string[];
  readonly scanned: number;
}

export async function ofOrganization(
  db: AdminDb,
  userId: string,
  orgId: string,
  { engine, rules, tag, limit }: PathEngine & { readonly tag: string | null; readonly limit: number | null },
): Promise<Stale | { readonly tag: string } | KnownPaths> {
  return call(db, 'attack_paths_of_organization', {
    p_user_id: userId,
    p_org_id: orgId,
    p_engine: engine,
    p_rules: JSON.stringify(rules),
    p_tag: tag,
    p_limit: limit,
  });
}

export async function ofRepository(
  db: AdminDb,
  userId: string,
  repoId: string,
  { engine, rules }: PathEngine,
): Promise<Stale | KnownPaths> {
  return call(db, 'attack_paths_of_repository', {
    p_user_id: userId,
    p_repo_id: repoId,
    p_engine: engine,
    p_rules: JSON.stringify(rules),
  });
}

export async function readStored(
  db: AdminDb,
  userId: string,
  orgId: string,
  rows: readonly Pick<RepositoryWithPaths, 'repo_id' | 'basis'>[],
): Promise<readonly StoredPaths[]> {
  const wanted = JSON.stringify(rows.map(({ repo_id, basis }) => ({ repo_id, basis })));
  return call(db, 'stored_attack_paths', { p_user_id: userId, p_org_id: orgId, p_rows: wanted });
}

export interface PathInputs {
  readonly repo_id: string;
  readonly scan_id: string;
  readonly basis: string;
  readonly private: boolean;
  readonly disabled: readonly string[];
  readonly completed: readonly string[];
  readonly not_assessed: readonly NotAssessed[];
  /** This and the next two are null for scans older than stored evidence. */
  readonly evidence: unknown;
  readonly whole: boolean | null;
  readonly caches_read_only: boolean | null;
  readonly decided: Readonly<Record<string, Exclude<TriageStatus, 'open'>>>;
}

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
  readonly disabled: readonly string[];
  readonly private: boolean;
  /** Switching any other rule changes no path. */
  readonly rules: readonly string[];
  readonly matched: readonly string[];
  readonly total: number;
  readonly critical: number;
  readonly high: number;
  readonly worst_rank: number | null;
  readonly worst_id: string | null;
  readonly worst_file: string | null;
  readonly gaps: readonly NotAssessed[];
  readonly paths: readonly StoredPath[];
  readonly used: readonly string[];
}

/** Stores computed paths of repositories of one organization, except those whose basis is no longer current. */
export async function store(db: AdminDb, rows: readonly ComputedPaths[], { engine, rules }: PathEngine): Promise<void> {
  await call(db, 'store_attack_paths', {
    p_engine: engine,
    p_rules: JSON.stringify(rules),
    p_rows: JSON.stringify(rows),
  });
}

export interface OutdatedPaths {
  readonly org_id: string;
  readonly repo_ids: readonly string[];
}

export async function listOutdated(db: AdminDb, engine: string, max: number): Promise<readonly OutdatedPaths[]> {
  return call(db, 'outdated_attack_paths', { p_engine: engine, p_max: max });
}
