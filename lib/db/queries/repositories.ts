import { call } from '../call.ts';
import type { AdminDb } from '../clients.ts';
import type { Repository } from '../shapes/repositories.ts';

export interface NewInstallation {
  readonly installation_id: string;
  readonly account: string;
  readonly account_type: 'User' | 'Organization';
}

export interface Listing {
  readonly listed: readonly {
    readonly installation_id: string;
    readonly repositories: readonly {
      readonly scm_id: string;
      readonly full_name: string;
      readonly private: boolean;
      readonly html_url: string;
      readonly default_branch: string | null;
      readonly archived: boolean;
    }[];
  }[];
  readonly gone: readonly string[];
}

export async function linkInstallation(
  db: AdminDb,
  userId: string,
  orgId: string,
  installation: NewInstallation,
): Promise<void> {
  await call(db, 'link_installation', {
    p_user_id: userId,
    p_org_id: orgId,
    p_installation: JSON.stringify(installation),
  });
}

export async function listInstallations(db: AdminDb, userId: string, orgId: string): Promise<readonly string[]> {
  return call(db, 'list_installations', { p_user_id: userId, p_org_id: orgId });
}

export async function recordSuspensions(
  db: AdminDb,
  { suspended, active }: { readonly suspended: readonly string[]; readonly active: readonly string[] },
): Promise<number> {
  return call(db, 'record_suspensions', { p_suspended: JSON.stringify(suspended), p_active: JSON.stringify(active) });
}

export async function sync(
  db: AdminDb,
  userId: string,
  orgId: string,
  listing: Listing,
): Promise<readonly Repository[]> {
  return call(db, 'sync_repositories', { p_user_id: userId, p_org_id: orgId, p_answer: JSON.stringify(listing) });
}

export async function setMonitored(db: AdminDb, userId: string, repoId: string, monitored: boolean): Promise<boolean> {
  return call(db, 'set_monitored', { p_user_id: userId, p_repo_id: repoId, p_monitored: monitored });
}

export async function markRemoved(db: AdminDb, repoId: string): Promise<void> {
  await call(db, 'mark_repository_removed', { p_repo_id: repoId });
}

export async function organizationOf(db: AdminDb, userId: string, repoId: string): Promise<string> {
  return call(db, 'org_of_repository', { p_user_id: userId, p_repo_id: repoId });
}
