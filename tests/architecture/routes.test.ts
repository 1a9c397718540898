import { readdirSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { openApiDocument } from '#lib/http/openapi/document.ts';
import { OPERATIONS } from '#lib/http/openapi/operations.ts';
import type { Handlers } from '#lib/http/route/respond.ts';
import { callRoute } from '../support/call-route.ts';
import { routeFileOf } from '../support/route-file.ts';

/** Endpoints of the specification that the service answers, with who may call them. */
const ANSWERED = [
  'DELETE /api/notification-settings user',
  'DELETE /api/orgs/{org_id}/invites/{invite_id} user',
  'DELETE /api/orgs/{org_id}/members/{user_id} user',
  'DELETE /api/repositories/{repo_id}/rule-overrides/{rule_id} user',
  'DELETE /api/rule-settings/{rule_id} user',
  'GET /api/attack-paths user',
  'GET /api/badge/{owner}/{repo} public',
  'GET /api/badge/{owner}/{repo}.svg public',
  'GET /api/capabilities user',
  'GET /api/cron/expire-triage cron',
  'GET /api/health public',
  'GET /api/invites user',
  'GET /api/orgs user',
  'GET /api/orgs/{org_id}/invites user',
  'GET /api/orgs/{org_id}/members user',
  'GET /api/orgs/{org_id}/pr-gate user',
  'GET /api/public-scan/{slug} public',
  'GET /api/public-stats public',
  'GET /api/repos user',
  'GET /api/repositories/{repo_id}/combos user',
  'GET /api/repositories/{repo_id}/rule-overrides user',
  'GET /api/rule-overrides user',
  'GET /api/rule-settings user',
  'GET /api/rules user',
  'GET /api/scm/callback user',
  'PATCH /api/orgs/{org_id} user',
  'POST /api/invites/{invite_id}/accept user',
  'POST /api/notification-settings/test user',
  'POST /api/orgs user',
  'POST /api/orgs/{org_id}/invites user',
  'POST /api/public-scan public',
  'POST /api/public/harden public',
  'POST /api/scan user',
  'POST /api/webhooks/scm webhook',
  'PUT /api/notification-settings user',
  'PUT /api/orgs/{org_id}/members/{user_id}/role user',
  'PUT /api/orgs/{org_id}/pr-gate user',
  'PUT /api/repositories/{repo_id}/findings/{fingerprint}/status user',
  'PUT /api/repositories/{repo_id}/monitor user',
  'PUT /api/repositories/{repo_id}/rule-overrides/{rule_id} user',
  'PUT /api/rule-overrides:batch user',
  'PUT /api/rule-settings/{rule_id} user',
];

const files = readdirSync('app/api', { recursive: true, encoding: 'utf8' })
  .map((name) => `app/api/${name.replaceAll('\\', '/')}`)
  .filter((name) => name.endsWith('/route.ts') && !name.includes('[[...'));

describe('the routes', () => {
  it('are those of the specification', () => {
    const operations = OPERATIONS.map(({ verb, path, access }) => `${verb} ${path} ${access}`);
    expect([...operations].sort()).toEqual([...ANSWERED].sort());
  });

  it('lie on disk where the reference says, and nowhere else', () => {
    const described = new Set(OPERATIONS.map(({ path }) => routeFileOf(path)));
    expect([...files].sort()).toEqual([...described].sort());
  });

  it.each(files)('%s answers the methods that the reference says', async (file) => {
    const handlers = (await import(/* @vite-ignore */ `../../${file}`)) as Handlers;
    vi.spyOn(process.stdout, 'write').mockReturnValueOnce(true);
    const { status, headers } = await callRoute(handlers, { method: 'OPTIONS' });
    const verbs = new Set(OPERATIONS.filter(({ path }) => routeFileOf(path) === file).map(({ verb }) => verb));
    const answered = (headers.get('allow') ?? '').split(', ').filter((verb) => verb !== 'HEAD' && verb !== 'OPTIONS');
    expect([status, answered.sort()]).toEqual([204, [...verbs].sort()]);
  });

  it('have each an id of their own', () => {
    const ids = OPERATIONS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('the documents', () => {
  const paths = (part: 'public' | 'full') =>
    Object.keys(openApiDocument(part, 'https://example.com')['paths'] as object);

  it('leave out what needs sign-in, or nothing', () => {
    expect(paths('full').sort()).toEqual([...new Set(OPERATIONS.map(({ path }) => path))].sort());
    const open = OPERATIONS.filter(({ access }) => access === 'public').map(({ path }) => path);
    expect(paths('public').sort()).toEqual([...new Set(open)].sort());
    expect(paths('public').length).toBeLessThan(paths('full').length);
  });

  it('refer to nothing that they do not hold', () => {
    for (const part of ['public', 'full'] as const) {
      const document = openApiDocument(part, 'https://example.com');
      const { schemas } = document['components'] as { schemas: object };
      const used = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
      expect(used.length).toBeGreaterThan(10);
      expect(new Set(used)).toEqual(new Set(Object.keys(schemas)));
      for (const schema of Object.values(schemas)) expect(schema).toHaveProperty('type', 'object');
    }
  });
});
