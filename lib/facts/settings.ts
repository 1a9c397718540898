/**
 * Repository settings in our terms. "None" is an empty list, null or false; lists are sorted, so that equal settings
 * serialize equally. `branch` combines all sources of rules for the default branch; null without one. Null in
 * `secretScanning`: not in the account's plan, or not reported.
 */
export interface Settings {
  readonly repository: RepositorySettings;
  readonly branch: BranchSettings | null;
  readonly bypasses: readonly Bypass[];
  readonly tags: TagSettings;
  readonly workflowToken: { readonly default: 'read' | 'write'; readonly canApprovePullRequests: boolean };
  readonly actionsPolicy: ActionsPolicy;
  readonly forkWorkflows: ForkWorkflows;
  readonly environments: readonly EnvironmentSettings[];
  readonly webhooks: readonly Webhook[];
  readonly deployKeys: readonly DeployKey[];
  readonly releases: { readonly any: boolean; readonly immutable: boolean };
  readonly secretScanning: { readonly enabled: boolean | null; readonly pushProtection: boolean | null };
  readonly vulnerabilityAlerts: boolean;
  readonly runners: readonly { readonly name: string; readonly labels: readonly string[] }[];
  readonly identitySubject: readonly string[] | null;
  readonly organization: OrganizationSettings | null;
  readonly community: { readonly securityPolicy: boolean; readonly license: boolean };
  readonly codeowners: Codeowners | null;
}

export interface RepositorySettings {
  readonly visibility: 'public' | 'private' | 'internal';
  readonly archived: boolean;
  readonly ownedByOrganization: boolean;
  readonly assignable: number;
}

export interface BranchSettings {
  readonly name: string;
  readonly pullRequest: boolean;
  readonly approvals: number;
  readonly dismissesStaleApprovals: boolean;
  readonly lastPushNeedsApproval: boolean;
  readonly codeOwnersApprove: boolean;
  readonly conversationsResolved: boolean;
  readonly forcePushes: boolean;
  readonly deletion: boolean;
  readonly signatures: boolean;
  readonly linearHistory: boolean;
  readonly locked: boolean;
  readonly mergeQueue: boolean;
  readonly upToDate: boolean;
  readonly checks: readonly { readonly name: string; readonly bound: boolean }[];
  readonly requiredWorkflows: boolean;
  readonly idleRulesets: readonly string[];
}

export interface Bypass {
  readonly kind: 'admins' | 'role' | 'team' | 'app' | 'user' | 'deploy-keys';
  readonly who: string;
  /** `pull-request`: exempt only from pull request requirements. */
  readonly mode: 'always' | 'pull-request';
  readonly from: string;
}

export interface TagSettings {
  readonly total: number;
  readonly names: readonly string[];
  readonly rulesets: readonly {
    readonly name: string;
    readonly include: readonly string[];
    readonly exclude: readonly string[];
    readonly blocks: readonly ('creation' | 'update' | 'deletion')[];
  }[];
}

export interface ActionsPolicy {
  readonly enabled: boolean;
  readonly allowed: 'all' | 'local' | 'selected';
  readonly pinsRequired: boolean | null;
  readonly selected: {
    readonly ofCodeHost: boolean;
    readonly ofVerifiedCreators: boolean;
    readonly patterns: readonly string[];
  } | null;
}

export type ForkWorkflows =
  | { readonly kind: 'public'; readonly approvalFor: 'new-to-code-host' | 'first-time' | 'all-outsiders' }
  | {
      readonly kind: 'private';
      readonly run: boolean;
      readonly writeTokens: boolean;
      readonly secrets: boolean;
      readonly approval: boolean;
    };

export interface EnvironmentSettings {
  readonly name: string;
  readonly reviewers: number;
  readonly selfReview: boolean;
  readonly adminsBypass: boolean;
  readonly branches: 'all' | 'protected' | 'selected';
}

export interface Webhook {
  readonly host: string;
  readonly active: boolean;
  readonly encrypted: boolean;
  readonly verifiesCertificate: boolean;
  readonly signed: boolean;
  readonly events: readonly string[];
}

export interface DeployKey {
  readonly title: string;
  readonly readOnly: boolean;
  readonly createdAt: string;
}

export interface OrganizationSettings {
  readonly twoFactorRequired: boolean;
  readonly basePermission: 'none' | 'read' | 'write' | 'admin';
  readonly membersCreatePublicRepositories: boolean;
}

export interface Codeowners {
  /** In file order; the last matching rule wins. */
  readonly rules: readonly { readonly pattern: string; readonly owners: number }[];
  readonly errors: readonly { readonly line: number; readonly kind: string }[];
}
