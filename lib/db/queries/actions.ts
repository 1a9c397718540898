import { call, callAgain } from '../call.ts';
import type { AdminDb } from '../clients.ts';
import type {
  ActionDetail,
  ActionSort,
  Band,
  ListedActions,
  NamedTagMove,
  RankedAction,
  StoredSignal,
  TagMove,
} from '../shapes/actions.ts';

export interface ActionListing {
  readonly query: string;
  readonly bands: readonly Band[];
  readonly sort: ActionSort;
  readonly descending: boolean;
  readonly limit: number;
  readonly offset: number;
}

export interface NewActionVersion {
  readonly scm_id: string;
  readonly owner_scm_id: string;
  readonly owner: string;
  readonly name: string;
  readonly description: string | null;
  readonly url: string;
  readonly stars: number;
  readonly archived: boolean;
  readonly path: string;
  readonly sha: string;
  /** False for a version other than the current one, which has to be stored first. */
  readonly current?: boolean;
  readonly refs: readonly { readonly ref: string; readonly commit: string }[];
  readonly evaluation: {
    readonly algorithm_version: string;
    readonly signals_hash: string;
    readonly score: number;
    readonly score_floor: number;
    readonly band: string;
    readonly coverage: number;
    readonly provisional: boolean;
    readonly hard_block: readonly string[];
    readonly breakdown: Readonly<Record<string, number>>;
    readonly signals: readonly StoredSignal[];
    readonly finding_counts: Readonly<Record<string, number>>;
  };
}

export interface ActionHistory {
  readonly observations: readonly {
    readonly ref: string;
    readonly commit: string;
    readonly first_seen_at: string;
    readonly last_seen_at: string;
  }[];
  readonly identities: readonly { readonly scm_id: string; readonly owner_scm_id: string; readonly at: string }[];
  readonly signals: readonly StoredSignal[] | null;
  readonly signals_sha: string | null;
  readonly users: number;
  readonly organizations: number;
  readonly used_refs: readonly string[];
}

export interface KnownVersion {
  readonly sha: string;
  readonly signals: readonly StoredSignal[];
  readonly checked_at: string;
}

export interface ClaimedAction {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
}

/** Returns null for an unknown action. The name may be a former one. */
export async function read(db: AdminDb, owner: string, name: string): Promise<ActionDetail | null> {
  return call(db, 'read_action', { p_name_key: `${owner}/${name}`.toLowerCase() });
}

export async function list(db: AdminDb, listing: ActionListing): Promise<ListedActions> {
  return call(db, 'list_actions', {
    p_query: listing.query,
    p_bands: JSON.stringify(listing.bands),
    p_sort: listing.sort,
    p_descending: listing.descending,
    p_limit: listing.limit,
    p_offset: listing.offset,
  });
}

export async function readTagMoves(
  db: AdminDb,
  owner: string,
  name: string,
  limit: number,
): Promise<readonly TagMove[]> {
  return call(db, 'read_tag_moves', { p_name_key: `${owner}/${name}`.toLowerCase(), p_limit: limit });
}

export async function listTagMoves(db: AdminDb, days: number, limit: number): Promise<readonly NamedTagMove[]> {
  return call(db, 'list_tag_moves', { p_days: days, p_limit: limit });
}

export async function listNames(
  db: AdminDb,
  limit: number,
): Promise<readonly { readonly owner: string; readonly name: string; readonly scored_at: string }[]> {
  return call(db, 'list_action_names', { p_limit: limit });
}

/** Returns the lowest score first. Throws `not-found` unless the user belongs to the organization. */
export async function rank(
  db: AdminDb,
  userId: string,
  orgId: string | null,
  limit: number,
): Promise<readonly RankedAction[]> {
  return call(db, 'rank_actions', { p_user_id: userId, p_org_id: orgId, p_limit: limit });
}

/** Returns false for an unknown name if too many of them wait already. */
export async function enqueue(db: AdminDb, owner: string, name: string): Promise<boolean> {
  return call(db, 'enqueue_action', { p_owner: owner, p_name: name });
}

export async function readScores(
  db: AdminDb,
  uses: readonly { readonly name: string; readonly ref: string }[],
): Promise<
  readonly {
    readonly name: string;
    readonly score: number;
    readonly at: string;
    readonly refs: readonly { readonly ref: string; readonly score: number; readonly at: string }[];
  }[]
> {
  return call(db, 'read_action_scores', { p_uses: JSON.stringify(uses) });
}

export async function catalog(db: AdminDb, names: readonly string[]): Promise<number> {
  return call(db, 'catalog_actions', { p_names: JSON.stringify(names) });
}

export async function readHistory(db: AdminDb, scmId: string, owner: string, name: string): Promise<ActionHistory> {
  return call(db, 'read_action_history', { p_scm_id: scmId, p_name_key: `${owner}/${name}`.toLowerCase() });
}

export async function readVersions(
  db: AdminDb,
  scmId: string,
  commits: readonly string[],
): Promise<readonly KnownVersion[]> {
  return call(db, 'read_action_versions', { p_scm_id: scmId, p_commits: JSON.stringify(commits) });
}

/** Stores an evaluation with its observations in one transaction. Repeating it changes nothing. */
export async function store(db: AdminDb, version: NewActionVersion): Promise<ActionDetail> {
  return callAgain(db, 'store_action', { p_action: JSON.stringify(version) });
}

/**
 * Leases actions that are pending, or were scored longer ago than `rescoreSeconds`; much used ones after a quarter of
 * it. With null, only pending ones.
 */
export async function claim(
  db: AdminDb,
  options: { lease: string; leaseSeconds: number; limit: number; rescoreSeconds: number | null },
): Promise<readonly ClaimedAction[]> {
  return call(db, 'claim_actions', {
    p_lease: options.lease,
    p_lease_seconds: options.leaseSeconds,
    p_limit: options.limit,
    p_rescore_seconds: options.rescoreSeconds,
  });
}

/** Ends a lease. The action is retried after `retrySeconds`; never if null. */
export async function release(db: AdminDb, id: string, lease: string, retrySeconds: number | null): Promise<void> {
  await call(db, 'release_action', { p_action_id: id, p_lease: lease, p_retry_seconds: retrySeconds });
}
