import { randomUUID } from 'node:crypto';
import * as repositories from '#lib/db/queries/repositories.ts';
import type { ScanTarget } from '#lib/db/queries/scans.ts';
import type { Ruleset } from '#lib/db/shapes/scans.ts';
import { AppError } from '#lib/errors.ts';
import {
  type ActionScore,
  type NetworkFacts,
  NO_FACTS,
  type NotAssessedReason,
  type PublishedFacts,
  type SettingsFacts,
  type Source,
} from '#lib/facts/facts.ts';
import type { RepositoryRead } from '#lib/hosts/code-host/port.ts';
import type { Services } from '../context.ts';
import { isolated } from '../isolation/isolation.ts';
import { readScores } from './action-scores.ts';
import { digestOf } from './evaluate.ts';
import { lookUpPublished, wantsPublished } from './published-packages.ts';

export interface Reading {
  readonly startedAt: string;
  /** `unchanged` only if the last scan of every row had the same files, rules and settings. */
  readonly read: RepositoryRead;
  readonly settings: Source<SettingsFacts>;
  readonly network: Source<NetworkFacts>;
  readonly published: Source<PublishedFacts>;
  readonly scores: Source<ReadonlyMap<string, ActionScore>>;
  readonly asOf: string;
}

/**
 * Reads the default branch's head once for all targets. Files are not read if every target's last scan had the same
 * tree. Marks a missing repository as removed and throws `not-found`.
 */
export async function readForScan(
  services: Services,
  targets: readonly [ScanTarget, ...ScanTarget[]],
  ruleset: Ruleset,
): Promise<Reading> {
  const startedAt = new Date().toISOString();
  try {
    return { startedAt, ...(await read(services, targets, ruleset, startedAt.slice(0, 10))) };
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
  day: string,
): Promise<Omit<Reading, 'startedAt'>> {
  const [{ installation_id: installation, scm_id: scmId, full_name: name, last_scan: last }] = targets;
  const app = services.codeHostApp();
  const isLast = ({ last_scan }: ScanTarget) => last_scan?.tree === last?.tree && last_scan?.ruleset === ruleset;
  const known = last !== null && targets.every(isLast) ? last : undefined;
  const answer = await app.readRepository(installation, { scmId, fullName: name }, known);
  // In sequence: only the answer tells whether this is still the repository, and under which name.
  const { fullName } = answer.head;
  const settings = await app.readSettings(installation, { scmId, fullName });
  const isSame = ({ disabled_rules: disabledRules, last_scan }: ScanTarget) =>
    last_scan?.digest === digestOf(services.env, fullName, { ruleset, disabledRules, settings, asOf: day });
  if (answer.unchanged && targets.every(isSame)) {
    const offline = { missing: 'offline' } as const;
    return { read: answer, settings, network: NO_FACTS.network, published: offline, scores: offline, asOf: day };
  }
  const whole = answer.unchanged ? await app.readRepository(installation, { scmId, fullName }) : answer;
  const { scm } = services.env;
  const needs = whole.unchanged
    ? { actions: [], manifests: undefined }
    : await isolated(services, 'connected', 'needsOf', whole.snapshot, { scm });
  const [network, scores, published] = await Promise.all([
    app.readActions(installation, needs.actions),
    readScores(services, needs.actions),
    whole.unchanged
      ? { missing: 'offline' as const }
      : lookUpPublished(services, targets[0], whole.snapshot, needs, wantsPublished(targets, ruleset)),
  ]);
  return {
    read: whole,
    settings,
    network,
    published,
    scores,
    asOf: hadTrouble(network, published) ? `${day} ${randomUUID()}` : day,
  };
}

function hadTrouble(network: Source<NetworkFacts>, published: Source<PublishedFacts>): boolean {
  const actions = reasonsOf(network);
  return actions.includes('offline') || [...actions, ...reasonsOf(published)].includes('rate_limited');
}

function reasonsOf(source: Source<NetworkFacts | PublishedFacts>): readonly NotAssessedReason[] {
  return 'missing' in source ? [source.missing] : (source.value.unread ?? []).map(({ reason }) => reason);
}
