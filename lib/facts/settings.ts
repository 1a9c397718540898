/**
 * Repository settings in our terms. Each field is known or unknown as a whole; "none" is an empty list, null or
 * false. Lists are sorted, so that equal settings are equal text.
 */
export interface Settings {
  readonly repository: RepositorySettings;
  /** The default branch with everything that binds it, from every source together; null when there is none. */
  readonly branch: BranchSettings | null;
  /** Who is exempt from what binds the default branch. */
  readonly bypasses: readonly Bypass[];
  readonly tags: TagSettings;
  readonly workflowToken: { readonly default: 'read' | 'write'; readonly canApprovePullRequests: boolean };
  readonly actionsPolicy: ActionsPolicy;
  readonly forkWorkflows: ForkWorkflows;
  readonly environments: readonly EnvironmentSettings[];
  readonly webhooks: readonly Webhook[];
  readonly deployKeys: readonly DeployKey[];
  readonly releases: { readonly any: boolean; readonly immutable: boolean };
  /** null: the account's plan does not have it, or the code host does not say. */
  readonly secretScanning: { readonly enabled: boolean | null; readonly pushProtection: boolean | null };
  readonly vulnerabilityAlerts: boolean;
  /** Self-hosted runners registered for this repository alone. */
  readonly runners: readonly { readonly name: string; readonly labels: readonly string[] }[];
  /** The claims that make up the subject of an identity token; null for the code host's own choice. */
  readonly identitySubject: readonly string[] | null;
  readonly organization: OrganizationSettings | null;
  readonly community: { readonly securityPolicy: boolean; readonly license: boolean };
  /** null: there is no owners' file. */
  readonly codeowners: Codeowners | null;
}

export interface RepositorySettings {
  readonly visibility: 'public' | 'private' | 'internal';
  readonly archived: boolean;
  readonly ownedByOrganization: boolean;
  /** People who may be given work: at least everybody who may write. */
  readonly assignable: number;
}

export interface BranchSettings {
  readonly name: string;
  /** Changes come by pull request. */
  readonly pullRequest: boolean;
  /** How many approvals a pull request needs. */
  readonly approvals: number;
  readonly dismissesStaleApprovals: boolean;
  readonly lastPushNeedsApproval: boolean;
  readonly codeOwnersApprove: boolean;
  readonly conversationsResolved: boolean;
  readonly forcePushes: boolean;
  readonly deletion: boolean;
  readonly signatures: boolean;
  readonly linearHistory: boolean;
  /** No one can push. */
  readonly locked: boolean;
  readonly mergeQueue: boolean;
  readonly upToDate: boolean;
  /** Checks that have to pass; `bound` to the one app that may report them. */
  readonly checks: readonly { readonly name: string; readonly bound: boolean }[];
  /** Workflows that a ruleset runs before a merge. */
  readonly requiredWorkflows: boolean;
  /** Rule sets for branches that are switched off or only watch. */
  readonly idleRulesets: readonly string[];
}

export interface Bypass {
  readonly kind: 'admins' | 'role' | 'team' | 'app' | 'user' | 'deploy-keys';
  /** For messages: `the team release`, `administrators`. */
  readonly who: string;
  /** `pull-request`: only what a pull request has to meet. */
  readonly mode: 'always' | 'pull-request';
  /** The rule set's name, or `branch protection`. */
  readonly from: string;
}

export interface TagSettings {
  readonly total: number;
  /** The newest ones. */
  readonly names: readonly string[];
  /** Rule sets for tags that are in force. */
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
  /** null: the code host does not know the option. */
  readonly pinsRequired: boolean | null;
  /** For `selected`, if it could be read. */
  readonly selected: {
    readonly ofCodeHost: boolean;
    readonly ofVerifiedCreators: boolean;
    readonly patterns: readonly string[];
  } | null;
}

/** What pull requests from forks may start. */
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
  /** From where a deployment may come. */
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
  /** RFC 3339. */
  readonly createdAt: string;
}

export interface OrganizationSettings {
  readonly twoFactorRequired: boolean;
  readonly basePermission: 'none' | 'read' | 'write' | 'admin';
  readonly membersCreatePublicRepositories: boolean;
}

export interface Codeowners {
  /** In the order of the file: of those that match, the last one decides. */
  readonly rules: readonly { readonly pattern: string; readonly owners: number }[];
  /** Lines that the code host does not understand, or whose owners it does not know, with the reason. */
  readonly errors: readonly { readonly line: number; readonly kind: string }[];
}
