import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAdminDb } from '#lib/db/clients.ts';
import * as actions from '#lib/db/queries/actions.ts';
import { env } from '#lib/env.ts';
import { log } from '#lib/log.ts';
import { type WorkProgress, workOnActions } from '#lib/services/actions/work.ts';
import { createServices } from '#lib/services/context.ts';
import { type CodeHostForTests, startCodeHost } from '../support/code-host.ts';
import { emptyDatabase, type TestDatabase } from '../support/database.ts';
import { configure } from '../support/environment.ts';
import { makeRepository, scan } from '../support/repository.ts';

let database: TestDatabase;
let host: CodeHostForTests;

const FILES = { 'action.yml': 'name: Tool\nruns:\n  using: node24\n  main: index.js\n', 'index.js': '1;\n' };
const PERSON = { name: 'Ada', email: 'ada@example.com' };
const NAMES = ['one', 'two', 'three', 'four'];

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
  });
  for (const name of NAMES) await host.addRepository({ fullName: `tools/${name}`, files: FILES });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await Promise.all([host?.stop(), database?.stop()]);
});
beforeEach(async () => {
  await workCatalog();
  for (const name of NAMES) await actions.enqueue(createAdminDb(database), 'tools', name);
});
afterEach(() => host.clearFaults());

async function workCatalog(): Promise<void> {
  const { POPULAR_ACTIONS } = await import('#lib/data/curated/popular-actions.ts');
  await actions.catalog(createAdminDb(database), POPULAR_ACTIONS);
  await database.sql(`update public.actions set checked_at = now() where lower(owner) <> 'tools'`);
  await database.sql('delete from public.action_queue');
}

const work = (options = {}) => workOnActions(createServices(env(), log), options);
const statuses = async () =>
  Promise.all(NAMES.map(async (name) => (await actions.read(createAdminDb(database), 'tools', name))?.status));

describe('a worker', () => {
  it('scores what waits, one worker each, reports progress, and ends by itself', async () => {
    const seen: WorkProgress[] = [];
    const onProgress = (progress: WorkProgress) => void seen.push(progress);
    const [first, second] = await Promise.all([work({ onProgress }), work({ onProgress })]);
    expect(first.scored + second.scored).toBe(4);
    expect([first.ended, second.ended]).toEqual(['done', 'done']);
    expect(seen.map(({ action }) => action).sort()).toEqual(NAMES.map((name) => `tools/${name}`).sort());
    expect(await statuses()).toEqual(['scored', 'scored', 'scored', 'scored']);
    expect(await work()).toEqual({ scored: 0, missing: 0, failed: 0, ended: 'done' });
  });

  it('takes up what a killed worker held, once its lease lapsed', async () => {
    const held = await actions.claim(createAdminDb(database), {
      lease: '11111111-1111-4111-8111-111111111111',
      leaseSeconds: 600,
      limit: 10,
      rescoreSeconds: 86_400,
    });
    expect(held).toHaveLength(4);
    expect((await work()).scored).toBe(0);
    await database.sql(`update public.action_queue set lease_until = now() - interval '1 second'`);
    expect((await work()).scored).toBe(4);
  });

  it('stops when the code host limits it, and loses nothing', async () => {
    await host.fault({
      match: 'POST /api/graphql',
      times: 9,
      effect: { kind: 'secondary-limit', status: 403, retryAfterSeconds: 1 },
    });
    expect(await work()).toMatchObject({ scored: 0, failed: 1, ended: 'limit' });
    host.clearFaults();
    const waiting = await database.sql<{ free: boolean }>(
      'select lease is null as free from public.action_queue order by 1',
    );
    expect(waiting).toEqual([{ free: true }, { free: true }, { free: true }, { free: true }]);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await database.sql('update public.action_queue set due_at = now()');
    expect((await work()).scored).toBe(4);
  });

  it('begins nothing after its time or a signal, and gives the rest back as it was', async () => {
    expect(await work({ timeLimitMs: 0 })).toEqual({ scored: 0, missing: 0, failed: 0, ended: 'time' });
    expect(await work({ signal: AbortSignal.abort() })).toMatchObject({ scored: 0, ended: 'stopped' });
    expect(await database.sql('select 1 from public.actions where stale_since is not null')).toEqual([]);
    expect((await work()).scored).toBe(4);
  });

  it('scores other versions that repositories use, and tells a commit of a fork', async () => {
    const repository = await host.addRepository({ fullName: 'tools/used', settings: { rulesets: [] } });
    const commit = (branch: string, files: Record<string, string>, at: string) =>
      host.world.commit(repository, branch, { files, message: at, author: { ...PERSON, date: new Date(at) } });
    const old = await commit('main', { ...FILES, OLD: '' }, '2026-03-01T00:00:00Z');
    const inside = await commit('main', { ...FILES, INSIDE: '' }, '2026-03-02T00:00:00Z');
    await commit('main', FILES, '2026-04-01T00:00:00Z');
    const kept = await commit('releases/v2', { ...FILES, KEPT: '' }, '2026-04-02T00:00:00Z');
    await commit('releases/v2', { ...FILES, LAST: '' }, '2026-04-03T00:00:00Z');
    const newest = await commit('main', { ...FILES, NEW: '' }, '2026-05-01T00:00:00Z');
    const stray = await commit('stray', { ...FILES, 'index.js': 'eval(atob(data))' }, '2026-05-02T00:00:00Z');
    await host.world.deleteBranch(repository, 'stray');
    await host.world.tag(repository, 'v1.0.0', old);
    await host.world.tag(repository, 'v2.0.0', newest);
    const db = createAdminDb(database);
    const uses = ['v1.0.0', 'v2.0.0', 'v9', inside, kept, stray.toUpperCase(), 'f'.repeat(40)].map((ref) => ({
      ...{ owner: 'tools', name: 'used', path: '', file: 'a.yml', line: 1 },
      ref,
    }));
    await scan(db, await makeRepository(db), [], { action_uses: uses });
    await actions.enqueue(db, 'tools', 'used');
    await work();
    const detail = await actions.read(db, 'tools', 'used');
    expect(detail?.latest?.sha).toBe(newest);
    expect(detail?.versions.map(({ sha }) => sha).sort()).toEqual([old, inside, kept, newest, stray].sort());
    const blocked = await database.sql<{ sha: string }>(
      `select v.commit_sha as sha from public.action_evaluations e join public.action_versions v on v.id = e.version_id
       where e.hard_block ? 'unreachable-commit'`,
    );
    expect(blocked).toEqual([{ sha: stray }]);
    await host.log();
    await database.sql(`update public.actions set scored_at = now() - interval '25 hours' where name = 'used'`);
    await work();
    expect((await host.log()).filter(({ path }) => path.includes('/git/trees/'))).toHaveLength(2);
  });

  it('leaves a missing repository of the catalog unknown, and does not ask for it again that day', async () => {
    await actions.catalog(createAdminDb(database), ['tools/absent']);
    expect(await work()).toMatchObject({ scored: 4, missing: 1 });
    expect((await actions.read(createAdminDb(database), 'tools', 'absent'))?.status).toBe('unknown');
    expect(await work()).toMatchObject({ scored: 0, missing: 0 });
  });

  it('keeps a former score while an action cannot be read, and says since when', async () => {
    await work();
    await database.sql(`update public.actions set scored_at = now() - interval '2 days' where lower(name) = 'one'`);
    await host.fault({ match: 'GET /repos/tools/one/git/trees/*', times: 4, effect: { kind: 'status', status: 502 } });
    expect(await work()).toMatchObject({ failed: 1, ended: 'done' });
    const kept = await actions.read(createAdminDb(database), 'tools', 'one');
    expect([kept?.status, kept?.stale_since === null]).toEqual(['scored', false]);
  });
});

it('the catalog starts with the actions of the release, not scored', async () => {
  expect(await actions.read(createAdminDb(database), 'actions', 'checkout')).toMatchObject({
    owner: 'actions',
    name: 'checkout',
    status: 'unknown',
    latest: null,
  });
});
