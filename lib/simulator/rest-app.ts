import { isOf, SUSPENDED } from './credentials.ts';
import { appJson, repositoryJson } from './representations.ts';
import {
  asApp,
  type Handler,
  installationOf,
  NOT_FOUND,
  paginate,
  refuse,
  toInstallation,
  withRepository,
} from './rest-answer.ts';
import type { Delivery } from './webhooks.ts';

export const APP_HANDLERS: Readonly<Record<string, Handler>> = {
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
    if (installation.suspendedAt !== null) return refuse(403, SUSPENDED);
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

  'GET /app/hook/deliveries': asApp(({ query, webhooks, places }) => {
    const size = Math.min(100, Math.max(1, Number(query.get('per_page') ?? 30)));
    const [wanted, cursor] = [query.get('status'), query.get('cursor')];
    const all = webhooks.deliveries.filter(({ id, statusCode }) => {
      const status = statusCode >= 200 && statusCode < 300 ? 'success' : 'failure';
      return (wanted === null || wanted === status) && (cursor === null || id <= Number(cursor.slice('v1_'.length)));
    });
    const newest = all.reverse();
    const next = newest[size];
    const status = wanted === null ? '' : `&status=${wanted}`;
    const url = `${places.apiUrl}/app/hook/deliveries?per_page=${size}${status}&cursor=v1_${next?.id}`;
    const headers: Record<string, string> = next === undefined ? {} : { link: `<${url}>; rel="next"` };
    return { status: 200, body: newest.slice(0, size).map(deliveryJson), headers };
  }),

  'POST /app/hook/deliveries/{delivery_id}/attempts': asApp(({ parameters, webhooks }) => {
    const started = webhooks.redeliver(Number(parameters['delivery_id']));
    return started === undefined ? NOT_FOUND : { status: 202, body: {} };
  }),

  'GET /installation/repositories': (request) => {
    const { caller, world, places } = request;
    if (caller.kind !== 'installation') return refuse(403, 'You must authenticate with an installation access token.');
    const all = world.repositories.filter((repository) => isOf(caller, repository, world));
    const { page, headers } = paginate(all, request);
    const repositories = page.map((repository) => repositoryJson(repository, undefined, world, places));
    const selection = caller.installation.repositoryIds === null ? 'all' : 'selected';
    return { status: 200, body: { total_count: all.length, repository_selection: selection, repositories }, headers };
  },

  'GET /repos/{owner}/{repo}/installation': asApp(
    withRepository((request, repository) => {
      const { world } = request;
      const found = world.installations.find((installation) => world.isInstalledOn(installation, repository));
      return found === undefined ? NOT_FOUND : { status: 200, body: toInstallation(found, request) };
    }),
  ),
};

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
