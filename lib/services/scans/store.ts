import * as scans from '#lib/db/queries/scans.ts';
import type { Ruleset } from '#lib/db/shapes/scans.ts';
import { AppError } from '#lib/errors.ts';
import type { RepositorySnapshot } from '#lib/hosts/code-host/port.ts';
import type { Services } from '../context.ts';
import { isolated } from '../isolation/isolation.ts';
import { refreshPaths } from '../paths/refresh.ts';
import { digestOf, type Outcome, type RuleChoice } from './evaluate.ts';
import type { Reading } from './read.ts';

export interface ScanKind {
  readonly trigger: 'manual' | 'push';
  readonly ruleset: Ruleset;
}

export type StoreScan = (target: scans.ScanTarget) => Promise<scans.StoredScan | null>;

export function createStore(services: Services, reading: Reading, { trigger, ruleset }: ScanKind): StoreScan {
  const { read, settings, network, published, scores, asOf, startedAt } = reading;
  const { fullName, htmlUrl, private: isPrivate, defaultBranch, archived, commit, tree } = read.head;
  const snapshot = read.unchanged ? null : read.snapshot;
  const outcomes = new Map<string, Promise<Outcome>>();

  return async (target) => {
    const choice = {
      ruleset,
      disabledRules: target.disabled_rules,
      settings,
      network,
      published,
      scores,
      asOf,
      observed: target.observed_tags,
    };
    const digest = digestOf(services.env, fullName, choice);
    const stored = await scans.persist(services.adminDb(), {
      repo_id: target.repo_id,
      user_id: target.user_id,
      trigger,
      ruleset,
      commit_sha: commit,
      started_at: startedAt,
      after_scan_id: target.last_scan?.scan_id ?? null,
      digest,
      tree,
      ...(snapshot === null ? copyOf(target) : await outcomeOf(snapshot, digest, choice)),
      full_name: fullName,
      html_url: htmlUrl,
      private: isPrivate,
      default_branch: defaultBranch,
      archived,
    });
    if (stored !== null) await refreshEarly(services, target.repo_id);
    return stored;
  };

  async function outcomeOf(files: RepositorySnapshot, digest: string, choice: RuleChoice) {
    // Not part of the digest: scans of one day and the same files observe the same tags.
    const key = `${digest} ${JSON.stringify(choice.observed)}`;
    const { scm } = services.env;
    const outcome = outcomes.get(key) ?? isolated(services, 'connected', 'runRules', files, choice, { scm });
    outcomes.set(key, outcome);
    return { ...(await outcome), workflow_files: files.workflowFiles, same_as: null };
  }
}

async function refreshEarly(services: Services, repoId: string): Promise<void> {
  try {
    await refreshPaths(services, [repoId]);
  } catch (error) {
    services.log.warn('attack paths are computed when they are read', { error });
  }
}

function copyOf({ last_scan: last }: scans.ScanTarget) {
  if (last === null) throw new AppError('internal', 'There is no earlier scan to copy.');
  const { scan_id: same_as, workflow_files, suppressed, completed, not_assessed } = last;
  return {
    same_as,
    workflow_files,
    suppressed,
    completed,
    not_assessed,
    findings: [],
    evidence: null,
    observed_tags: null,
    action_uses: null,
    diagnostics: null,
  };
}
