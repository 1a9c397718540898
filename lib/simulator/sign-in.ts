import type { Credentials } from './credentials.ts';
import type { Account } from './model.ts';
import { escape, type PageAnswer, page } from './page.ts';
import type { World } from './world.ts';

export interface SignIn {
  readonly world: World;
  readonly credentials: Credentials;
  readonly callbackUrls: readonly string[];
}

export function authorizePage(query: URLSearchParams, options: SignIn): PageAnswer {
  const problem = problemOf(query, options);
  if (problem !== undefined) return page(404, `<h1>This sign-in cannot go on</h1><p>${escape(problem)}</p>`);
  const hidden = ['client_id', 'redirect_uri', 'state', 'code_challenge', 'code_challenge_method']
    .flatMap((name) => {
      const value = query.get(name);
      return value === null ? [] : [`<input type="hidden" name="${name}" value="${escape(value)}">`];
    })
    .join('');
  const users = options.world.accounts
    .filter((account) => isPerson(account))
    .map((person) => {
      const [login, name] = [escape(person.login), escape(person.name)];
      const button = `<button name="login" value="${login}">Continue as ${name} (${login})</button>`;
      return `<p>${button} ${escape(rolesOf(options.world, person))}</p>`;
    });
  return page(
    200,
    `<h1>Sign in to the local code host</h1>
<p><b>${escape(options.credentials.app.slug)}</b> wants to know who you are. Choose one of the demo's people.</p>
<form method="post" action="/login/oauth/authorize">${hidden}${users.join('')}
<p><button name="login" value="">Cancel</button></p></form>`,
  );
}

function rolesOf(world: World, person: Account): string {
  return world.accounts
    .flatMap(({ id, login }) => {
      const role = world.roleIn(id, person.id);
      return role === undefined ? [] : `${role === 'admin' ? 'administers' : 'is a member of'} ${login}`;
    })
    .join(', ');
}

export function authorize(form: URLSearchParams, options: SignIn): PageAnswer {
  const problem = problemOf(form, options);
  if (problem !== undefined) return page(404, `<h1>This sign-in cannot go on</h1><p>${escape(problem)}</p>`);
  const target = new URL(form.get('redirect_uri') ?? '');
  const account = options.world.account(form.get('login') ?? '');
  if (account === undefined || !isPerson(account)) {
    target.searchParams.set('error', 'access_denied');
    target.searchParams.set('error_description', 'The user has denied your application access.');
  } else {
    const code = options.credentials.createCode(
      account,
      form.get('redirect_uri') ?? '',
      form.get('code_challenge') ?? undefined,
    );
    target.searchParams.set('code', code);
  }
  const state = form.get('state');
  if (state !== null) target.searchParams.set('state', state);
  return { status: 302, headers: { location: target.href }, body: '' };
}

/** Exchanges a code for a token. Refusals come with status 200, as GitHub sends them. */
export function accessToken(body: Readonly<Record<string, string>>, asJson: boolean, options: SignIn): PageAnswer {
  const redeemed = options.credentials.redeemCode(body);
  const answer: Record<string, string | number> =
    'error' in redeemed
      ? {
          error: redeemed.error,
          error_description: 'The request was refused.',
          error_uri: 'https://docs.github.com/apps',
        }
      : {
          access_token: options.credentials.mintUserToken(redeemed.account, true),
          expires_in: 28_800,
          token_type: 'bearer',
          scope: '',
        };
  if (asJson) {
    return {
      status: 200,
      headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
      body: JSON.stringify(answer),
    };
  }
  const encoded = new URLSearchParams(
    Object.entries(answer).map(([name, value]): [string, string] => [name, String(value)]),
  );
  return {
    status: 200,
    headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8', 'cache-control': 'no-store' },
    body: encoded.toString(),
  };
}

export function isPerson({ type, email }: Account): boolean {
  return type === 'User' && email !== null;
}

function problemOf(parameters: URLSearchParams, { credentials, callbackUrls }: SignIn): string | undefined {
  if (parameters.get('client_id') !== credentials.app.clientId) return 'No app has this client id.';
  const method = parameters.get('code_challenge_method');
  if (parameters.has('code_challenge') && method !== 'S256') return 'The challenge method must be S256.';
  const given = parameters.get('redirect_uri') ?? '';
  if (!URL.canParse(given)) return 'The redirect address is missing.';
  const { protocol, hostname } = new URL(given);
  const local = protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  // An open redirect would leak codes.
  return local || callbackUrls.includes(given) ? undefined : 'The redirect address is not registered.';
}
