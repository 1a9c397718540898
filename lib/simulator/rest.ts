import type { Caller, Credentials } from './credentials.ts';
import { canSee } from './graphql.ts';
import {
  appJson,
  installationJson,
  membershipJson,
  type Places,
  publicUserJson,
  repositoryJson,
} from './representations.ts';
import type { Matched } from './rest-api.ts';
import type { Delivery, Webhooks } from './webhooks.ts';
import type { Account, Installation, Repository, World } from './world.ts';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RestRequest extends Matched {
  readonly caller: Caller;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  readonly world: World;
  readonly credentials: Credentials;
  readonly places: Places;
  readonly webhooks: Webhooks;
}

type Handler = (request: RestRequest) => Answer;

/** Answers one operation; undefined when GitHub has it and nobody simulates it. */
export function answerRest(request: RestRequest): Answer | undefined {
  const { method, path } = request.operation;
  return HANDLERS[`${method} ${path}`]?.(request);
}

export function refuse(status: number, message: string): Answer {
  const body = { message, documentation_url: 'https://docs.github.com/rest', status: String(status) };
  return { status, body };
}

const NOT_FOUND = refuse(404, 'Not Found');
const NEEDS_TOKEN = refuse(401, 'Requires authentication');
const NEEDS_APP = refuse(401, 'A JSON web token could not be decoded');
const FORBIDDEN = refuse(403, 'Resource not accessible by integration');

const HANDLERS: Readonly<Record<string, Handler>> = {
  'GET /app': asApp(({ credentials: { app }, world, places }) => {
    const owner = world.accounts.find(({ type }) => type === 'Organization') ?? world.accounts[0];
    if (owner === undefined) return NOT_FOUND;
    return { status: 200, body: appJson(app, owner, world.installations.length, places) };
  }),

  'GET /app/installations': asApp((request) => {
    const { page, headers } = paginate(request.world.installations, request);
    return { status: 200, body: page.map((installation) => toInstallation(installation, request)), headers };
  }),

  'GET /app/installations/{installation_id}': asApp((request) => {
    const installation = installationOf(request);
    return installation === undefined ? NOT_FOUND : { status: 200, body: toInstallation(installation, request) };
  }),

  'POST /app/installations/{installation_id}/access_tokens': asApp((request) => {
    const { body, world, credentials } = request;
    const installation = installationOf(request);
    if (installation === undefined) return NOT_FOUND;
    if (installation.suspendedAt !== null) return refuse(403, 'This installation has been suspended');
    const wanted = (body['permissions'] as Record<string, string> | undefined) ?? installation.permissions;
    if (Object.entries(wanted).some(([name, level]) => !covers(installation.permissions[name], level))) {
      return refuse(422, 'The permissions requested are not granted to this installation.');
    }
    const ids = (body['repository_ids'] as number[] | undefined) ?? null;
    const own = world.repositories.filter((repository) => world.isInstalledOn(installation, repository));
    if (ids?.some((id) => !own.some((repository) => repository.id === id)) === true) {
      return refuse(
        422,
        'There is at least one repository that does not exist or is not accessible to the parent installation.',
      );
    }
    const { token, expiresAt } = credentials.mintInstallationToken(installation, wanted, ids);
    const selection = ids === null && installation.repositoryIds === null ? 'all' : 'selected';
    return {
      status: 201,
      body: {
        token,
        expires_at: expiresAt.toISOString().replace(/\.\d+Z$/, 'Z'),
        permissions: wanted,
        repository_selection: selection,
      },
    };
  }),

  'GET /app/hook/deliveries': asApp(({ query, webhooks }) => {
    const size = Math.min(100, Math.max(1, Number(query.get('per_page') ?? 30)));
    return { status: 200, body: webhooks.deliveries.slice(-size).reverse().map(deliveryJson) };
  }),

  'POST /app/hook/deliveries/{delivery_id}/attempts': asApp(({ parameters, webhooks }) => {
    const started = webhooks.redeliver(Number(parameters['delivery_id']));
    return started === undefined ? NOT_FOUND : { status: 202, body: {} };
  }),

  'GET /installation/repositories': (request) => {
    const { caller, world, places } = request;
    if (caller.kind !== 'installation') return refuse(403, 'You must authenticate with an installation access token.');
    if (caller.installation.suspendedAt !== null) return refuse(403, 'This installation has been suspended');
    const all = world.repositories.filter(
      (repository) =>
        world.isInstalledOn(caller.installation, repository) && caller.repositoryIds?.includes(repository.id) !== false,
    );
    const { page, headers } = paginate(all, request);
    const repositories = page.map((repository) => repositoryJson(repository, undefined, world, places));
    const selection = caller.installation.repositoryIds === null ? 'all' : 'selected';
    return { status: 200, body: { total_count: all.length, repository_selection: selection, repositories }, headers };
  },

  'GET /user': asUser(({ places }, account) => ({ status: 200, body: publicUserJson(account, places) })),

  'GET /user/emails': asUser((_, { email }) => ({
    status: 200,
    body: email === null ? [] : [{ email, primary: true, verified: true, visibility: 'private' }],
  })),

  'GET /user/installations': asUser((request, account, throughApp) => {
    if (!throughApp) return refuse(403, 'You must authenticate with an access token authorized to a GitHub App.');
    const { world } = request;
    const visible = world.installations.filter((installation) => reposFor(installation, account, world).length > 0);
    const { page, headers } = paginate(visible, request);
    const installations = page.map((installation) => toInstallation(installation, request));
    return { status: 200, body: { total_count: visible.length, installations }, headers };
  }),

  'GET /user/installations/{installation_id}/repositories': asUser((request, account, throughApp) => {
    if (!throughApp) return refuse(403, 'You must authenticate with an access token authorized to a GitHub App.');
    const { world, places } = request;
    const installation = installationOf(request);
    const all = installation === undefined ? [] : reposFor(installation, account, world);
    if (installation === undefined || all.length === 0) return NOT_FOUND;
    const { page, headers } = paginate(all, request);
    const repositories = page.map((repository) =>
      repositoryJson(repository, world.access(repository, account.id), world, places),
    );
    return { status: 200, body: { total_count: all.length, repositories }, headers };
  }),

  'GET /user/memberships/orgs/{org}': asUser(({ parameters, world, places }, account) =>
    membership(world.account(parameters['org'] ?? ''), account, world, places),
  ),

  'GET /orgs/{org}/memberships/{username}': ({ caller, parameters, world, places }) => {
    const organization = world.account(parameters['org'] ?? '');
    const user = world.account(parameters['username'] ?? '');
    if (caller.kind === 'anonymous') return NEEDS_TOKEN;
    if (caller.kind === 'installation') {
      if (caller.permissions['members'] === undefined || caller.installation.accountId !== organization?.id) {
        return { ...FORBIDDEN, headers: { 'x-accepted-github-permissions': 'members=read' } };
      }
    } else if (caller.kind !== 'user' || organization === undefined) return NOT_FOUND;
    else if (world.roleIn(organization.id, caller.account.id) === undefined) {
      return refuse(403, 'You must be a member of the organization to see its memberships.');
    }
    return user === undefined ? NOT_FOUND : membership(organization, user, world, places);
  },

  'GET /repos/{owner}/{repo}': ({ caller, parameters, world, places }) => {
    const fullName = `${parameters['owner']}/${parameters['repo']}`;
    const repository = world.repository(fullName);
    if (repository === undefined || !isVisible(caller, repository, world)) return NOT_FOUND;
    if (world.fullNameOf(repository).toLowerCase() !== fullName.toLowerCase()) {
      const url = `${places.apiUrl}/repositories/${repository.id}`;
      const body = { message: 'Moved Permanently', url, documentation_url: 'https://docs.github.com/rest' };
      return { status: 301, body, headers: { location: url } };
    }
    const access = caller.kind === 'user' ? world.access(repository, caller.account.id) : undefined;
    return { status: 200, body: repositoryJson(repository, access, world, places) };
  },

  'GET /rate_limit': () => {
    const rate = { limit: 5_000, remaining: 4_999, used: 1, reset: Math.ceil(Date.now() / 1000) + 3_600 };
    return { status: 200, body: { resources: { core: rate, search: rate, graphql: rate }, rate } };
  },
};

function asApp(handler: Handler): Handler {
  return (request) => (request.caller.kind === 'app' ? handler(request) : NEEDS_APP);
}

function asUser(handler: (request: RestRequest, account: Account, throughApp: boolean) => Answer): Handler {
  return (request) => {
    const { caller } = request;
    if (caller.kind === 'anonymous') return NEEDS_TOKEN;
    return caller.kind === 'user' ? handler(request, caller.account, caller.throughApp) : FORBIDDEN;
  };
}

function isVisible(caller: Caller, repository: Repository, world: World): boolean {
  return caller.kind === 'anonymous' ? repository.visibility === 'public' : canSee(caller, repository, world);
}

function installationOf({ parameters, world }: RestRequest): Installation | undefined {
  return world.installations.find(({ id }) => id === Number(parameters['installation_id']));
}

function toInstallation(installation: Installation, { credentials, world, places }: RestRequest): unknown {
  return installationJson(installation, credentials.app, world, places);
}

/** What a user sees through the app: what both may see, where the user belongs to the account. */
function reposFor(installation: Installation, account: Account, world: World): Repository[] {
  const belongs =
    installation.accountId === account.id || world.roleIn(installation.accountId, account.id) !== undefined;
  return belongs ? world.repositories.filter((repository) => world.isInstalledOn(installation, repository)) : [];
}

function membership(organization: Account | undefined, user: Account, world: World, places: Places): Answer {
  const role = organization === undefined ? undefined : world.roleIn(organization.id, user.id);
  if (organization === undefined || role === undefined) return NOT_FOUND;
  return { status: 200, body: membershipJson(organization, user, role, places) };
}

function deliveryJson(delivery: Delivery): unknown {
  const { id, guid, event, action, deliveredAt, redelivery, durationMs, statusCode } = delivery;
  return {
    id,
    guid,
    event,
    action,
    delivered_at: deliveredAt,
    redelivery,
    duration: durationMs / 1000,
    status: statusCode === 0 ? 'timed out' : statusCode < 300 ? 'OK' : 'Invalid HTTP Response',
    status_code: statusCode,
    installation_id: delivery.installationId,
    repository_id: delivery.repositoryId,
    throttled_at: null,
  };
}

function covers(granted: string | undefined, wanted: string): boolean {
  const levels = ['read', 'write', 'admin'];
  return granted !== undefined && levels.indexOf(wanted) <= levels.indexOf(granted);
}

function paginate<T>(
  all: readonly T[],
  { query, places, operation, parameters }: RestRequest,
): { page: readonly T[]; headers: Record<string, string> } {
  const size = Math.min(100, Math.max(1, Number(query.get('per_page') ?? 30)));
  const number = Math.max(1, Number(query.get('page') ?? 1));
  const last = Math.max(1, Math.ceil(all.length / size));
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''));
  const link = (page: number, rel: string): string =>
    `<${places.apiUrl}${path}?per_page=${size}&page=${page}>; rel="${rel}"`;
  const links = [
    ...(number > 1 ? [link(number - 1, 'prev'), link(1, 'first')] : []),
    ...(number < last ? [link(number + 1, 'next'), link(last, 'last')] : []),
  ];
  const headers: Record<string, string> = links.length > 0 ? { link: links.join(', ') } : {};
  return { page: all.slice((number - 1) * size, number * size), headers };
}
