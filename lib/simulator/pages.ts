import type { IncomingMessage } from 'node:http';
import { type Browsing, browse, decidePull } from './browse.ts';
import { type InstallOptions, install, installPage, type Setup } from './install.ts';
import { type PageAnswer, page } from './page.ts';
import { parseObject, readBody, textOf } from './request.ts';
import { accessToken, authorize, authorizePage, type SignIn } from './sign-in.ts';

export interface PageRequest {
  readonly request: IncomingMessage;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
}

export interface PageOptions extends SignIn, Omit<InstallOptions, 'setup'>, Browsing {
  readonly setup: Setup | undefined;
}

export async function answerPage(asked: PageRequest, options: PageOptions): Promise<PageAnswer | undefined> {
  const { request, method, path, query } = asked;
  const { credentials, places, setup } = options;
  const form = async (): Promise<URLSearchParams> => new URLSearchParams(textOf(await readBody(request)));
  switch (`${method} ${path}`) {
    case 'GET /':
      return page(200, '<h1>Local code host</h1>');
    case 'GET /login/oauth/authorize':
      return authorizePage(query, options);
    case 'POST /login/oauth/authorize':
      return authorize(await form(), options);
    case 'POST /login/oauth/access_token': {
      const { accept, 'content-type': type = '' } = request.headers;
      const text = textOf(await readBody(request));
      const body = type.includes('json')
        ? ((parseObject(text) ?? {}) as Record<string, string>)
        : Object.fromEntries(new URLSearchParams(text));
      return accessToken(body, accept?.includes('json') === true, options);
    }
  }
  if (path === `/apps/${credentials.app.slug}/installations/new` && setup !== undefined) {
    if (method === 'GET') return installPage(query, { ...options, setup });
    if (method === 'POST' && isOwn(request, places)) {
      return install(await form(), { ...options, setup });
    }
  }
  if (method === 'GET') return browse(path, options);
  return method === 'POST' && isOwn(request, places) ? decidePull(path, await form(), options) : undefined;
}

/** CSRF: another site must not act in the user's name. */
function isOwn({ headers: { origin } }: IncomingMessage, { webUrl }: PageOptions['places']): boolean {
  return origin === undefined || origin === webUrl;
}
