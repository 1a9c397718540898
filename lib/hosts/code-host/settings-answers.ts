import * as z from 'zod/mini';
import type {
  ActionsPolicy,
  EnvironmentSettings,
  ForkWorkflows,
  OrganizationSettings,
  Settings,
  Webhook,
} from '#lib/facts/settings.ts';

export const WorkflowTokenAnswer = z.object({
  default_workflow_permissions: z.enum(['read', 'write']),
  can_approve_pull_request_reviews: z.boolean(),
});

export const ActionsPolicyAnswer = z.object({
  enabled: z.boolean(),
  allowed_actions: z.optional(z.enum(['all', 'local_only', 'selected'])),
  sha_pinning_required: z.optional(z.boolean()),
});

export const SelectedActionsAnswer = z.object({
  github_owned_allowed: z.optional(z.boolean()),
  verified_allowed: z.optional(z.boolean()),
  patterns_allowed: z.optional(z.array(z.string())),
});

export const ForkApprovalAnswer = z.object({
  approval_policy: z.enum([
    'first_time_contributors_new_to_github',
    'first_time_contributors',
    'all_external_contributors',
  ]),
});

export const PrivateForksAnswer = z.object({
  run_workflows_from_fork_pull_requests: z.boolean(),
  send_write_tokens_to_workflows: z.boolean(),
  send_secrets_and_variables: z.boolean(),
  require_approval_for_fork_pr_workflows: z.boolean(),
});

const EnvironmentAnswer = z.object({
  name: z.string(),
  can_admins_bypass: z.optional(z.boolean()),
  protection_rules: z.optional(
    z.array(
      z.object({
        type: z.string(),
        prevent_self_review: z.optional(z.boolean()),
        reviewers: z.optional(z.array(z.unknown())),
      }),
    ),
  ),
  deployment_branch_policy: z.optional(
    z.nullable(z.object({ protected_branches: z.boolean(), custom_branch_policies: z.boolean() })),
  ),
});

export const EnvironmentsAnswer = z.object({ environments: z.optional(z.array(EnvironmentAnswer)) });

const HookAnswer = z.object({
  active: z.boolean(),
  events: z.array(z.string()),
  config: z.object({
    url: z.optional(z.string()),
    insecure_ssl: z.optional(z.union([z.string(), z.number()])),
    secret: z.optional(z.string()),
  }),
});

export const HooksAnswer = z.array(HookAnswer);

export const DeployKeysAnswer = z.array(
  z.object({ title: z.string(), read_only: z.boolean(), created_at: z.string() }),
);

export const ImmutableReleasesAnswer = z.object({ enabled: z.boolean() });

const Switch = z.optional(z.object({ status: z.optional(z.string()) }));

export const SecurityAnswer = z.object({
  security_and_analysis: z.optional(
    z.nullable(z.object({ secret_scanning: Switch, secret_scanning_push_protection: Switch })),
  ),
});

export const RunnersAnswer = z.object({
  runners: z.array(z.object({ name: z.string(), labels: z.array(z.object({ name: z.string() })) })),
});

export const IdentitySubjectAnswer = z.object({
  use_default: z.boolean(),
  include_claim_keys: z.optional(z.array(z.string())),
});

export const OrganizationAnswer = z.object({
  two_factor_requirement_enabled: z.optional(z.nullable(z.boolean())),
  default_repository_permission: z.optional(z.nullable(z.string())),
  members_can_create_public_repositories: z.optional(z.boolean()),
});

export function toActionsPolicy(answer: z.infer<typeof ActionsPolicyAnswer>): ActionsPolicy {
  const { enabled, allowed_actions: allowed, sha_pinning_required: pinsRequired } = answer;
  return {
    enabled,
    allowed: allowed === 'local_only' ? 'local' : (allowed ?? 'all'),
    pinsRequired: pinsRequired ?? null,
    selected: null,
  };
}

export function toSelectedActions(
  answer: z.infer<typeof SelectedActionsAnswer>,
): NonNullable<ActionsPolicy['selected']> {
  return {
    ofCodeHost: answer.github_owned_allowed ?? false,
    ofVerifiedCreators: answer.verified_allowed ?? false,
    patterns: [...(answer.patterns_allowed ?? [])].sort(),
  };
}

export function toForkApproval({ approval_policy: policy }: z.infer<typeof ForkApprovalAnswer>): ForkWorkflows {
  const approvalFor = {
    first_time_contributors_new_to_github: 'new-to-code-host',
    first_time_contributors: 'first-time',
    all_external_contributors: 'all-outsiders',
  } as const;
  return { kind: 'public', approvalFor: approvalFor[policy] };
}

export function toPrivateForks(answer: z.infer<typeof PrivateForksAnswer>): ForkWorkflows {
  return {
    kind: 'private',
    run: answer.run_workflows_from_fork_pull_requests,
    writeTokens: answer.send_write_tokens_to_workflows,
    secrets: answer.send_secrets_and_variables,
    approval: answer.require_approval_for_fork_pr_workflows,
  };
}

export function toEnvironment(answer: z.infer<typeof EnvironmentAnswer>): EnvironmentSettings {
  const review = answer.protection_rules?.find(({ type }) => type === 'required_reviewers');
  const policy = answer.deployment_branch_policy ?? null;
  return {
    name: answer.name,
    reviewers: review?.reviewers?.length ?? 0,
    selfReview: review?.prevent_self_review !== true,
    adminsBypass: answer.can_admins_bypass !== false,
    branches: policy === null ? 'all' : policy.protected_branches ? 'protected' : 'selected',
  };
}

/** Only the host is kept: paths and queries of webhook URLs contain credentials. */
export function toWebhook({ active, events, config }: z.infer<typeof HookAnswer>): Webhook {
  const url = URL.canParse(config.url ?? '') ? new URL(config.url ?? '') : undefined;
  return {
    host: url?.hostname ?? '',
    active,
    encrypted: url?.protocol === 'https:',
    verifiesCertificate: String(config.insecure_ssl ?? '0') === '0',
    signed: config.secret !== undefined && config.secret !== '',
    events: [...events].sort(),
  };
}

export function toSecretScanning({
  security_and_analysis: security,
}: z.infer<typeof SecurityAnswer>): Settings['secretScanning'] {
  const isOn = (option: z.infer<typeof Switch>): boolean | null =>
    option?.status === undefined ? null : option.status === 'enabled';
  return {
    enabled: isOn(security?.secret_scanning),
    pushProtection: isOn(security?.secret_scanning_push_protection),
  };
}

/** Undefined for non-owners, to whom GitHub does not show these. */
export function toOrganization(answer: z.infer<typeof OrganizationAnswer>): OrganizationSettings | undefined {
  const { two_factor_requirement_enabled: twoFactor, default_repository_permission: base } = answer;
  if (typeof twoFactor !== 'boolean' || typeof base !== 'string') return undefined;
  return {
    twoFactorRequired: twoFactor,
    basePermission: base === 'read' || base === 'write' || base === 'admin' ? base : 'none',
    membersCreatePublicRepositories: answer.members_can_create_public_repositories === true,
  };
}
