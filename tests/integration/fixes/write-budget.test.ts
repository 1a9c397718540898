import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAdminDb } from '#lib/db/clients.ts';
import * as writes from '#lib/db/queries/code-host-writes.ts';
import { createWriteBudget } from '#lib/services/fixes/write-budget.ts';
import { sharedDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let installations = 770_000;
const newInstallation = () => String((installations += 1));
const LIMITS = { gapMs: 1_000, perMinute: 80, perHour: 500 };
const HOUR_MS = 3_600_000;

beforeAll(async () => {
  database = await sharedDatabase();
});
afterAll(() => database?.stop());

const reserve = (id: string, maxWaitMs = HOUR_MS, limits = LIMITS) =>
  writes.reserve(createAdminDb(database), id, limits, maxWaitMs);
const reserved = async (id: string): Promise<readonly number[]> => {
  const [row] = await database.sql<{ times: readonly number[] }>(
    `select array(select extract(epoch from t)::float8 * 1000 from unnest(reserved) t) as times
     from public.code_host_writes where installation_id = $1`,
    [id],
  );
  return row?.times ?? [];
};

describe('the budget of writes', () => {
  it('keeps a second between two writes of an installation, whoever asks, and none between installations', async () => {
    const [id, other] = [newInstallation(), newInstallation()];
    await Promise.all([...Array.from({ length: 20 }, () => reserve(id)), reserve(other)]);
    const times = await reserved(id);
    expect(times).toHaveLength(20);
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000);
    expect(await reserved(other)).toHaveLength(1);
  });

  it('allows so many in any minute and in any hour', async () => {
    const id = newInstallation();
    const limits = { gapMs: 0, perMinute: 3, perHour: 5 };
    for (let index = 0; index < 8; index += 1) await reserve(id, 3 * HOUR_MS, limits);
    const times = await reserved(id);
    expect(times).toHaveLength(8);
    const within = (index: number, count: number) => (times[index + count] ?? 0) - (times[index] ?? 0);
    for (let index = 0; index + 3 < 8; index += 1) expect(within(index, 3)).toBeGreaterThanOrEqual(60_000);
    for (let index = 0; index + 5 < 8; index += 1) expect(within(index, 5)).toBeGreaterThanOrEqual(HOUR_MS);
  });

  it('reserves nothing for a caller who cannot wait as long, and says in how many seconds to try again', async () => {
    const id = newInstallation();
    await writes.pause(createAdminDb(database), id, 600);
    const answer = await reserve(id, 20_000);
    expect(answer).toEqual({ exhausted_seconds: expect.any(Number) });
    expect('exhausted_seconds' in answer && answer.exhausted_seconds).toBeGreaterThan(590);
    expect(await reserved(id)).toEqual([]);
  });

  it('honours the longest wait that the code host asked for', async () => {
    const id = newInstallation();
    const budget = createWriteBudget({ adminDb: () => createAdminDb(database) });
    await budget.pause(id, 300);
    await budget.pause(id, 5);
    const slot = await budget.reserve(id, HOUR_MS);
    expect('waitMs' in slot && slot.waitMs).toBeGreaterThan(290_000);
  });

  it('lets 80 requests a minute and 500 an hour through, more than a second apart', async () => {
    const id = newInstallation();
    const budget = createWriteBudget({ adminDb: () => createAdminDb(database) });
    await database.sql(
      `insert into public.code_host_writes (installation_id, reserved)
       values ($1, array(select now() - interval '59 minutes' + n * interval '2 seconds' from generate_series(1, 500) n))`,
      [id],
    );
    expect(await budget.reserve(id, 20_000)).toEqual({ exhaustedSeconds: expect.any(Number) });
    const fresh = newInstallation();
    await budget.reserve(fresh, 0);
    await budget.reserve(fresh, 20_000);
    const [first = 0, second = 0] = await reserved(fresh);
    expect(second - first).toBeGreaterThan(1_000);
  });
});
