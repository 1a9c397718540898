import type { RepositoryRead } from '../code-host/port.ts';
import * as repositories from '../db/queries/repositories.ts';
import type { ScanTarget } from '../db/queries/scans.ts';
import { AppError } from '../errors.ts';
import type { SettingsFacts, Source } from '../scanner/facts.ts';
import type { Services } from './context.ts';
import { digestOf, type Ruleset } from './run-rules.ts';

/** A repository as it was read for rows of one organization or several. */
export interface Reading {
  /** RFC 3339. */
  readonly startedAt: string;
  /** `unchanged` only when the last scan of every row had these files, rules and settings. */
  readonly read: RepositoryRead;
  readonly settings: Source<SettingsFacts>;
}

/**
 * Reads the head of a repository's default branch once for all of its targets, with the first one's installation. Files
 * stay away when every target's last scan was of the same. A repository that is gone is marked so: `not-found`.
 */
export async function readForScan(
  services: Services,
  targets: readonly [ScanTarget, ...ScanTarget[]],
  ruleset: Ruleset,
): Promise<Reading> {
  const startedAt = new Date().toISOString();
  try {
    return { startedAt, ...(await read(services, targets, ruleset)) };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not-found') throw error;
    const db = services.adminDb();
    await Promise.all(targets.map(({ repo_id }) => repositories.markRemoved(db, repo_id)));
    throw new AppError('not-found', 'There is no such repository.', { cause: error });
  }
}

async function read(
  services: Services,
  targets: readonly [ScanTarget, ...ScanTarget[]],
  ruleset: Ruleset,
): Promise<Omit<Reading, 'startedAt'>> {
  const [{ installation_id: installation, scm_id: scmId, full_name: name, last_scan: last }] = targets;
  const app = services.codeHostApp();
  const isLast = ({ last_scan }: ScanTarget) => last_scan?.tree === last?.tree && last_scan?.ruleset === ruleset;
  const known = last !== null && targets.every(isLast) ? last : undefined;
  const answer = await app.readRepository(installation, { scmId, fullName: name }, known);
  // One after the other: under a former name another repository may answer, and of one that is gone nothing is asked.
  const { fullName } = answer.head;
  const settings = await app.readSettings(installation, { fullName });
  const isSame = ({ disabled_rules: disabledRules, last_scan }: ScanTarget) =>
    last_scan?.digest === digestOf(services.env, fullName, { ruleset, disabledRules, settings });
  if (!answer.unchanged || targets.every(isSame)) return { read: answer, settings };
  return { read: await app.readRepository(installation, { scmId, fullName }), settings };
}
