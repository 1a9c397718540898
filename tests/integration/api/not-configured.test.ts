import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { OPERATIONS } from '#lib/http/openapi/operations.ts';
import type { Handlers } from '#lib/http/route/respond.ts';
import { callRoute } from '../../support/call-route.ts';
import { configure } from '../../support/environment.ts';
import { routeFileOf } from '../../support/route-file.ts';

const WITHOUT_DATABASE = ['/api/capabilities', '/api/rules'];

beforeAll(() => {
  configure({ SUPABASE_JWT_SECRET: randomBytes(32).toString('hex') });
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});

afterAll(() => {
  vi.restoreAllMocks();
});

const named = OPERATIONS.filter(({ access, path }) => access === 'user' && !WITHOUT_DATABASE.includes(path)).map(
  ({ verb, path }) => ({ verb, path }),
);

it.each(named)('$verb $path is 503 without a database, before anything else is looked at', async ({ verb, path }) => {
  const handlers = (await import(/* @vite-ignore */ `../../../${routeFileOf(path)}`)) as Handlers;
  const { status, json } = await callRoute(handlers, { method: verb });
  expect([status, json['code']]).toEqual([503, 'not-configured']);
});
