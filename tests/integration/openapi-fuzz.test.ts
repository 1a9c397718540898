import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Handlers } from '#lib/http/route/respond.ts';
import * as badgeRoute from '../../app/api/badge/[owner]/[repo]/route.ts';
import * as healthRoute from '../../app/api/health/route.ts';
import * as actionRequestRoute from '../../app/api/public/actions/[owner]/[name]/request/route.ts';
import * as actionRoute from '../../app/api/public/actions/[owner]/[name]/route.ts';
import * as actionsRoute from '../../app/api/public/actions/route.ts';
import * as hardenRoute from '../../app/api/public/harden/route.ts';
import * as replayRoute from '../../app/api/public-scan/[slug]/route.ts';
import * as scanRoute from '../../app/api/public-scan/route.ts';
import * as statsRoute from '../../app/api/public-stats/route.ts';
import * as documentRoute from '../../app/openapi.json/route.ts';
import { callRoute, type RouteCall } from '../support/call-route.ts';
import { type CodeHostForTests, startCodeHost } from '../support/code-host.ts';
import { emptyDatabase, type TestDatabase } from '../support/database.ts';
import { type Document, describedBy } from '../support/described.ts';
import { effort } from '../support/effort.ts';
import { configure } from '../support/environment.ts';

const EFFORT = effort(40, 150);
const ROUTES: Readonly<Record<string, Handlers>> = {
  '/api/health': healthRoute,
  '/api/public-scan': scanRoute,
  '/api/public-scan/{slug}': replayRoute,
  '/api/public/actions': actionsRoute,
  '/api/public/actions/{owner}/{name}': actionRoute,
  '/api/public/actions/{owner}/{name}/request': actionRequestRoute,
  '/api/public/harden': hardenRoute,
  '/api/public-stats': statsRoute,
  '/api/badge/{owner}/{repo}': badgeRoute,
  '/api/badge/{owner}/{repo}.svg': badgeRoute,
};

let database: TestDatabase;
let host: CodeHostForTests;
let paths: Document['paths'];
let assertDescribed: ReturnType<typeof describedBy>;
let slug = '';

beforeAll(async () => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  [database, host] = await Promise.all([emptyDatabase(), startCodeHost()]);
  configure({
    SUPABASE_URL: database.url,
    SUPABASE_PUBLISHABLE_KEY: database.publishableKey,
    SUPABASE_SECRET_KEY: database.secretKey,
    SCM_WEB_URL: host.webUrl,
    SCM_API_URL: host.apiUrl,
    SCM_GRAPHQL_URL: host.graphqlUrl,
    SCM_PUBLIC_TOKEN: host.publicToken,
    IMAGE_LOOKUP: 'off',
  });
  await host.addRepository({ fullName: 'octo/web', files: { '.github/workflows/ci.yml': 'on: push\njobs: {}\n' } });
  const { json } = await callRoute(documentRoute);
  const document = json as unknown as Document;
  paths = document.paths;
  assertDescribed = describedBy(document);
  slug = String((await callRoute(scanRoute, { method: 'POST', body: { repo: 'octo/web' } })).json['slug']);
});

afterAll(async () => {
  vi.restoreAllMocks();
  await Promise.all([host?.stop(), database?.stop()]);
});

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('octo', 'web', 'octo/web', 'OCTO/WEB.git', '..', '', '%00', '\0', '\uD800', '🙂', 'a'.repeat(300)),
);
const repo = fc.oneof(
  text,
  fc.tuple(text, text).map((parts) => parts.join('/')),
  fc.jsonValue(),
);
const body = fc.oneof(
  { weight: 4, arbitrary: fc.record({ repo }) },
  fc.record({ repo, more: fc.jsonValue() }),
  fc.record(
    {
      workflow: fc.oneof(text, fc.constant('on: issues\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps: []\n')),
      filename: text,
      categories: fc.array(fc.constantFrom('CICD-SEC-1', 'CICD-SEC-5', 'CICD-SEC-11')),
      include_review: fc.boolean(),
    },
    { requiredKeys: ['workflow'] },
  ),
  fc.jsonValue(),
);
const call = fc.record({
  slug: fc.oneof(text, fc.constant(undefined)),
  owner: text,
  repo: text,
  name: text,
  query: fc.record(
    {
      style: text,
      label: text,
      q: text,
      sort: fc.oneof(text, fc.constantFrom('score', 'name', 'stars', 'scored_at')),
      order: fc.oneof(text, fc.constantFrom('asc', 'desc')),
      page: fc.oneof(text, fc.nat().map(String)),
      per_page: fc.oneof(text, fc.nat({ max: 150 }).map(String)),
    },
    { requiredKeys: [] },
  ),
  body,
  type: fc.oneof(
    { weight: 5, arbitrary: fc.constant('application/json') },
    fc.constantFrom('text/plain', 'application/json; charset=utf-16'),
  ),
});

describe('every answer to whatever is sent is one that /openapi.json describes', () => {
  it.each(Object.keys(ROUTES))('%s', async (path) => {
    const operations = Object.entries(paths[path] ?? {});
    expect(operations.length).toBeGreaterThan(0);
    let sent = 0;
    for (const [verb, { requestBody }] of operations) {
      const property = fc.asyncProperty(call, async (given) => {
        if ((sent += 1) % 4 === 0) await database.sql('delete from public.rate_limits');
        const { owner, repo, name } = given;
        const params = path.includes('{slug}')
          ? { slug: given.slug ?? slug }
          : path.includes('{owner}')
            ? { owner, repo, name }
            : {};
        const query = `?${new URLSearchParams(given.query).toString()}`;
        const options: RouteCall = {
          method: verb.toUpperCase() as keyof Handlers,
          params,
          query,
          ...(requestBody === undefined ? {} : { body: given.body, headers: { 'content-type': given.type } }),
        };
        assertDescribed(path, verb, await callRoute(ROUTES[path] as Handlers, options));
      });
      await fc.assert(property, EFFORT);
    }
    expect(sent).toBeGreaterThanOrEqual(EFFORT.numRuns);
  });

  it('the document lists no other path', () => {
    expect(Object.keys(paths).sort()).toEqual(Object.keys(ROUTES).sort());
  });
});
