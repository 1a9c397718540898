import type { Account } from './model.ts';
import { membershipJson, type Places, publicUserJson, repositoryJson } from './representations.ts';
import {
  type Answer,
  asUser,
  type Handler,
  installationOf,
  lacks,
  NEEDS_TOKEN,
  NOT_FOUND,
  paginate,
  refuse,
  reposFor,
  toInstallation,
} from './rest-answer.ts';
import type { World } from './world.ts';

export const PEOPLE_HANDLERS: Readonly<Record<string, Handler>> = {
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
        return lacks('members=read');
      }
    } else if (caller.kind !== 'user' || organization === undefined) return NOT_FOUND;
    else if (world.roleIn(organization.id, caller.account.id) === undefined) {
      return refuse(403, 'You must be a member of the organization to see its memberships.');
    }
    return user === undefined ? NOT_FOUND : membership(organization, user, world, places);
  },

  'GET /user/{account_id}': ({ parameters, world, places }) => {
    const account = world.account(Number(parameters['account_id']));
    return account === undefined ? NOT_FOUND : { status: 200, body: publicUserJson(account, places) };
  },
};

function membership(organization: Account | undefined, user: Account, world: World, places: Places): Answer {
  const found = organization === undefined ? undefined : world.membership(organization.id, user.id);
  if (organization === undefined || found === undefined) return NOT_FOUND;
  return { status: 200, body: membershipJson(organization, user, found, places) };
}
