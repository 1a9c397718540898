import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminDb, createAdminDb } from '#lib/db/clients.ts';
import * as deliveries from '#lib/db/queries/deliveries.ts';
import { sharedDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let db: AdminDb;

beforeAll(async () => {
  database = await sharedDatabase();
  db = createAdminDb(database);
});

afterAll(() => database?.stop());

const begin = (id: string, claim: string = randomUUID(), claimSeconds = 60) =>
  deliveries.begin(db, { id, event: 'push', claim, claimSeconds });

describe('a delivery', () => {
  it('is claimed by one of concurrent processes, and handled once', async () => {
    const id = randomUUID();
    const claims = Array.from({ length: 20 }, () => randomUUID());
    const answers = await Promise.all(claims.map((claim) => begin(id, claim)));
    expect(answers.filter((answer) => answer === 'claimed')).toHaveLength(1);
    expect(answers.filter((answer) => answer === 'busy')).toHaveLength(19);
    await deliveries.end(db, id, claims[answers.indexOf('claimed')] ?? '', true);
    const again = await Promise.all(claims.map((claim) => begin(id, claim)));
    expect(again).toEqual(Array(20).fill('handled'));
  });

  it('can be repeated if its handling failed, or died a while ago', async () => {
    const id = randomUUID();
    const claim = randomUUID();
    await begin(id, claim);
    await deliveries.end(db, id, claim, false);
    expect(await begin(id, claim, -1)).toBe('claimed');
    expect(await begin(id)).toBe('claimed');
    expect(await begin(id)).toBe('busy');
  });

  it('goes to one of many after its claim expired', async () => {
    for (let round = 0; round < 10; round += 1) {
      const id = randomUUID();
      await begin(id, randomUUID(), -1);
      const answers = await Promise.all(Array.from({ length: 20 }, () => begin(id)));
      expect(answers.filter((answer) => answer === 'claimed')).toHaveLength(1);
    }
  });

  it('stays claimed while the claim is renewed', async () => {
    const id = randomUUID();
    const claim = randomUUID();
    await begin(id, claim, 1);
    expect(await begin(id, claim, 60)).toBe('claimed');
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(await begin(id)).toBe('busy');
  });

  it('cannot be ended with an expired claim', async () => {
    const id = randomUUID();
    const [late, next] = [randomUUID(), randomUUID()];
    await begin(id, late, -1);
    await begin(id, next);
    await deliveries.end(db, id, late, false);
    await deliveries.end(db, id, late, true);
    expect(await begin(id)).toBe('busy');
    await deliveries.end(db, id, next, true);
    expect(await begin(id)).toBe('handled');
  });

  it('is deleted after two months', async () => {
    const ids = [randomUUID(), randomUUID()];
    for (const id of ids) {
      const claim = randomUUID();
      await begin(id, claim);
      await deliveries.end(db, id, claim, true);
    }
    const age = (id: string | undefined, days: number) =>
      database.sql(
        `update public.webhook_deliveries set received_at = now() - make_interval(days => ${days}) where id = $1`,
        [id],
      );
    await age(ids[0], 61);
    await age(ids[1], 59);
    const left = async () =>
      (await database.sql<{ id: string }>('select id from public.webhook_deliveries where id in ($1, $2)', ids)).map(
        ({ id }) => id,
      );
    for (let n = 0; n < 3000 && (await left()).length > 1; n += 1) await begin(`sweep ${n % 5}`);
    expect(await left()).toEqual([ids[1]]);
  });
});
