import * as z from 'zod/mini';
import type { NotAssessedReason, SettingsFacts, Source } from '#lib/facts/facts.ts';
import type { Settings } from '#lib/facts/settings.ts';
import { compareText } from '#lib/workflow/text/compare-text.ts';
import { again, type Client, type GraphqlError } from './client.ts';
import { CodeHostFailure } from './errors.ts';
import { parseFullName, type RepositoryName } from './repository-name.ts';
import {
  ActionsPolicyAnswer,
  DeployKeysAnswer,
  EnvironmentsAnswer,
  ForkApprovalAnswer,
  HooksAnswer,
  IdentitySubjectAnswer,
  ImmutableReleasesAnswer,
  OrganizationAnswer,
  PrivateForksAnswer,
  RunnersAnswer,
  SecurityAnswer,
  SelectedActionsAnswer,
  toActionsPolicy,
  toEnvironment,
  toForkApproval,
  toOrganization,
  toPrivateForks,
  toSecretScanning,
  toSelectedActions,
  toWebhook,
  WorkflowTokenAnswer,
} from './settings-answers.ts';
import { branchSettings, bypassesOf, present, tagSettings } from './settings-branch.ts';
import { type FoundSettings, SETTINGS_QUERY, SettingsAnswer } from './settings-query.ts';

export type SettingsPermission = 'administration' | 'actions' | 'repository_hooks' | 'organization_administration';

export type MayRead = (permission: SettingsPermission, isAdmin: boolean) => Promise<boolean>;

type Fields = { -readonly [Field in keyof Settings]?: Source<Settings[Field]> };

export async function readSettings(client: Client, may: MayRead, fullName: string): Promise<Source<SettingsFacts>> {
  const at = parseFullName(fullName);
  if (at === undefined) return { missing: 'offline' };
  try {
    const { found, errors } = await askQuery(client, at);
    const isAdmin = found.viewerPermission === 'ADMIN';
    const granted = {
      // Sequential, since each missing permission mints a new token.
      administration: await may('administration', isAdmin),
      actions: await may('actions', isAdmin),
      hooks: await may('repository_hooks', isAdmin),
      organization: await may('organization_administration', isAdmin),
    };
    const asked = await new Asking(client, at).all(found, granted);
    return { value: { ...told(found, errors, granted.administration), ...asked } };
  } catch (error) {
    if (!(error instanceof CodeHostFailure)) throw error;
    return { missing: reasonOf(error) };
  }
}

interface Granted {
  readonly administration: boolean;
  readonly actions: boolean;
  readonly hooks: boolean;
  readonly organization: boolean;
}

interface QueryAnswer {
  readonly found: FoundSettings;
  readonly errors: readonly GraphqlError[];
}

async function askQuery(client: Client, { owner, name }: RepositoryName): Promise<QueryAnswer> {
  return again(2, async () => {
    const { data, errors } = await client.query(SETTINGS_QUERY, { owner, name });
    const told = errors.map(({ type = 'error', path = [] }) => `${type} at ${path.join('.')}`).join(', ');
    const parsed = SettingsAnswer.safeParse(data);
    if (parsed.success) return { found: parsed.data.repository, errors };
    const isMissing = errors.some(({ type }) => type === 'NOT_FOUND' || type === 'FORBIDDEN');
    if (isMissing) throw new CodeHostFailure('missing', `GraphQL: ${told}`);
    // A field unknown to this server makes it reject the whole query.
    const isOld = errors.some(({ message = '' }) =>
      /doesn't exist on type|isn't a defined|doesn't accept argument/.test(message),
    );
    if (isOld) throw new CodeHostFailure('unsupported', `GraphQL: ${told}`);
    throw new CodeHostFailure(errors.length > 0 ? 'server' : 'unexpected', `GraphQL: ${told || 'another shape'}`);
  });
}

/** Returns each field separately, since a refusal of one leaves the others valid. */
function told(found: FoundSettings, errors: readonly GraphqlError[], isAdmin: boolean): Fields {
  const ref = found.defaultBranchRef;
  const rulesets = present(found.rulesets?.nodes);
  // Only administrators see classic branch protection; others learn that it exists.
  const isHidden = !isAdmin && ref?.branchProtectionRule === null && ref.refUpdateRule !== null;
  const bypasses = ref === null ? [] : bypassesOf(ref, rulesets);
  const fields: Fields = {
    repository: {
      value: {
        visibility: found.visibility.toLowerCase() as 'public' | 'private' | 'internal',
        archived: found.isArchived,
        ownedByOrganization: found.isInOrganization,
        assignable: found.assignableUsers.totalCount,
      },
    },
    branch: isHidden ? { missing: 'no_permission' } : { value: ref === null ? null : branchSettings(ref, rulesets) },
    bypasses: isHidden || bypasses === undefined ? { missing: 'no_permission' } : { value: bypasses },
    tags: { value: tagSettings(found.tags, rulesets) },
    vulnerabilityAlerts: isAdmin ? { value: found.hasVulnerabilityAlertsEnabled } : { missing: 'no_permission' },
    community: {
      value: { securityPolicy: found.isSecurityPolicyEnabled === true, license: found.licenseInfo !== null },
    },
    codeowners: { value: codeownersOf(found) },
  };
  const dependents: Readonly<Record<string, readonly (keyof Settings)[]>> = {
    defaultBranchRef: ['branch', 'bypasses'],
    rulesets: ['branch', 'bypasses', 'tags'],
    tags: ['tags'],
    codeowners: ['codeowners'],
    ownersInGithub: ['codeowners'],
    ownersInRoot: ['codeowners'],
    ownersInDocs: ['codeowners'],
  };
  const unread = new Map<keyof Settings, { readonly missing: NotAssessedReason }>();
  for (const { type, path } of errors) {
    const missing = type === 'FORBIDDEN' || type === 'NOT_FOUND' ? 'no_permission' : 'offline';
    for (const field of dependents[String(path?.[1])] ?? []) unread.set(field, { missing });
  }
  return { ...fields, ...Object.fromEntries(unread) };
}

const MAX_OWNER_LINES = 5_000;

/** GitHub uses the first of three files, and in it the last matching line. */
function codeownersOf({ codeowners, ...found }: FoundSettings): Settings['codeowners'] {
  const file = [found.ownersInGithub, found.ownersInRoot, found.ownersInDocs].find((each) => each !== null);
  if (file === undefined || file === null) return null;
  const lines = (file.text ?? '').split('\n', MAX_OWNER_LINES).map((line) => line.replace(/#.*/, '').trim());
  return {
    rules: lines.flatMap((line) => {
      const [pattern, ...owners] = line.split(/\s+/);
      return pattern === undefined || pattern === '' ? [] : [{ pattern, owners: owners.length }];
    }),
    errors: (codeowners?.errors ?? []).map(({ line, kind }) => ({ line, kind })).sort((a, b) => a.line - b.line),
  };
}

class Asking {
  readonly #client: Client;
  readonly #at: { readonly owner: string; readonly repo: string };

  constructor(client: Client, { owner, name }: RepositoryName) {
    this.#client = client;
    this.#at = { owner, repo: name };
  }

  async all(found: FoundSettings, { administration, actions, hooks, organization }: Granted): Promise<Fields> {
    const isPublic = found.visibility === 'PUBLIC';
    const asked: { readonly [Field in keyof Settings]?: Promise<Source<Settings[Field]>> } = {
      workflowToken: this.#when(administration, '/actions/permissions/workflow', WorkflowTokenAnswer, (answer) => ({
        default: answer.default_workflow_permissions,
        canApprovePullRequests: answer.can_approve_pull_request_reviews,
      })),
      actionsPolicy: this.#actionsPolicy(administration),
      forkWorkflows: this.#forkWorkflows(administration, isPublic),
      environments: this.#when(
        actions || isPublic,
        `/environments?per_page=${PER_PAGE}`,
        EnvironmentsAnswer,
        (answer) => (answer.environments ?? []).map(toEnvironment).sort((a, b) => compareText(a.name, b.name)),
      ),
      webhooks: this.#when(hooks, `/hooks?per_page=${PER_PAGE}`, HooksAnswer, (list) =>
        list.map(toWebhook).sort((a, b) => compareText(JSON.stringify(a), JSON.stringify(b))),
      ),
      deployKeys: this.#when(administration, `/keys?per_page=${PER_PAGE}`, DeployKeysAnswer, (list) =>
        list
          .map(({ title, read_only: readOnly, created_at: createdAt }) => ({ title, readOnly, createdAt }))
          .sort((a, b) => compareText(a.title, b.title) || compareText(a.createdAt, b.createdAt)),
      ),
      releases: this.#releases(administration, found.latestRelease !== null),
      secretScanning: this.#when(administration, '', SecurityAnswer, toSecretScanning),
      runners: this.#runners(administration, isPublic),
      identitySubject: this.#when(actions, '/actions/oidc/customization/sub', IdentitySubjectAnswer, (answer) =>
        answer.use_default ? null : (answer.include_claim_keys ?? []),
      ),
      organization: this.#organization(organization, found.isInOrganization),
    };
    const list = Object.entries(asked as Readonly<Record<string, Promise<unknown>>>);
    const fields = list.map(async ([field, source]) => [field, await source] as const);
    return Object.fromEntries(await Promise.all(fields)) as Fields;
  }

  async #actionsPolicy(granted: boolean): Promise<Source<Settings['actionsPolicy']>> {
    const policy = await this.#when(granted, '/actions/permissions', ActionsPolicyAnswer, toActionsPolicy);
    if (!('value' in policy) || policy.value.allowed !== 'selected') return policy;
    const path = '/actions/permissions/selected-actions';
    const selected = await this.#when(true, path, SelectedActionsAnswer, toSelectedActions);
    return 'value' in selected ? { value: { ...policy.value, selected: selected.value } } : policy;
  }

  async #forkWorkflows(granted: boolean, isPublic: boolean): Promise<Source<Settings['forkWorkflows']>> {
    const path = '/actions/permissions';
    // Enterprise Server got these later than the other settings.
    const old = { missing: 'unsupported_host' } as const;
    return isPublic
      ? this.#when(granted, `${path}/fork-pr-contributor-approval`, ForkApprovalAnswer, toForkApproval, old)
      : this.#when(granted, `${path}/fork-pr-workflows-private-repos`, PrivateForksAnswer, toPrivateForks, old);
  }

  async #releases(granted: boolean, any: boolean): Promise<Source<Settings['releases']>> {
    if (!any) return { value: { any, immutable: false } };
    // GitHub answers 404 if the setting is off.
    const off = { value: { any, immutable: false } };
    const convert = ({ enabled }: { readonly enabled: boolean }) => ({ any, immutable: enabled });
    return this.#when(granted, '/immutable-releases', ImmutableReleasesAnswer, convert, off);
  }

  async #runners(granted: boolean, isPublic: boolean): Promise<Source<Settings['runners']>> {
    if (!isPublic) return { value: [] };
    return this.#when(granted, `/actions/runners?per_page=${PER_PAGE}`, RunnersAnswer, (answer) =>
      answer.runners
        .map(({ name, labels }) => ({ name, labels: labels.map((label) => label.name).sort(compareText) }))
        .sort((a, b) => compareText(a.name, b.name)),
    );
  }

  async #organization(granted: boolean, isOne: boolean): Promise<Source<Settings['organization']>> {
    if (!isOne) return { value: null };
    if (!granted) return NOT_PERMITTED;
    return this.#read('/orgs/{org}', { org: this.#at.owner }, OrganizationAnswer, toOrganization, NOT_PERMITTED);
  }

  async #when<Answer, T>(
    granted: boolean,
    path: string,
    shape: z.ZodMiniType<Answer>,
    convert: (answer: Answer) => T,
    whenMissing: Source<T> = NOT_PERMITTED,
  ): Promise<Source<T>> {
    if (!granted) return NOT_PERMITTED;
    return this.#read(`/repos/{owner}/{repo}${path}`, this.#at, shape, convert, whenMissing);
  }

  async #read<Answer, T>(
    path: string,
    parameters: Readonly<Record<string, unknown>>,
    shape: z.ZodMiniType<Answer>,
    convert: (answer: Answer) => T | undefined,
    whenMissing: Source<T>,
  ): Promise<Source<T>> {
    try {
      const parsed = shape.safeParse(await this.#client.read(path, parameters));
      if (!parsed.success) return { missing: 'offline' };
      const value = convert(parsed.data);
      return value === undefined ? NOT_PERMITTED : { value };
    } catch (error) {
      if (!(error instanceof CodeHostFailure)) throw error;
      return error.kind === 'missing' ? whenMissing : { missing: reasonOf(error) };
    }
  }
}

const NOT_PERMITTED = { missing: 'no_permission' } as const;
const PER_PAGE = 100;

function reasonOf({ kind }: CodeHostFailure): NotAssessedReason {
  if (kind === 'limit') return 'rate_limited';
  if (kind === 'unsupported') return 'unsupported_host';
  // GitHub does not distinguish a missing permission from a missing repository.
  return kind === 'forbidden' || kind === 'missing' ? 'no_permission' : 'offline';
}
