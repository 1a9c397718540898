import { isOf } from './credentials.ts';
import type { Repository } from './model.ts';
import { userJson } from './representations.ts';
import {
  type Answer,
  type Handler,
  lacks,
  NOT_FOUND,
  type RestRequest,
  refuse,
  withRepository,
} from './rest-answer.ts';
import { linksOf } from './rest-api.ts';
import type { SimulatedEnvironment } from './settings.ts';

export const SETTINGS_HANDLERS: Readonly<Record<string, Handler>> = {
  'GET /repos/{owner}/{repo}/actions/permissions': forAdmins('administration', ({ settings }) => {
    const { allowed_actions: allowed } = settings.actions;
    const base = 'https://api.github.com/actions/permissions/selected-actions';
    return { ...settings.actions, ...(allowed === 'selected' ? { selected_actions_url: base } : {}) };
  }),

  'GET /repos/{owner}/{repo}/actions/permissions/selected-actions': forAdmins(
    'administration',
    ({ settings }) => settings.selectedActions,
  ),

  'GET /repos/{owner}/{repo}/actions/permissions/workflow': forAdmins('administration', ({ workflowSettings }) => ({
    default_workflow_permissions: workflowSettings.defaultPermissions,
    can_approve_pull_request_reviews: workflowSettings.canApprovePullRequests,
  })),

  'GET /repos/{owner}/{repo}/actions/permissions/fork-pr-contributor-approval': forAdmins(
    'administration',
    ({ settings, visibility }) => (visibility === 'public' ? { approval_policy: settings.forkApproval } : undefined),
  ),

  'GET /repos/{owner}/{repo}/actions/permissions/fork-pr-workflows-private-repos': forAdmins(
    'administration',
    ({ settings, visibility }) => (visibility === 'public' ? undefined : settings.privateForks),
  ),

  'GET /repos/{owner}/{repo}/actions/runners': forAdmins('administration', ({ settings }) => ({
    total_count: settings.runners.length,
    runners: settings.runners.map(({ name, labels }, index) => ({
      id: index + 1,
      name,
      os: 'linux',
      status: 'online',
      busy: false,
      labels: labels.map((label) => ({ name: label })),
    })),
  })),

  'GET /repos/{owner}/{repo}/actions/oidc/customization/sub': forAdmins('actions', ({ settings }) =>
    settings.identityClaims === null
      ? { use_default: true }
      : { use_default: false, include_claim_keys: settings.identityClaims },
  ),

  'GET /repos/{owner}/{repo}/hooks': forAdmins('repository_hooks', ({ settings, createdAt }) =>
    settings.hooks.map(({ url, secret, insecure_ssl, ...hook }, index) => {
      const address = `https://api.github.com/hooks/${index + 1}`;
      return {
        ...hook,
        type: 'Repository',
        id: index + 1,
        name: 'web',
        config: { url, content_type: 'json', insecure_ssl, ...(secret ? { secret: '********' } : {}) },
        url: address,
        test_url: `${address}/test`,
        ping_url: `${address}/pings`,
        created_at: createdAt,
        updated_at: createdAt,
        last_response: { code: null, status: 'unused', message: null },
      };
    }),
  ),

  'GET /repos/{owner}/{repo}/keys': forAdmins('administration', ({ settings }) =>
    settings.deployKeys.map(({ title, readOnly, createdAt }, index) => ({
      id: index + 1,
      key: 'ssh-ed25519 AAAA',
      url: `https://api.github.com/keys/${index + 1}`,
      title,
      verified: true,
      created_at: createdAt,
      read_only: readOnly,
    })),
  ),

  'GET /repos/{owner}/{repo}/immutable-releases': forAdmins('administration', ({ settings }) =>
    settings.immutableReleases ? { enabled: true, enforced_by_owner: false } : undefined,
  ),

  'GET /repos/{owner}/{repo}/environments': withRepository((request, repository) => {
    const { caller, places } = request;
    const isForbidden = caller.kind === 'installation' && caller.permissions['actions'] === undefined;
    if (isForbidden && repository.visibility !== 'public') return lacks('actions=read');
    const environments = repository.settings.environments.map((environment, index) =>
      environmentJson(environment, index + 1, repository, userJson(request.world.ownerOf(repository), places)),
    );
    return { status: 200, body: { total_count: environments.length, environments } };
  }),

  'GET /orgs/{org}': ({ caller, parameters, world, places }) => {
    const organization = world.account(parameters['org'] ?? '');
    if (organization?.type !== 'Organization') return NOT_FOUND;
    const url = `${places.apiUrl}/orgs/${organization.login}`;
    const isOwner = caller.kind === 'user' && world.roleIn(organization.id, caller.account.id) === 'admin';
    const body = {
      ...linksOf('organization-full', url),
      login: organization.login,
      id: organization.id,
      node_id: `O_${organization.id}`,
      url,
      html_url: `${places.webUrl}/${organization.login}`,
      description: null,
      has_organization_projects: true,
      has_repository_projects: true,
      public_repos: 0,
      public_gists: 0,
      followers: 0,
      following: 0,
      type: 'Organization',
      created_at: organization.createdAt,
      updated_at: organization.createdAt,
      archived_at: null,
      ...(isOwner
        ? {
            two_factor_requirement_enabled: organization.twoFactorRequired ?? true,
            default_repository_permission: organization.basePermission ?? 'read',
            members_can_create_public_repositories: false,
          }
        : {}),
    };
    return { status: 200, body };
  },
};

function forAdmins(permission: string, toBody: (repository: Repository) => unknown): Handler {
  return withRepository((request, repository) => {
    const refused = refusal(request, repository, permission);
    if (refused !== undefined) return refused;
    const body = toBody(repository);
    return body === undefined ? NOT_FOUND : { status: 200, body };
  });
}

function refusal({ caller, world }: RestRequest, repository: Repository, permission: string): Answer | undefined {
  if (caller.kind === 'installation') {
    const may = isOf(caller, repository, world) && caller.permissions[permission] !== undefined;
    return may ? undefined : lacks(`${permission}=read`);
  }
  const isAdmin = caller.kind === 'user' && world.access(repository, caller.account.id) === 'admin';
  return isAdmin ? undefined : refuse(403, 'Must have admin rights to Repository.');
}

function environmentJson(
  { name, reviewers, preventSelfReview, adminsBypass, branches }: SimulatedEnvironment,
  id: number,
  { createdAt }: Repository,
  reviewer: unknown,
): unknown {
  const url = `https://api.github.com/environments/${id}`;
  const review = {
    id,
    node_id: `GA_${id}`,
    type: 'required_reviewers',
    prevent_self_review: preventSelfReview,
    reviewers: Array.from({ length: reviewers }, () => ({ type: 'User', reviewer })),
  };
  const policy = { id: id + 1_000, node_id: `GA_${id + 1_000}`, type: 'branch_policy' };
  return {
    id,
    node_id: `EN_${id}`,
    name,
    url,
    html_url: url,
    created_at: createdAt,
    updated_at: createdAt,
    can_admins_bypass: adminsBypass,
    protection_rules: [...(reviewers > 0 ? [review] : []), ...(branches === 'all' ? [] : [policy])],
    deployment_branch_policy:
      branches === 'all'
        ? null
        : { protected_branches: branches === 'protected', custom_branch_policies: branches === 'custom' },
  };
}
