import { startPostgres } from '#lib/cluster/postgres.ts';
import { findPrograms } from '#lib/cluster/programs.ts';

export async function setup(): Promise<() => Promise<void>> {
  const postgres = await startPostgres(findPrograms().postgres);
  process.env['TEST_DATABASE_URL'] = postgres.url;
  return postgres.remove;
}
