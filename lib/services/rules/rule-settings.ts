import * as organizations from '#lib/db/queries/organizations.ts';
import * as repositories from '#lib/db/queries/repositories.ts';
import * as ruleSettings from '#lib/db/queries/rule-settings.ts';
import type { Services } from '../context.ts';
import { requireRule } from './catalog.ts';

type Caller = organizations.Caller;
type Value = ruleSettings.RuleChange['value'];

async function resolveOrg({ adminDb }: Services, user: Caller, org: string | undefined): Promise<string> {
  return (await organizations.resolve(adminDb(), user, org ?? null)).id;
}

export async function listRuleSettings(services: Services, user: Caller, org: string | undefined) {
  const orgId = await resolveOrg(services, user, org);
  return { settings: await ruleSettings.list(services.adminDb(), user.id, orgId) };
}

/** Sets a rule. A retired rule can only be set to `inherit`, which deletes its row. */
export async function setRule(
  services: Services,
  user: Caller,
  org: string | undefined,
  change: { readonly ruleId: string; readonly value: Value },
): Promise<void> {
  if (change.value !== 'inherit') requireRule(change.ruleId);
  const changes = [{ rule_id: change.ruleId, repository_id: null, value: change.value }];
  await ruleSettings.apply(services.adminDb(), user.id, await resolveOrg(services, user, org), changes);
}

export async function listRepositoryOverrides({ adminDb }: Services, user: Caller, repoId: string) {
  return { overrides: await ruleSettings.listOverrides(adminDb(), user.id, repoId) };
}

export async function setRepositoryRule(
  { adminDb }: Services,
  user: Caller,
  change: { readonly repoId: string; readonly ruleId: string; readonly value: Value },
): Promise<void> {
  requireRule(change.ruleId);
  const orgId = await repositories.organizationOf(adminDb(), user.id, change.repoId);
  const changes = [{ rule_id: change.ruleId, repository_id: change.repoId, value: change.value }];
  await ruleSettings.apply(adminDb(), user.id, orgId, changes);
}

export async function listRuleOverrides(
  services: Services,
  user: Caller,
  { org, rule_id }: { readonly org?: string | undefined; readonly rule_id?: string | undefined },
) {
  const orgId = await resolveOrg(services, user, org);
  return { overrides: await ruleSettings.listOrgOverrides(services.adminDb(), user.id, orgId, rule_id ?? null) };
}

export async function applyRuleChanges(
  services: Services,
  user: Caller,
  org: string | undefined,
  changes: readonly ruleSettings.RuleChange[],
) {
  const orgId = await resolveOrg(services, user, org);
  return { applied: await ruleSettings.apply(services.adminDb(), user.id, orgId, changes) };
}
