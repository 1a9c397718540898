import type { BranchSettings, Bypass, TagSettings } from '#lib/facts/settings.ts';
import { compareText } from '#lib/workflow/text/compare-text.ts';
import type { Actor, BranchRef, BranchRule, BypassActor, FoundRuleset, FoundSettings } from './settings-query.ts';

const CLASSIC = 'branch protection';

type Demands = Omit<BranchSettings, 'name' | 'idleRulesets' | 'forcePushes' | 'deletion'> & {
  readonly noForcePushes: boolean;
  readonly noDeletion: boolean;
};

const NOTHING: Demands = {
  pullRequest: false,
  approvals: 0,
  dismissesStaleApprovals: false,
  lastPushNeedsApproval: false,
  codeOwnersApprove: false,
  conversationsResolved: false,
  noForcePushes: false,
  noDeletion: false,
  signatures: false,
  linearHistory: false,
  locked: false,
  mergeQueue: false,
  upToDate: false,
  checks: [],
  requiredWorkflows: false,
};

export function branchSettings(ref: BranchRef, rulesets: readonly FoundRuleset[]): BranchSettings {
  const all = [...classicDemands(ref), ...present(ref.rules?.nodes).map(demandsOfRule)];
  const { noForcePushes, noDeletion, checks, ...rest } = all.reduce(together, NOTHING);
  return {
    name: ref.name,
    ...rest,
    checks: [...checks].sort((a, b) => compareText(a.name, b.name)),
    forcePushes: !noForcePushes,
    deletion: !noDeletion,
    idleRulesets: rulesets
      .filter(({ target, enforcement }) => target === 'BRANCH' && enforcement !== 'ACTIVE')
      .map(({ name }) => name)
      .sort(compareText),
  };
}

export function tagSettings(tags: FoundSettings['tags'], rulesets: readonly FoundRuleset[]): TagSettings {
  const blocking = { CREATION: 'creation', UPDATE: 'update', DELETION: 'deletion' } as const;
  return {
    total: tags?.totalCount ?? 0,
    names: present(tags?.nodes).map(({ name }) => name),
    rulesets: rulesets
      .filter(({ target, enforcement }) => target === 'TAG' && enforcement === 'ACTIVE')
      .map(({ name, conditions, rules }) => {
        const types = new Set(present(rules?.nodes).map(({ type }) => type));
        return {
          name,
          include: conditions.refName?.include ?? [],
          exclude: conditions.refName?.exclude ?? [],
          blocks: (['CREATION', 'UPDATE', 'DELETION'] as const)
            .filter((type) => types.has(type))
            .map((type) => blocking[type]),
        };
      })
      .sort((a, b) => compareText(a.name, b.name)),
  };
}

export function bypassesOf(ref: BranchRef, rulesets: readonly FoundRuleset[]): Bypass[] | undefined {
  const found: Bypass[] = [];
  const protection = ref.branchProtectionRule;
  if (protection !== null) {
    if (!protection.isAdminEnforced) {
      found.push({ kind: 'admins', who: 'administrators', mode: 'always', from: CLASSIC });
    }
    for (const { actor } of [
      ...present(protection.bypassPullRequestAllowances?.nodes),
      ...present(protection.bypassForcePushAllowances?.nodes),
    ]) {
      found.push({ ...whoIs(actor), mode: 'always', from: CLASSIC });
    }
  }
  const binding = new Set(present(ref.rules?.nodes).map(({ repositoryRuleset }) => repositoryRuleset?.databaseId));
  for (const ruleset of rulesets) {
    if (ruleset.databaseId === null || !binding.has(ruleset.databaseId)) continue;
    if (ruleset.bypassActors === null) return undefined;
    for (const actor of present(ruleset.bypassActors.nodes)) {
      const mode = actor.bypassMode === 'PULL_REQUEST' ? 'pull-request' : 'always';
      found.push({ ...whoBypasses(actor), mode, from: ruleset.name });
    }
  }
  const distinct = new Map(found.map((each) => [JSON.stringify(each), each]));
  return [...distinct].sort(([a], [b]) => compareText(a, b)).map(([, each]) => each);
}

function classicDemands({ branchProtectionRule: rule }: BranchRef): Demands[] {
  if (rule === null) return [];
  const reviews = rule.requiresApprovingReviews;
  return [
    {
      ...NOTHING,
      pullRequest: reviews,
      approvals: reviews ? (rule.requiredApprovingReviewCount ?? 0) : 0,
      dismissesStaleApprovals: reviews && rule.dismissesStaleReviews,
      lastPushNeedsApproval: reviews && rule.requireLastPushApproval,
      codeOwnersApprove: reviews && rule.requiresCodeOwnerReviews,
      conversationsResolved: rule.requiresConversationResolution,
      noForcePushes: !rule.allowsForcePushes,
      noDeletion: !rule.allowsDeletions,
      signatures: rule.requiresCommitSignatures,
      linearHistory: rule.requiresLinearHistory,
      locked: rule.lockBranch,
      upToDate: rule.requiresStatusChecks && rule.requiresStrictStatusChecks,
      checks: rule.requiresStatusChecks
        ? (rule.requiredStatusChecks ?? []).map(({ context, app }) => ({ name: context, bound: app !== null }))
        : [],
    },
  ];
}

function demandsOfRule({ type, parameters }: BranchRule): Demands {
  switch (type) {
    case 'PULL_REQUEST':
      return {
        ...NOTHING,
        pullRequest: true,
        approvals: parameters?.requiredApprovingReviewCount ?? 0,
        dismissesStaleApprovals: parameters?.dismissStaleReviewsOnPush ?? false,
        lastPushNeedsApproval: parameters?.requireLastPushApproval ?? false,
        codeOwnersApprove: parameters?.requireCodeOwnerReview ?? false,
        conversationsResolved: parameters?.requiredReviewThreadResolution ?? false,
      };
    case 'REQUIRED_STATUS_CHECKS':
      return {
        ...NOTHING,
        upToDate: parameters?.strictRequiredStatusChecksPolicy ?? false,
        checks: (parameters?.requiredStatusChecks ?? []).map(({ context, integrationId }) => ({
          name: context,
          bound: integrationId !== null,
        })),
      };
    case 'NON_FAST_FORWARD':
      return { ...NOTHING, noForcePushes: true };
    case 'DELETION':
      return { ...NOTHING, noDeletion: true };
    case 'REQUIRED_SIGNATURES':
      return { ...NOTHING, signatures: true };
    case 'REQUIRED_LINEAR_HISTORY':
      return { ...NOTHING, linearHistory: true };
    case 'MERGE_QUEUE':
      return { ...NOTHING, mergeQueue: true, pullRequest: true };
    case 'WORKFLOWS':
      return { ...NOTHING, requiredWorkflows: true };
    case 'LOCK_BRANCH':
    case 'UPDATE':
      return { ...NOTHING, locked: true };
    default:
      return NOTHING;
  }
}

function together(a: Demands, b: Demands): Demands {
  const bound = new Map(a.checks.map(({ name, bound }) => [name, bound]));
  for (const { name, bound: is } of b.checks) bound.set(name, is || bound.get(name) === true);
  return {
    pullRequest: a.pullRequest || b.pullRequest,
    approvals: Math.max(a.approvals, b.approvals),
    dismissesStaleApprovals: a.dismissesStaleApprovals || b.dismissesStaleApprovals,
    lastPushNeedsApproval: a.lastPushNeedsApproval || b.lastPushNeedsApproval,
    codeOwnersApprove: a.codeOwnersApprove || b.codeOwnersApprove,
    conversationsResolved: a.conversationsResolved || b.conversationsResolved,
    noForcePushes: a.noForcePushes || b.noForcePushes,
    noDeletion: a.noDeletion || b.noDeletion,
    signatures: a.signatures || b.signatures,
    linearHistory: a.linearHistory || b.linearHistory,
    locked: a.locked || b.locked,
    mergeQueue: a.mergeQueue || b.mergeQueue,
    upToDate: a.upToDate || b.upToDate,
    checks: [...bound].map(([name, is]) => ({ name, bound: is })),
    requiredWorkflows: a.requiredWorkflows || b.requiredWorkflows,
  };
}

function whoBypasses(bypass: BypassActor): Pick<Bypass, 'kind' | 'who'> {
  if (bypass.organizationAdmin) return { kind: 'admins', who: 'organization administrators' };
  if (bypass.enterpriseOwner) return { kind: 'admins', who: 'enterprise owners' };
  if (bypass.deployKey) return { kind: 'deploy-keys', who: 'deploy keys' };
  const role = bypass.repositoryRoleName;
  if (role !== null) return { kind: role === 'admin' ? 'admins' : 'role', who: `the role ${role}` };
  return whoIs(bypass.actor);
}

function whoIs(actor: Actor): Pick<Bypass, 'kind' | 'who'> {
  if (actor?.kind === 'App') return { kind: 'app', who: `the app ${actor.slug ?? ''}` };
  if (actor?.kind === 'Team') return { kind: 'team', who: `the team ${actor.slug ?? ''}` };
  return { kind: 'user', who: actor?.login ?? 'an account' };
}

export function present<T>(list: readonly (T | null)[] | null | undefined): T[] {
  return (list ?? []).filter((each): each is T => each !== null);
}
