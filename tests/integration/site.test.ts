import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { parseEnv } from '#lib/env.ts';
import { describeSite } from '#lib/services/pages/site.ts';
import { NextSteps } from '../../app/components/report/next-steps.tsx';

const APP = {
  SCM_APP_ID: '1',
  SCM_APP_SLUG: 'chainbreak',
  SCM_APP_PRIVATE_KEY: '-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----',
  SCM_CLIENT_ID: 'id',
  SCM_CLIENT_SECRET: 'secret',
};
const DEMO = { DEMO_USER_ID: '11111111-1111-4111-8111-111111111111', SCM_WEB_URL: 'http://127.0.0.1:4000' };

const siteOf = (variables: Record<string, string>) => describeSite({ env: parseEnv(variables) });

describe('the pages mention of other servers', () => {
  it('only the name, and well-known repositories of github.com', () => {
    expect(siteOf({})).toMatchObject({ codeHost: 'github.com', codeHostUrl: 'https://github.com', connectUrl: null });
    expect(siteOf({}).examples.length).toBeGreaterThan(0);
    expect(siteOf({ SCM_WEB_URL: 'https://git.example.com' })).toMatchObject({
      codeHost: 'git.example.com',
      examples: [],
    });
  });

  it('the demo’s repositories, and its app on the local code host', () => {
    const { codeHost, examples, connectUrl } = siteOf({ ...DEMO, ...APP });
    expect([codeHost, examples[0]]).toEqual(['the local code host', 'acme/storefront']);
    expect(connectUrl).toBe('http://127.0.0.1:4000/apps/chainbreak/installations/new');
  });

  it('that registries can see image names, if lookups are on', () => {
    expect(siteOf({}).asksRegistries).toBe(true);
    expect(siteOf({ IMAGE_LOOKUP: 'off' }).asksRegistries).toBe(false);
  });

  it('the installation page of the app, if there is one', () => {
    const { connectUrl } = siteOf(APP);
    expect(connectUrl).toBe('https://github.com/apps/chainbreak/installations/new');
    const draw = (url: string | null) =>
      renderToStaticMarkup(createElement(NextSteps, { connectUrl: url, nothingFound: false }));
    expect(draw(connectUrl)).toContain(`href="${connectUrl}"`);
    expect(draw(null)).not.toContain('<a ');
  });
});
