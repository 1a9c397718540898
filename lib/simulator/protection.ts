import type { Acting } from './acting.ts';
import type { Repository } from './model.ts';
import { Refused } from './refused.ts';
import type { SimulatedRuleset } from './settings.ts';

type Guarded = 'CREATION' | 'UPDATE' | 'DELETION' | 'NON_FAST_FORWARD' | 'PULL_REQUEST';

const REASONS: Readonly<Record<Guarded, string>> = {
  CREATION: 'Cannot create ref due to creations being restricted.',
  UPDATE: 'Cannot update this protected ref.',
  DELETION: 'Cannot delete this protected ref.',
  NON_FAST_FORWARD: 'Cannot force-push to this branch',
  PULL_REQUEST: 'Changes must be made through a pull request.',
};

export function assertUnprotected(
  { caller, credentials }: Acting,
  repository: Repository,
  branch: string,
  changes: readonly Guarded[],
): void {
  const { protection, rulesets } = repository.settings;
  const isGuarded = changes.includes('PULL_REQUEST') || changes.includes('DELETION');
  if (protection !== null && branch === repository.defaultBranch && isGuarded) {
    throw new Refused(422, `Protected branch update failed for refs/heads/${branch}.\n\n${REASONS.PULL_REQUEST}`);
  }
  const inForce = rulesets.filter((ruleset) => applies(ruleset, repository, branch));
  const forbidden = inForce
    .filter(({ bypass = [] }) => {
      const isApp = caller.kind === 'installation';
      return !bypass.some(({ bypassMode, app }) => bypassMode === 'ALWAYS' && isApp && app === credentials.app.slug);
    })
    .flatMap(({ rules }) => changes.filter((change) => change in rules));
  if (forbidden.length === 0) return;
  const reasons = [...new Set(forbidden)].map((change) => `${REASONS[change]}\n\n`);
  throw new Refused(422, `Repository rule violations found\n\n${reasons.join('')}`);
}

function applies(ruleset: SimulatedRuleset, { defaultBranch }: Repository, branch: string): boolean {
  const { target, enforcement, include, exclude = [] } = ruleset;
  const names = (pattern: string): boolean => {
    if (pattern === '~ALL') return true;
    if (pattern === '~DEFAULT_BRANCH') return branch === defaultBranch;
    const [before = '', after] = pattern.split('*', 2);
    const ref = `refs/heads/${branch}`;
    return after === undefined ? ref === before : ref.startsWith(before) && ref.endsWith(after);
  };
  return target === 'BRANCH' && enforcement === 'ACTIVE' && include.some(names) && !exclude.some(names);
}
