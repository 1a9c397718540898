import * as organizations from '#lib/db/queries/organizations.ts';
import * as repositories from '#lib/db/queries/repositories.ts';
import * as ruleSettings from '#lib/db/queries/rule-settings.ts';
import type { Services } from '../context.ts';
import { requireRule } from './catalog.ts';

type Caller = organizations.Caller;
type Value = ruleSettings.RuleChange['value'];

/** Whose rules these are: the organization named (`forbidden` for a stranger), else the personal one. */
async function resolveOrg({ adminDb }: Services, user: Caller, org: string | undefined): Promise<string> {
  return (await organizations.resolve(adminDb(), user, org ?? null)).id;
}

/** What an organization switched; everything else is on. */
export async function listRuleSettings(services: Services, user: Caller, org: string | undefined) {
  const orgId = await resolveOrg(services, user, org);
  return { settings: await ruleSettings.list(services.adminDb(), user.id, orgId) };
}

/** A rule outside the catalog can only be set to `inherit`: rows of retired rules have to go somehow. */
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

/** What a repository of the caller's switches by itself; `not-found` for another one. */
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

/** The overrides of every repository of an organization, of one rule when given. */
export async function listRuleOverrides(
  services: Services,
  user: Caller,
  { org, rule_id }: { readonly org?: string | undefined; readonly rule_id?: string | undefined },
) {
  const orgId = await resolveOrg(services, user, org);
  return { overrides: await ruleSettings.listOrgOverrides(services.adminDb(), user.id, orgId, rule_id ?? null) };
}

/** All changes or none; `not-found` when a repository is not of this organization. */
export async function applyRuleChanges(
  services: Services,
  user: Caller,
  org: string | undefined,
  changes: readonly ruleSettings.RuleChange[],
) {
  const orgId = await resolveOrg(services, user, org);
  return { applied: await ruleSettings.apply(services.adminDb(), user.id, orgId, changes) };
}
