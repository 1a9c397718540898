import * as z from 'zod/mini';

/**
 * Settings available in one query. `rules` are those in force for the default branch; only rulesets list exemptions.
 */
export const SETTINGS_QUERY = `query RepositorySettings($owner: String!, $name: String!) {
  repository(owner: $owner, name: $name) {
    visibility isArchived isInOrganization viewerPermission
    hasVulnerabilityAlertsEnabled isSecurityPolicyEnabled
    licenseInfo { key }
    latestRelease { tagName }
    assignableUsers(first: 1) { totalCount }
    codeowners { errors { kind line } }
    ownersInGithub: object(expression: "HEAD:.github/CODEOWNERS") { ...Owners }
    ownersInRoot: object(expression: "HEAD:CODEOWNERS") { ...Owners }
    ownersInDocs: object(expression: "HEAD:docs/CODEOWNERS") { ...Owners }
    tags: refs(refPrefix: "refs/tags/", first: 20, orderBy: { field: TAG_COMMIT_DATE, direction: DESC }) {
      totalCount nodes { name }
    }
    defaultBranchRef {
      name
      refUpdateRule { pattern }
      branchProtectionRule {
        requiresApprovingReviews requiredApprovingReviewCount dismissesStaleReviews requireLastPushApproval
        requiresCodeOwnerReviews requiresConversationResolution requiresCommitSignatures requiresLinearHistory
        requiresStatusChecks requiresStrictStatusChecks requiredStatusChecks { context app { slug } }
        allowsForcePushes allowsDeletions lockBranch isAdminEnforced
        bypassPullRequestAllowances(first: 50) { nodes { actor { ...Who } } }
        bypassForcePushAllowances(first: 50) { nodes { actor { ...Who } } }
      }
      rules(first: 100) {
        nodes {
          type
          repositoryRuleset { databaseId }
          parameters {
            ... on PullRequestParameters {
              requiredApprovingReviewCount dismissStaleReviewsOnPush requireLastPushApproval requireCodeOwnerReview
              requiredReviewThreadResolution
            }
            ... on RequiredStatusChecksParameters {
              strictRequiredStatusChecksPolicy requiredStatusChecks { context integrationId }
            }
          }
        }
      }
    }
    rulesets(first: 50, includeParents: true) {
      nodes {
        databaseId name target enforcement
        conditions { refName { include exclude } }
        rules(first: 50) { nodes { type } }
        bypassActors(first: 50) {
          nodes {
            bypassMode deployKey organizationAdmin enterpriseOwner repositoryRoleName
            actor { kind: __typename ... on App { slug } ... on Team { slug } }
          }
        }
      }
    }
  }
}
fragment Owners on Blob { text }
fragment Who on BranchActorAllowanceActor {
  kind: __typename ... on App { slug } ... on Team { slug } ... on User { login }
}`;

function maybe<T extends z.core.$ZodType>(shape: T) {
  return z.nullable(shape);
}

function nodesOf<T extends z.core.$ZodType>(shape: T) {
  return maybe(z.object({ nodes: maybe(z.array(maybe(shape))) }));
}

const Actor = maybe(z.object({ kind: z.string(), slug: z.optional(z.string()), login: z.optional(z.string()) }));
export type Actor = z.infer<typeof Actor>;

const Allowances = nodesOf(z.object({ actor: Actor }));

const Protection = z.object({
  requiresApprovingReviews: z.boolean(),
  requiredApprovingReviewCount: maybe(z.number()),
  dismissesStaleReviews: z.boolean(),
  requireLastPushApproval: z.boolean(),
  requiresCodeOwnerReviews: z.boolean(),
  requiresConversationResolution: z.boolean(),
  requiresCommitSignatures: z.boolean(),
  requiresLinearHistory: z.boolean(),
  requiresStatusChecks: z.boolean(),
  requiresStrictStatusChecks: z.boolean(),
  requiredStatusChecks: maybe(z.array(z.object({ context: z.string(), app: maybe(z.object({ slug: z.string() })) }))),
  allowsForcePushes: z.boolean(),
  allowsDeletions: z.boolean(),
  lockBranch: z.boolean(),
  isAdminEnforced: z.boolean(),
  bypassPullRequestAllowances: Allowances,
  bypassForcePushAllowances: Allowances,
});
export type Protection = z.infer<typeof Protection>;

const BranchRule = z.object({
  type: z.string(),
  repositoryRuleset: maybe(z.object({ databaseId: maybe(z.number()) })),
  parameters: maybe(
    z.object({
      requiredApprovingReviewCount: z.optional(z.number()),
      dismissStaleReviewsOnPush: z.optional(z.boolean()),
      requireLastPushApproval: z.optional(z.boolean()),
      requireCodeOwnerReview: z.optional(z.boolean()),
      requiredReviewThreadResolution: z.optional(z.boolean()),
      strictRequiredStatusChecksPolicy: z.optional(z.boolean()),
      requiredStatusChecks: z.optional(z.array(z.object({ context: z.string(), integrationId: maybe(z.number()) }))),
    }),
  ),
});
export type BranchRule = z.infer<typeof BranchRule>;

const BypassActor = z.object({
  bypassMode: maybe(z.string()),
  deployKey: z.boolean(),
  organizationAdmin: z.boolean(),
  enterpriseOwner: z.boolean(),
  repositoryRoleName: maybe(z.string()),
  actor: Actor,
});
export type BypassActor = z.infer<typeof BypassActor>;

const FoundRuleset = z.object({
  databaseId: maybe(z.number()),
  name: z.string(),
  target: maybe(z.string()),
  enforcement: z.string(),
  conditions: z.object({ refName: maybe(z.object({ include: z.array(z.string()), exclude: z.array(z.string()) })) }),
  rules: nodesOf(z.object({ type: z.string() })),
  bypassActors: nodesOf(BypassActor),
});
export type FoundRuleset = z.infer<typeof FoundRuleset>;

const BranchRef = maybe(
  z.object({
    name: z.string(),
    refUpdateRule: maybe(z.object({ pattern: z.string() })),
    branchProtectionRule: maybe(Protection),
    rules: nodesOf(BranchRule),
  }),
);
export type BranchRef = NonNullable<z.infer<typeof BranchRef>>;

const Owners = maybe(z.object({ text: z.optional(maybe(z.string())) }));

export const SettingsAnswer = z.object({
  repository: z.object({
    visibility: z.enum(['PUBLIC', 'PRIVATE', 'INTERNAL']),
    isArchived: z.boolean(),
    isInOrganization: z.boolean(),
    viewerPermission: maybe(z.string()),
    hasVulnerabilityAlertsEnabled: z.boolean(),
    isSecurityPolicyEnabled: maybe(z.boolean()),
    licenseInfo: maybe(z.object({ key: z.string() })),
    latestRelease: maybe(z.object({ tagName: z.string() })),
    assignableUsers: z.object({ totalCount: z.number() }),
    codeowners: maybe(z.object({ errors: z.array(z.object({ kind: z.string(), line: z.number() })) })),
    ownersInGithub: Owners,
    ownersInRoot: Owners,
    ownersInDocs: Owners,
    tags: maybe(z.object({ totalCount: z.number(), nodes: maybe(z.array(maybe(z.object({ name: z.string() })))) })),
    defaultBranchRef: BranchRef,
    rulesets: nodesOf(FoundRuleset),
  }),
});
export type FoundSettings = z.infer<typeof SettingsAnswer>['repository'];
