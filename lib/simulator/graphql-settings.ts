import { GraphQLError } from 'graphql';
import type { Repository } from './model.ts';
import type { SimulatedBypass, SimulatedRuleset } from './settings.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface SettingsView {
  readonly mayAdminister: boolean;
  readonly isInstallation: boolean;
  readonly permission: string | null;
  readonly isInOrganization: boolean;
  readonly people: number;
}

export function settingsFields({ settings }: Repository, view: SettingsView): Fields {
  const { codeownersErrors, latestRelease, license } = settings;
  return {
    isInOrganization: view.isInOrganization,
    viewerPermission: view.permission,
    hasVulnerabilityAlertsEnabled: view.mayAdminister && settings.vulnerabilityAlerts,
    isSecurityPolicyEnabled: settings.securityPolicy,
    licenseInfo: license === null ? null : { __typename: 'License', key: license, spdxId: license.toUpperCase() },
    latestRelease: latestRelease === null ? null : { __typename: 'Release', tagName: latestRelease },
    assignableUsers: connection(Array.from({ length: view.people }, () => null)),
    codeowners: { __typename: 'RepositoryCodeowners', errors: codeownersErrors },
    rulesets: () => connection(settings.rulesets.map((ruleset) => rulesetFields(ruleset, view))),
  };
}

export function branchSettingsFields({ settings, defaultBranch }: Repository, view: SettingsView): Fields {
  const { protection, rulesets } = settings;
  const inForce = rulesets.filter(
    ({ target, enforcement, include }) =>
      target === 'BRANCH' &&
      enforcement === 'ACTIVE' &&
      include.some((each) => ['~DEFAULT_BRANCH', '~ALL', `refs/heads/${defaultBranch}`].includes(each)),
  );
  return {
    refUpdateRule: protection === null ? null : { __typename: 'RefUpdateRule', pattern: defaultBranch },
    branchProtectionRule: () => {
      if (view.isInstallation) assertMayAdminister(view);
      if (protection === null || !view.mayAdminister) return null;
      return {
        __typename: 'BranchProtectionRule',
        ...protection,
        requiredStatusChecks: protection.requiredStatusChecks.map(({ context, app }) => ({
          context,
          app: app === null ? null : { __typename: 'App', slug: app },
        })),
        bypassPullRequestAllowances: connection([]),
        bypassForcePushAllowances: connection([]),
      };
    },
    rules: () =>
      connection(
        inForce.flatMap(({ id, rules }) =>
          Object.entries(rules).map(([type, parameters]) => ({
            __typename: 'RepositoryRule',
            type,
            parameters,
            repositoryRuleset: { __typename: 'RepositoryRuleset', databaseId: id },
          })),
        ),
      ),
  };
}

function rulesetFields(ruleset: SimulatedRuleset, { mayAdminister }: SettingsView): Fields {
  const { id, name, target, enforcement, include, exclude = [], rules, bypass = [] } = ruleset;
  return {
    __typename: 'RepositoryRuleset',
    databaseId: id,
    name,
    target,
    enforcement,
    conditions: { refName: { include, exclude } },
    rules: connection(Object.keys(rules).map((type) => ({ __typename: 'RepositoryRule', type }))),
    bypassActors: mayAdminister ? connection(bypass.map(bypassFields)) : null,
  };
}

function bypassFields({ bypassMode, app, team, role, deployKey, organizationAdmin }: SimulatedBypass): Fields {
  const actor =
    app !== undefined
      ? { __typename: 'App', slug: app }
      : team !== undefined
        ? { __typename: 'Team', slug: team }
        : null;
  return {
    __typename: 'RepositoryRulesetBypassActor',
    bypassMode,
    deployKey: deployKey ?? false,
    organizationAdmin: organizationAdmin ?? false,
    enterpriseOwner: false,
    repositoryRoleName: role ?? null,
    actor,
  };
}

function assertMayAdminister({ mayAdminister }: SettingsView): void {
  if (mayAdminister) return;
  throw new GraphQLError('Resource not accessible by integration', { extensions: { type: 'FORBIDDEN' } });
}

function connection(nodes: readonly unknown[], first = 100): Fields {
  return { totalCount: nodes.length, nodes: nodes.slice(0, first) };
}
