import type { Credentials } from './credentials.ts';
import { APP_PERMISSIONS } from './manifest.ts';
import type { Account, Installation } from './model.ts';
import { escape, type PageAnswer, page } from './page.ts';
import { installationJson, type Places, userJson } from './representations.ts';
import { isPerson } from './sign-in.ts';
import type { Webhooks } from './webhooks.ts';
import type { World } from './world.ts';

export interface Setup {
  readonly url: string;
  readonly withCode: boolean;
}

export interface InstallOptions {
  readonly world: World;
  readonly credentials: Credentials;
  readonly webhooks: Webhooks;
  readonly places: Places;
  readonly setup: Setup;
}

export function installPage(query: URLSearchParams, { world, credentials }: InstallOptions): PageAnswer {
  const state = query.get('state');
  const hidden = state === null ? '' : `<input type="hidden" name="state" value="${escape(state)}">`;
  const repositoriesOf = ({ id }: Account): string => {
    const count = world.repositories.filter(({ ownerId }) => ownerId === id).length;
    return count === 1 ? '1 repository' : `${count === 0 ? 'no' : count} repositories`;
  };
  const buttons = world.accounts
    .filter(isPerson)
    .flatMap((person) =>
      world.accounts
        .filter((account) => mayInstall(world, person, account))
        .map(
          (account) =>
            `<p><button name="choice" value="${escape(`${person.login}/${account.login}`)}">Install on ${escape(account.login)} as ${escape(person.name)}</button> ${repositoriesOf(account)}</p>`,
        ),
    );
  return page(
    200,
    `<h1>Install ${escape(credentials.app.slug)}</h1><p>This page stands in for GitHub. Choose an account that has repositories, all of which the app will see; whoever installs it signs in next.</p>
<form method="post">${hidden}${buttons.join('')}</form>`,
  );
}

export function install(form: URLSearchParams, options: InstallOptions): PageAnswer {
  const { world, credentials, setup } = options;
  const [personLogin = '', accountLogin = ''] = (form.get('choice') ?? '').split('/');
  const person = world.account(personLogin);
  const account = world.account(accountLogin);
  if (person === undefined || account === undefined || !isPerson(person) || !mayInstall(world, person, account)) {
    return page(404, '<h1>Nobody can install that there</h1>');
  }
  const existing = world.installations.find(({ accountId }) => accountId === account.id);
  const target = new URL(setup.url);
  target.searchParams.set('installation_id', String((existing ?? add(account, person, options)).id));
  target.searchParams.set('setup_action', existing === undefined ? 'install' : 'update');
  if (setup.withCode) target.searchParams.set('code', credentials.createCode(person, setup.url, undefined));
  const state = form.get('state');
  if (state !== null) target.searchParams.set('state', state);
  return { status: 302, headers: { location: target.href }, body: '' };
}

function mayInstall(world: World, person: Account, account: Account): boolean {
  return account.id === person.id || world.roleIn(account.id, person.id) === 'admin';
}

function add(
  account: Account,
  sender: Account,
  { world, credentials, webhooks, places }: InstallOptions,
): Installation {
  const installation = world.addInstallation({ accountId: account.id, permissions: APP_PERMISSIONS });
  const repositories = world.repositories
    .filter((repository) => world.isInstalledOn(installation, repository))
    .map((repository) => ({
      id: repository.id,
      node_id: `R_${repository.id}`,
      name: repository.name,
      full_name: world.fullNameOf(repository),
      private: repository.visibility !== 'public',
    }));
  // The redirect and the event race, as on GitHub.
  void webhooks.send('installation', {
    action: 'created',
    installation: installationJson(installation, credentials.app, world, places),
    repositories,
    requester: null,
    sender: userJson(sender, places),
  });
  return installation;
}
