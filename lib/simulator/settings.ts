export interface SimulatedSettings {
  readonly actions: {
    readonly enabled: boolean;
    readonly allowed_actions: 'all' | 'local_only' | 'selected';
    readonly sha_pinning_required: boolean;
  };
  readonly selectedActions: {
    readonly github_owned_allowed: boolean;
    readonly verified_allowed: boolean;
    readonly patterns_allowed: readonly string[];
  };
  readonly forkApproval:
    | 'first_time_contributors_new_to_github'
    | 'first_time_contributors'
    | 'all_external_contributors';
  readonly privateForks: {
    readonly run_workflows_from_fork_pull_requests: boolean;
    readonly send_write_tokens_to_workflows: boolean;
    readonly send_secrets_and_variables: boolean;
    readonly require_approval_for_fork_pr_workflows: boolean;
  };
  readonly protection: SimulatedProtection | null;
  readonly rulesets: readonly SimulatedRuleset[];
  readonly environments: readonly SimulatedEnvironment[];
  readonly hooks: readonly SimulatedHook[];
  readonly deployKeys: readonly { readonly title: string; readonly readOnly: boolean; readonly createdAt: string }[];
  readonly tags: readonly string[];
  readonly latestRelease: string | null;
  readonly immutableReleases: boolean;
  readonly secretScanning: boolean;
  readonly pushProtection: boolean;
  readonly vulnerabilityAlerts: boolean;
  readonly securityPolicy: boolean;
  readonly license: string | null;
  readonly runners: readonly { readonly name: string; readonly labels: readonly string[] }[];
  readonly identityClaims: readonly string[] | null;
  readonly codeownersErrors: readonly { readonly kind: string; readonly line: number }[];
}

export interface SimulatedProtection {
  readonly requiresApprovingReviews: boolean;
  readonly requiredApprovingReviewCount: number | null;
  readonly dismissesStaleReviews: boolean;
  readonly requireLastPushApproval: boolean;
  readonly requiresCodeOwnerReviews: boolean;
  readonly requiresConversationResolution: boolean;
  readonly requiresCommitSignatures: boolean;
  readonly requiresLinearHistory: boolean;
  readonly requiresStatusChecks: boolean;
  readonly requiresStrictStatusChecks: boolean;
  readonly requiredStatusChecks: readonly { readonly context: string; readonly app: string | null }[];
  readonly allowsForcePushes: boolean;
  readonly allowsDeletions: boolean;
  readonly lockBranch: boolean;
  readonly isAdminEnforced: boolean;
}

export interface SimulatedRuleset {
  readonly id: number;
  readonly name: string;
  readonly target: 'BRANCH' | 'TAG';
  readonly enforcement: 'ACTIVE' | 'EVALUATE' | 'DISABLED';
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
  readonly rules: Readonly<Record<string, SimulatedParameters | null>>;
  readonly bypass?: readonly SimulatedBypass[];
}

type SimulatedParameters =
  | {
      readonly __typename: 'PullRequestParameters';
      readonly requiredApprovingReviewCount: number;
      readonly dismissStaleReviewsOnPush: boolean;
      readonly requireLastPushApproval: boolean;
      readonly requireCodeOwnerReview: boolean;
      readonly requiredReviewThreadResolution: boolean;
    }
  | {
      readonly __typename: 'RequiredStatusChecksParameters';
      readonly strictRequiredStatusChecksPolicy: boolean;
      readonly requiredStatusChecks: readonly { readonly context: string; readonly integrationId: number | null }[];
    };

export interface SimulatedBypass {
  readonly bypassMode: 'ALWAYS' | 'PULL_REQUEST';
  readonly app?: string;
  readonly team?: string;
  readonly role?: string;
  readonly deployKey?: true;
  readonly organizationAdmin?: true;
}

export interface SimulatedEnvironment {
  readonly name: string;
  readonly reviewers: number;
  readonly preventSelfReview: boolean;
  readonly adminsBypass: boolean;
  readonly branches: 'all' | 'protected' | 'custom';
}

export interface SimulatedHook {
  readonly url: string;
  readonly active: boolean;
  readonly secret: boolean;
  readonly insecure_ssl: '0' | '1';
  readonly events: readonly string[];
}

const REVIEWED = {
  __typename: 'PullRequestParameters',
  requiredApprovingReviewCount: 1,
  dismissStaleReviewsOnPush: true,
  requireLastPushApproval: true,
  requireCodeOwnerReview: false,
  requiredReviewThreadResolution: true,
} as const;

const GUARDED_BRANCH: SimulatedRuleset = {
  id: 1,
  name: 'main',
  target: 'BRANCH',
  enforcement: 'ACTIVE',
  include: ['~DEFAULT_BRANCH'],
  rules: {
    PULL_REQUEST: REVIEWED,
    REQUIRED_STATUS_CHECKS: {
      __typename: 'RequiredStatusChecksParameters',
      strictRequiredStatusChecksPolicy: true,
      requiredStatusChecks: [{ context: 'test', integrationId: 15368 }],
    },
    NON_FAST_FORWARD: null,
    DELETION: null,
    REQUIRED_SIGNATURES: null,
    REQUIRED_LINEAR_HISTORY: null,
  },
};

export const OWNED_BRANCH: SimulatedRuleset = {
  ...GUARDED_BRANCH,
  rules: { ...GUARDED_BRANCH.rules, PULL_REQUEST: { ...REVIEWED, requireCodeOwnerReview: true } },
};

export const UNREVIEWED_BRANCH: SimulatedRuleset = {
  ...GUARDED_BRANCH,
  rules: { ...GUARDED_BRANCH.rules, PULL_REQUEST: { ...REVIEWED, requiredApprovingReviewCount: 0 } },
  bypass: [{ bypassMode: 'ALWAYS', app: 'globex-release-bot' }],
};

export const OLD_PROTECTION: SimulatedProtection = {
  requiresApprovingReviews: true,
  requiredApprovingReviewCount: 1,
  dismissesStaleReviews: false,
  requireLastPushApproval: false,
  requiresCodeOwnerReviews: false,
  requiresConversationResolution: false,
  requiresCommitSignatures: false,
  requiresLinearHistory: false,
  requiresStatusChecks: false,
  requiresStrictStatusChecks: false,
  requiredStatusChecks: [],
  allowsForcePushes: true,
  allowsDeletions: false,
  lockBranch: false,
  isAdminEnforced: false,
};

export const GUARDED_TAGS: SimulatedRuleset = {
  id: 2,
  name: 'tags',
  target: 'TAG',
  enforcement: 'ACTIVE',
  include: ['~ALL'],
  rules: { CREATION: null, UPDATE: null, DELETION: null },
};

export const GUARDED: SimulatedSettings = {
  actions: { enabled: true, allowed_actions: 'selected', sha_pinning_required: true },
  selectedActions: { github_owned_allowed: true, verified_allowed: false, patterns_allowed: [] },
  forkApproval: 'all_external_contributors',
  privateForks: {
    run_workflows_from_fork_pull_requests: false,
    send_write_tokens_to_workflows: false,
    send_secrets_and_variables: false,
    require_approval_for_fork_pr_workflows: true,
  },
  protection: null,
  rulesets: [GUARDED_BRANCH, GUARDED_TAGS],
  environments: [],
  hooks: [],
  deployKeys: [],
  tags: [],
  latestRelease: null,
  immutableReleases: true,
  secretScanning: true,
  pushProtection: true,
  vulnerabilityAlerts: true,
  securityPolicy: true,
  license: 'mit',
  runners: [],
  identityClaims: null,
  codeownersErrors: [],
};
