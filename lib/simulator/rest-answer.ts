import { NOT_ACCESSIBLE } from './acting.ts';
import type { Caller, Credentials } from './credentials.ts';
import { canSee } from './graphql.ts';
import type { Account, Installation, Repository } from './model.ts';
import type { Refused } from './refused.ts';
import { installationJson, type Places } from './representations.ts';
import type { Matched } from './rest-api.ts';
import type { Webhooks } from './webhooks.ts';
import type { World } from './world.ts';

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

export type Handler = (request: RestRequest) => Answer | Promise<Answer>;

export function refuse(status: number, message: string): Answer {
  const body = { message, documentation_url: 'https://docs.github.com/rest', status: String(status) };
  return { status, body };
}

export const NOT_FOUND = refuse(404, 'Not Found');
export const NEEDS_TOKEN = refuse(401, 'Requires authentication');
const NEEDS_APP = refuse(401, 'A JSON web token could not be decoded');
const FORBIDDEN = refuse(403, NOT_ACCESSIBLE);

export function answerRefused({ status, message, details: { errors, permission } }: Refused): Answer {
  const { body } = refuse(status, message);
  return {
    status,
    body: errors === undefined ? body : { ...(body as Readonly<Record<string, unknown>>), errors },
    ...(permission === undefined ? {} : { headers: { 'x-accepted-github-permissions': permission } }),
  };
}

export function lacks(permission: string): Answer {
  return { ...FORBIDDEN, headers: { 'x-accepted-github-permissions': permission } };
}

export function asApp(handler: Handler): Handler {
  return (request) => (request.caller.kind === 'app' ? handler(request) : NEEDS_APP);
}

export function asUser(handler: (request: RestRequest, account: Account, throughApp: boolean) => Answer): Handler {
  return (request) => {
    const { caller } = request;
    if (caller.kind === 'anonymous') return NEEDS_TOKEN;
    return caller.kind === 'user' ? handler(request, caller.account, caller.throughApp) : FORBIDDEN;
  };
}

export function withRepository(
  handler: (request: RestRequest, repository: Repository) => Answer | Promise<Answer>,
): Handler {
  return (request) => {
    const { caller, parameters, operation, world, places } = request;
    const fullName = `${parameters['owner']}/${parameters['repo']}`;
    const repository = world.repository(fullName);
    if (repository === undefined || !isVisible(caller, repository, world)) return NOT_FOUND;
    if (world.fullNameOf(repository).toLowerCase() === fullName.toLowerCase()) return handler(request, repository);
    const rest = operation.path.slice('/repos/{owner}/{repo}'.length);
    const url = `${places.apiUrl}/repositories/${repository.id}${rest}`;
    const body = { message: 'Moved Permanently', url, documentation_url: 'https://docs.github.com/rest' };
    return { status: 301, body, headers: { location: url } };
  };
}

function isVisible(caller: Caller, repository: Repository, world: World): boolean {
  if (caller.kind === 'anonymous') return repository.visibility === 'public';
  // The app itself sees no repository, but can ask which installation does.
  if (caller.kind === 'app') return world.installations.some((each) => world.isInstalledOn(each, repository));
  return canSee(caller, repository, world);
}

export function installationOf({ parameters, world }: RestRequest): Installation | undefined {
  return world.installations.find(({ id }) => id === Number(parameters['installation_id']));
}

export function toInstallation(installation: Installation, { credentials, world, places }: RestRequest): unknown {
  return installationJson(installation, credentials.app, world, places);
}

export function reposFor(installation: Installation, account: Account, world: World): Repository[] {
  const belongs =
    installation.accountId === account.id || world.roleIn(installation.accountId, account.id) !== undefined;
  return belongs ? world.repositories.filter((repository) => world.isInstalledOn(installation, repository)) : [];
}

export function paginate<T>(
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
