import { env } from '#lib/env.ts';
import { AppError } from '#lib/errors.ts';
import { log } from '#lib/log.ts';
import { createServices } from '#lib/services/context.ts';
import { requireSchema } from '#lib/services/schema-version.ts';

/**
 * Prepares an instance. Rejects with the reason if the database does not fit the code; on a platform that starts instances
 * at any time, also between a migration and its deployment, that is logged instead.
 */
export async function prepareInstance(): Promise<void> {
  if (env().traces) (await import('./export-traces.ts')).exportTraces();
  try {
    await requireSchema(createServices(env(), log));
  } catch (error) {
    if (!env().onVercel || !(error instanceof AppError)) throw error;
    log.error('the database does not fit the code', { reason: error.message });
  }
}
