import postgres from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '#lib/cluster/postgres.ts';
import { findPrograms } from '#lib/cluster/programs.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres(findPrograms().postgres);
});
afterAll(() => server?.remove());

it('a reserved connection that the server ends refuses what comes after, and the pool goes on', async () => {
  const sql = postgres(server.url, { max: 1, onnotice: () => {} });
  const other = postgres(server.url, { max: 1, onnotice: () => {} });
  for (let round = 0; round < 3; round += 1) {
    const reserved = await sql.reserve();
    const [backend] = await reserved<{ pid: number }[]>`select pg_backend_pid() as pid`;
    const cut = reserved`select pg_sleep(60)`.catch(async () => {
      await reserved`rollback`;
    });
    await expect
      .poll(() => other`select from pg_stat_activity where query like '%pg_sleep(60)%' and wait_event = 'PgSleep'`)
      .toHaveLength(1);
    await other`select pg_terminate_backend(${backend?.pid ?? 0})`;
    await expect(cut).rejects.toThrow(/administrator command|CONNECTION_CLOSED/);
    reserved.release();
    expect(await sql`select ${round}::int as round`).toEqual([{ round }]);
  }
  await Promise.all([sql.end(), other.end()]);
});
