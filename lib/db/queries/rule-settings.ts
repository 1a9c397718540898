import { call } from '../call.ts';
import type { AdminDb } from '../clients.ts';
import type { RuleOverride, RulePreference, RuleValue } from '../shapes/rules.ts';

export interface RuleChange {
  readonly rule_id: string;
  readonly repository_id: string | null;
  readonly value: RuleValue;
}

export async function list(db: AdminDb, userId: string, orgId: string): Promise<readonly RulePreference[]> {
  return call(db, 'list_rule_settings', { p_user_id: userId, p_org_id: orgId });
}

export async function listOverrides(db: AdminDb, userId: string, repoId: string): Promise<readonly RulePreference[]> {
  return call(db, 'list_rule_overrides', { p_user_id: userId, p_repo_id: repoId });
}

export async function listOrgOverrides(
  db: AdminDb,
  userId: string,
  orgId: string,
  ruleId: string | null,
): Promise<readonly RuleOverride[]> {
  return call(db, 'list_org_rule_overrides', { p_user_id: userId, p_org_id: orgId, p_rule_id: ruleId });
}

/** Applies all changes or none and returns their number. Throws `not-found` for another organization's repository. */
export async function apply(
  db: AdminDb,
  userId: string,
  orgId: string,
  changes: readonly RuleChange[],
): Promise<number> {
  return call(db, 'apply_rule_changes', { p_user_id: userId, p_org_id: orgId, p_changes: JSON.stringify(changes) });
}
