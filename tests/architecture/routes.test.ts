import { readdirSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { openApiDocument } from '#lib/http/openapi/document.ts';
import { OPERATIONS } from '#lib/http/openapi/operations.ts';
import type { Handlers } from '#lib/http/route/respond.ts';
import { callRoute } from '../support/call-route.ts';
import { routeFileOf } from '../support/route-file.ts';

const files = readdirSync('app/api', { recursive: true, encoding: 'utf8' })
  .map((name) => `app/api/${name.replaceAll('\\', '/')}`)
  .filter((name) => name.endsWith('/route.ts') && !name.includes('[[...'));

describe('routes', () => {
  it('exist on disk for every operation of the reference, and for nothing else', () => {
    const described = new Set(OPERATIONS.map(({ path }) => routeFileOf(path)));
    expect([...files].sort()).toEqual([...described].sort());
  });

  it.each(files)('%s answers exactly the methods of the reference', async (file) => {
    const handlers = (await import(/* @vite-ignore */ `../../${file}`)) as Handlers;
    vi.spyOn(process.stdout, 'write').mockReturnValueOnce(true);
    const { status, headers } = await callRoute(handlers, { method: 'OPTIONS' });
    const verbs = new Set(OPERATIONS.filter(({ path }) => routeFileOf(path) === file).map(({ verb }) => verb));
    const answered = (headers.get('allow') ?? '').split(', ').filter((verb) => verb !== 'HEAD' && verb !== 'OPTIONS');
    expect([status, answered.sort()]).toEqual([204, [...verbs].sort()]);
  });

  it('have unique operation ids', () => {
    const ids = OPERATIONS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('OpenAPI documents', () => {
  const paths = (part: 'public' | 'full') =>
    Object.keys(openApiDocument(part, 'https://example.com')['paths'] as object);

  it('list every operation, and the public one only those without sign-in', () => {
    expect(paths('full').sort()).toEqual([...new Set(OPERATIONS.map(({ path }) => path))].sort());
    const open = OPERATIONS.filter(({ access }) => access === 'public').map(({ path }) => path);
    expect(paths('public').sort()).toEqual([...new Set(open)].sort());
    expect(paths('public').length).toBeLessThan(paths('full').length);
  });

  it('contain exactly the schemas they refer to', () => {
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
