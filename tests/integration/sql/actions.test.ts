import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AdminDb, createAdminDb } from '#lib/db/clients.ts';
import * as actions from '#lib/db/queries/actions.ts';
import { emptyDatabase, type TestDatabase } from '../../support/database.ts';
import { makeRepository, scan } from '../../support/repository.ts';
import { scoredAction } from '../../support/scored-action.ts';

let database: TestDatabase;
let db: AdminDb;

beforeAll(async () => {
  database = await emptyDatabase();
  db = createAdminDb(database);
});
afterAll(() => database?.stop());

const commit = (digit: string) => digit.repeat(40);
const refsOf = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([name, digit]) => ({ ref: `refs/tags/${name}`, commit: commit(digit) }));
const claim = (limit: number, more = {}) =>
  actions.claim(db, { lease: randomUUID(), leaseSeconds: 60, limit, rescoreSeconds: 86_400, ...more });

describe('a stored evaluation', () => {
  it('is read under any spelling of its name, and nothing is known of an action nobody asked for', async () => {
    const stored = await actions.store(db, scoredAction('Acme/Build'));
    expect(stored).toMatchObject({ owner: 'Acme', name: 'Build', status: 'scored', latest: { score: 80, band: 'B' } });
    expect(await actions.read(db, 'aCME', 'bUILD')).toEqual(stored);
    expect(await actions.read(db, 'acme', 'nothing')).toBeNull();
  });

  it('is appended only when signals or algorithm changed, and never rewritten', async () => {
    const first = scoredAction('acme/history', { score: 90 });
    await actions.store(db, first);
    expect((await actions.store(db, first)).versions).toHaveLength(1);
    const again = {
      ...first,
      evaluation: { ...first.evaluation, algorithm_version: '1.1.0', score: 70, score_floor: 60, band: 'C' },
    };
    const { versions, latest } = await actions.store(db, again);
    expect(versions.map(({ score, algorithm_version }) => [score, algorithm_version])).toEqual([
      [70, '1.1.0'],
      [90, '1.0.0'],
    ]);
    expect(latest?.score).toBe(70);
  });

  it('counts in its band until it moves to another or is gone', async () => {
    const scored = { ...scoredAction('acme/counted'), scm_id: '77001' };
    const bands = async () =>
      (
        await database.sql<{ stored: Record<string, number>; counts: Record<string, number> }>(
          `select (select coalesce(jsonb_object_agg(band, number), '{}') from public.action_band_counts where number > 0) as stored,
           (select jsonb_object_agg(band, number) from (select band, count(*) as number from public.actions
             where score is not null group by band) as bands) as counts`,
        )
      )[0] ?? expect.fail('no counts');
    await actions.store(db, scored);
    const before = await bands();
    await actions.store(db, {
      ...scored,
      evaluation: { ...scored.evaluation, signals_hash: 'f'.repeat(64), score: 20, score_floor: 20, band: 'F' },
    });
    const after = await bands();
    await database.sql(`delete from public.actions where scm_id = '77001'`);
    const gone = await bands();
    for (const { stored, counts } of [before, after, gone]) expect(stored).toEqual(counts);
    expect(after.counts['F']).toBe((before.counts['F'] ?? 0) + 1);
    expect(gone.counts['F'] ?? 0).toBe(before.counts['F'] ?? 0);
  });

  it('is found by commit and by tag for a version in use, beside the newest release', async () => {
    const newest = {
      ...scoredAction('acme/used', { score: 90 }),
      sha: commit('d'),
      refs: refsOf({ 'v1.0.0': 'c', 'v2.0.0': 'd' }),
    };
    await actions.store(db, newest);
    await actions.store(db, {
      ...scoredAction('acme/used', { score: 20 }),
      scm_id: newest.scm_id,
      sha: commit('c'),
      refs: newest.refs,
      current: false,
    });
    const uses = [commit('c'), 'v1.0.0', 'v2.0.0', 'main', commit('e')].map((ref) => ({ name: 'acme/used', ref }));
    const found = await actions.readScores(db, [...uses, { name: 'acme/nobody', ref: 'v1' }]);
    expect(found.map(({ name, score, refs }) => [name, score, refs.map((ref) => [ref.ref, ref.score])])).toEqual([
      [
        'acme/used',
        90,
        [
          [commit('c'), 20],
          ['v1.0.0', 20],
          ['v2.0.0', 90],
        ],
      ],
    ]);
  });

  it('of another version stands beside the current one, which stays', async () => {
    const current = scoredAction('acme/versions', { score: 90 });
    const other = { ...scoredAction('acme/versions', { score: 20 }), scm_id: current.scm_id, sha: commit('c') };
    expect(await actions.store(db, { ...other, current: false })).toBeNull();
    await actions.store(db, current);
    const { latest, versions } = await actions.store(db, { ...other, current: false });
    expect(latest).toMatchObject({ sha: current.sha, score: 90 });
    expect(versions.map(({ sha, score }) => [sha, score])).toEqual([
      [commit('c'), 20],
      [current.sha, 90],
    ]);
    const [known, ...more] = await actions.readVersions(db, current.scm_id, [commit('c'), commit('d')]);
    expect([known?.sha, known?.signals, more]).toEqual([commit('c'), other.evaluation.signals, []]);
  });

  it('keeps its history when the repository is renamed, and the name can be taken by another one', async () => {
    const old = scoredAction('old/name', { score: 40 });
    await actions.store(db, old);
    await actions.store(db, { ...old, owner: 'new', name: 'place', sha: commit('b'), refs: refsOf({ 'v2.0.0': 'b' }) });
    expect((await actions.read(db, 'old', 'name'))?.versions).toHaveLength(2);
    expect((await actions.read(db, 'new', 'place'))?.versions).toHaveLength(2);
    await actions.store(db, scoredAction('old/name', { score: 99 }));
    expect((await actions.read(db, 'old', 'name'))?.versions).toHaveLength(1);
    expect((await actions.read(db, 'new', 'place'))?.latest?.score).toBe(40);
    const { identities } = await actions.readHistory(db, old.scm_id, 'old', 'name');
    expect(identities).toHaveLength(2);
  });

  it('adopts what the catalog knew by name alone', async () => {
    await actions.enqueue(db, 'Listed', 'First');
    expect(await actions.read(db, 'listed', 'first')).toMatchObject({ status: 'pending', latest: null, versions: [] });
    await actions.store(db, scoredAction('listed/first'));
    expect(await actions.read(db, 'listed', 'first')).toMatchObject({ status: 'scored' });
    expect(await database.sql(`select 1 from public.actions where lower(owner) = 'listed'`)).toHaveLength(1);
  });
});

describe('refs of an action', () => {
  it('are stretches of time: the same commit goes on, another one begins a new stretch, and coming back a third', async () => {
    const action = scoredAction('acme/moving');
    for (const digit of ['a', 'a', 'b', 'a']) {
      await actions.store(db, { ...action, sha: commit(digit), refs: refsOf({ 'v1.0.0': digit, v1: 'a' }) });
    }
    const { observations } = await actions.readHistory(db, action.scm_id, 'acme', 'moving');
    expect(observations.map(({ ref, commit: at }) => `${ref} ${at.slice(0, 1)}`)).toEqual([
      'refs/tags/v1 a',
      'refs/tags/v1.0.0 a',
      'refs/tags/v1.0.0 b',
      'refs/tags/v1.0.0 a',
    ]);
    const versions = (await actions.read(db, 'acme', 'moving'))?.versions ?? [];
    expect(versions.map(({ sha, refs }) => [sha.slice(0, 1), refs.map(({ ref }) => ref.slice(10)).sort()])).toEqual([
      ['b', ['v1.0.0']],
      ['a', ['v1', 'v1.0.0']],
    ]);
  });
});

describe('the queue', () => {
  const settle = async () => {
    await database.sql('update public.actions set checked_at = now()');
    await database.sql('delete from public.action_queue');
  };
  beforeEach(settle);

  it('gives an action to one worker at a time, and to another when the lease lapses', async () => {
    for (const name of ['one', 'two', 'three']) await actions.enqueue(db, 'queue', name);
    await actions.enqueue(db, 'QUEUE', 'One');
    const [first, second] = await Promise.all([claim(2), claim(2)]);
    const names = [...first, ...second].map(({ name }) => name).sort();
    expect(names).toEqual(['one', 'three', 'two']);
    expect(await claim(5)).toEqual([]);
    await database.sql(`update public.action_queue set lease_until = now() - interval '1 second'`);
    expect(await claim(5)).toHaveLength(3);
  });

  it('takes an action back for later, or for good, from its holder alone', async () => {
    await actions.catalog(db, ['queue/four']);
    await settle();
    await actions.enqueue(db, 'queue', 'four');
    const lease = randomUUID();
    const [held] = await claim(1, { lease });
    const id = held?.id ?? '';
    await actions.release(db, id, randomUUID(), null);
    await actions.release(db, id, lease, 3_600);
    expect(await claim(1)).toEqual([]);
    await database.sql('update public.action_queue set due_at = now()');
    const [again] = await claim(1, { lease });
    await actions.release(db, again?.id ?? '', lease, null);
    expect(await database.sql('select 1 from public.action_queue')).toEqual([]);
    expect((await actions.read(db, 'queue', 'four'))?.status).toBe('unknown');
  });

  it('forgets a name that nobody confirmed once it turns out to be missing', async () => {
    await actions.enqueue(db, 'queue', 'typo');
    expect((await actions.read(db, 'queue', 'typo'))?.status).toBe('pending');
    const lease = randomUUID();
    const [held] = await claim(1, { lease });
    await actions.release(db, held?.id ?? '', randomUUID(), null);
    expect((await actions.read(db, 'queue', 'typo'))?.status).toBe('pending');
    await actions.release(db, held?.id ?? '', lease, null);
    expect(await actions.read(db, 'queue', 'typo')).toBeNull();
  });

  it('has room for five hundred names that nobody confirmed, and always for known ones', async () => {
    await database.sql(`insert into public.actions (owner, name, confirmed)
      select 'flood', 'n' || i, false from generate_series(1, 500) as i`);
    expect(await actions.enqueue(db, 'queue', 'one-more')).toBe(false);
    expect(await actions.read(db, 'queue', 'one-more')).toBeNull();
    await actions.store(db, scoredAction('queue/known'));
    expect(await actions.enqueue(db, 'queue', 'known')).toBe(true);
    await database.sql(`delete from public.actions where owner = 'flood'`);
    expect(await actions.enqueue(db, 'queue', 'one-more')).toBe(true);
    await actions.store(db, scoredAction('queue/one-more'));
    expect(await database.sql(`select 1 from public.actions where name = 'one-more' and not confirmed`)).toEqual([]);
  });

  it('takes what three repositories use after a quarter of the interval', async () => {
    const [much, little] = [scoredAction('queue/much'), scoredAction('queue/little')];
    for (const { owner, name, uses } of [
      { ...much, uses: 3 },
      { ...little, uses: 2 },
    ]) {
      const use = { owner, name, path: '', ref: 'v1', file: 'a.yml', line: 1 };
      for (let count = 0; count < uses; count += 1)
        await scan(db, await makeRepository(db), [], { action_uses: [use] });
    }
    for (const action of [much, little]) await actions.store(db, action);
    await settle();
    await database.sql(`update public.actions set scored_at = now() - interval '7 hours', checked_at = null
      where name in ('much', 'little')`);
    expect((await claim(5)).map(({ name }) => name)).toEqual(['much']);
  });

  it('is all that is taken without an interval', async () => {
    await actions.store(db, scoredAction('queue/old'));
    await database.sql(`update public.actions set scored_at = now() - interval '9 days', checked_at = null
      where name = 'old'`);
    await actions.enqueue(db, 'queue', 'asked');
    expect((await claim(5, { rescoreSeconds: null })).map(({ name }) => name)).toEqual(['asked']);
  });

  it('takes in what was scored too long ago, and storing takes it out', async () => {
    const action = scoredAction('queue/stale');
    await actions.store(db, action);
    await database.sql(`update public.actions set scored_at = now() - interval '2 days' where scm_id = $1`, [
      action.scm_id,
    ]);
    const lease = randomUUID();
    const [held] = await claim(5, { lease });
    expect(held).toMatchObject({ owner: 'queue', name: 'stale' });
    await actions.release(db, held?.id ?? '', lease, 60);
    expect((await actions.read(db, 'queue', 'stale'))?.stale_since).not.toBeNull();
    expect((await actions.store(db, action)).stale_since).toBeNull();
    expect(await database.sql('select 1 from public.action_queue')).toEqual([]);
  });
});

describe('the directory', () => {
  beforeAll(async () => {
    await database.sql('delete from public.actions');
    for (const [index, name] of ['delta', 'alpha', 'charlie', 'bravo'].entries()) {
      const score = name === 'bravo' ? 30 : 50 + index;
      await actions.store(db, scoredAction(`dir/${name}`, { score, stars: index, description: `Part_${name} 100%` }));
    }
    await actions.enqueue(db, 'dir', 'unscored');
  });

  const names = async (listing: Partial<actions.ActionListing> = {}) => {
    const all = { query: '', bands: [], sort: 'score' as const, descending: false, limit: 10, offset: 0, ...listing };
    const { actions: found, bands } = await actions.list(db, all);
    return [found.map(({ name }) => name).join(' '), Object.values(bands).reduce((sum, number) => sum + number, 0)];
  };

  it('lists scored actions in each order, in pages', async () => {
    expect(await names()).toEqual(['bravo delta alpha charlie', 4]);
    expect(await names({ descending: true })).toEqual(['charlie alpha delta bravo', 4]);
    expect(await names({ sort: 'name' })).toEqual(['alpha bravo charlie delta', 4]);
    expect(await names({ sort: 'name', descending: true })).toEqual(['delta charlie bravo alpha', 4]);
    expect(await names({ sort: 'stars', descending: true })).toEqual(['bravo charlie alpha delta', 4]);
    expect(await names({ sort: 'scored_at' })).toEqual(['delta alpha charlie bravo', 4]);
    expect(await names({ limit: 2, offset: 1 })).toEqual(['delta alpha', 4]);
    expect(await names({ offset: 9 })).toEqual(['', 4]);
  });

  it('finds parts of names and descriptions as they are written, not as patterns', async () => {
    expect(await names({ query: 'DIR/a' })).toEqual(['alpha', 1]);
    expect(await names({ query: '100%' })).toEqual(['bravo delta alpha charlie', 4]);
    expect(await names({ query: 'Part_b' })).toEqual(['bravo', 1]);
    for (const query of ['Part%b', 'Part.b', '%', '_lpha']) {
      expect((await names({ query }))[1], query).toBe(query === '%' ? 4 : 0);
    }
  });

  it('orders equal values by name, whichever way the values go', async () => {
    await database.sql(
      "update public.actions set stars = 7, scored_at = now(), score = 60, band = 'D' where owner = 'dir' and score is not null",
    );
    for (const sort of ['score', 'stars', 'scored_at'] as const) {
      for (const descending of [false, true]) {
        expect(await names({ sort, descending }), sort).toEqual(['alpha bravo charlie delta', 4]);
        expect(await names({ sort, descending, query: 'dir/', limit: 2, offset: 2 }), sort).toEqual([
          'charlie delta',
          4,
        ]);
      }
    }
  });

  it('shows the chosen bands alone, and counts in every band what matches the text', async () => {
    await database.sql("update public.actions set score = 95, band = 'A' where name in ('alpha', 'bravo')");
    const listed = (query: string) =>
      actions.list(db, { query, bands: ['A'], sort: 'name', descending: true, limit: 10, offset: 0 });
    const all = await listed('');
    expect([all.actions.map(({ name }) => name), all.bands]).toEqual([['bravo', 'alpha'], { A: 2, D: 2 }]);
    const found = await listed('part_a');
    expect([found.actions.map(({ name }) => name), found.bands]).toEqual([['alpha'], { A: 1 }]);
  });
});

describe('the ranking', () => {
  it('counts the repositories of the organizations that one belongs to', async () => {
    await actions.store(db, scoredAction('rank/used', { score: 20 }));
    await actions.store(db, scoredAction('rank/idle', { score: 10 }));
    const [mine, other] = [await makeRepository(db), await makeRepository(db)];
    const use = { owner: 'Rank', name: 'Used', path: '', ref: 'v1', file: '.github/workflows/a.yml', line: 3 };
    await scan(db, mine, [], { action_uses: [use, { ...use, line: 9 }] });
    await scan(db, other, [], { action_uses: [use] });
    const ranked = await actions.rank(db, mine.admin.id, null, 500);
    expect(
      ranked.filter(({ owner }) => owner === 'rank').map(({ name, used_by_repos }) => [name, used_by_repos]),
    ).toEqual([
      ['idle', 0],
      ['used', 1],
    ]);
    const [{ org_id } = { org_id: '' }] = await database.sql<{ org_id: string }>(
      'select org_id from public.repositories where id = $1',
      [mine.repoId],
    );
    expect((await actions.rank(db, mine.admin.id, org_id, 500)).map(({ name }) => name)).toEqual(['used']);
    await expect(actions.rank(db, other.admin.id, org_id, 10)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('and the history tell how many organizations use an action, and which refs, most used first', async () => {
    const action = scoredAction('rank/history');
    const use = { owner: 'rank', name: 'History', path: '', ref: 'v1', file: 'a.yml', line: 1 };
    for (const refs of [['v1'], ['v1', 'v2'], ['v2'], ['v2']]) {
      const uses = refs.map((ref) => ({ ...use, ref }));
      await scan(db, await makeRepository(db), [], { action_uses: [...uses, { ...use, path: 'sub', ref: 'main' }] });
    }
    const { users, organizations, used_refs } = await actions.readHistory(db, action.scm_id, 'rank', 'history');
    expect([users, used_refs]).toEqual([4, ['v2', 'v1']]);
    expect(organizations).toBeGreaterThanOrEqual(4);
  });

  it('follows the last scan: its list replaces the one before, and equal files keep it', async () => {
    const repository = await makeRepository(db);
    const use = { owner: 'a', name: 'b', path: 'sub', ref: 'v1', file: 'x.yml', line: 1 };
    const first = await scan(db, repository, [], { action_uses: [use] });
    await scan(db, repository, [], { action_uses: null, same_as: first.scan_id });
    const uses = () =>
      database.sql(
        `select u.name, r.last_scan_id = u.scan_id as last from public.action_uses u join public.repositories r
           on r.id = u.repo_id where u.repo_id = $1`,
        [repository.repoId],
      );
    expect(await uses()).toEqual([{ name: 'b', last: true }]);
    await scan(db, repository, [], { action_uses: [] });
    expect(await uses()).toEqual([]);
  });
});
