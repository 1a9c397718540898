import * as actions from '#lib/db/queries/actions.ts';
import type { ActionDetail } from '#lib/db/shapes/actions.ts';
import { AppError } from '#lib/errors.ts';
import { isRepositoryName, type RepositoryName } from '#lib/hosts/code-host/repository-name.ts';
import type { Services } from '../context.ts';
import { scoreAction } from './score.ts';

const FRESH_MS = 3_600_000;

/**
 * Scores an action now, or puts it on the worker's queue when the code host cannot be reached: null then, or
 * its error if too many unknown names wait already. Throws
 * `validation-failed` for a malformed name and `not-found` for what is no public repository.
 */
export async function requestAction(services: Services, at: RepositoryName): Promise<ActionDetail | null> {
  if (!isRepositoryName(at)) throw new AppError('validation-failed', 'This is not the name of a repository.');
  const db = services.adminDb();
  const known = await actions.read(db, at.owner, at.name);
  const scoredAt = known?.latest == null ? undefined : Date.parse(known.latest.scored_at);
  if (known !== null && scoredAt !== undefined && Date.now() - scoredAt < FRESH_MS) return known;
  let scored: ActionDetail | undefined;
  try {
    scored = await scoreAction(services, at);
  } catch (error) {
    if (!(error instanceof AppError) || !['scm-unreachable', 'timed-out'].includes(error.code)) throw error;
    services.log.warn('an action is scored later', { error });
    if (await actions.enqueue(db, at.owner, at.name)) return null;
    throw error;
  }
  if (scored === undefined) throw new AppError('not-found', `There is no public repository ${at.owner}/${at.name}.`);
  return scored;
}
