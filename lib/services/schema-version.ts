import * as schema from '#lib/db/queries/schema-version.ts';
import { AppError } from '#lib/errors.ts';
import type { Services } from './context.ts';

/** Throws `usage` if the database is older or newer than the code, but not if the database does not answer. */
export async function requireSchema(services: Services): Promise<void> {
  const { database, schemaVersion: wanted } = services.env;
  if (database === null || wanted === null) return;
  const found = await schema.read(services.adminDb()).catch((error: unknown) => {
    services.log.warn('the migrations of the database are unknown', { error });
    return null;
  });
  if (found === null || found === wanted) return;
  if (found === undefined || found < wanted) {
    const state = found === undefined ? 'has none of the latest migrations' : `is at migration ${found}`;
    throw new AppError(
      'usage',
      `The database ${state}, and this version of the service needs ${wanted}. Apply the migrations first: npm run migrate`,
    );
  }
  throw new AppError(
    'usage',
    `The database is at migration ${found}, and this version of the service knows none after ${wanted}. ` +
      'Deploy the version that belongs to the database, or a later one.',
  );
}
