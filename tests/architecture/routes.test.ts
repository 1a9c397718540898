import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { openApiDocument } from '../../lib/http/openapi.ts';
import { OPERATIONS } from '../../lib/http/operations.ts';
import type { Handlers } from '../../lib/http/respond.ts';
import { callRoute } from '../support/call-route.ts';

/** Endpoints of the specification that the service answers, with who may call them. */
const ANSWERED = [
  'GET /api/badge/{owner}/{repo} public',
  'GET /api/badge/{owner}/{repo}.svg public',
  'GET /api/capabilities user',
  'GET /api/health public',
  'GET /api/public-scan/{slug} public',
  'GET /api/public-stats public',
  'GET /api/rules user',
  'POST /api/public-scan public',
];

/** Two addresses, one file: the framework has no way to end a segment after a parameter. */
const SHARED = new Map([['/api/badge/{owner}/{repo}.svg', '/api/badge/{owner}/{repo}']]);

const files = readdirSync('app/api', { recursive: true, encoding: 'utf8' })
  .map((name) => `app/api/${name.replaceAll('\\', '/')}`)
  .filter((name) => name.endsWith('/route.ts') && !name.includes('[[...'));

const addressOf = (file: string) =>
  `/${dirname(file)
    .replace(/^app\//, '')
    .replace(/\[(\w+)\]/g, '{$1}')}`;

describe('the routes', () => {
  it('are those of the specification', () => {
    const operations = OPERATIONS.map(({ verb, path, access }) => `${verb} ${path} ${access}`);
    expect([...operations].sort()).toEqual([...ANSWERED].sort());
  });

  it('lie on disk where the reference says, and nowhere else', () => {
    const described = new Set(OPERATIONS.map(({ path }) => SHARED.get(path) ?? path));
    expect(files.map(addressOf).sort()).toEqual([...described].sort());
  });

  it.each(files)('%s answers the methods that the reference says', async (file) => {
    const handlers = (await import(/* @vite-ignore */ `../../${file}`)) as Handlers;
    vi.spyOn(process.stdout, 'write').mockReturnValueOnce(true);
    const { status, headers } = await callRoute(handlers, { method: 'OPTIONS' });
    const verbs = OPERATIONS.filter(({ path }) => path === addressOf(file)).map(({ verb }) => verb);
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
    expect(paths('public')).toEqual(paths('full').filter((path) => !/capabilities|rules/.test(path)));
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
