import { type Action, jobOf, type Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { memoByRepository, memoInRepository } from '../memo.ts';
import { isPublishedAction } from '../publishing/published-actions.ts';

const localUses = memoByRepository(({ workflows, actions }) => {
  const steps = new Map<string, Step[]>();
  const parents = [...workflows.flatMap(({ jobs }) => jobs), ...actions];
  for (const step of parents.flatMap((parent) => parent.steps)) {
    const reference = step.uses?.reference;
    if (reference?.kind !== 'local') continue;
    const known = steps.get(reference.path);
    if (known === undefined) steps.set(reference.path, [step]);
    else known.push(step);
  }
  return steps;
});

export function stepsUsing(action: Action, repository: Repository): readonly Step[] {
  if (action.usedBy !== undefined) return [action.usedBy];
  return localUses(repository).get(action.source.path.replace(/(?:^|\/)action\.ya?ml$/, '')) ?? [];
}

const MAX_CALLERS = 50;

/**
 * Returns the steps of jobs that use an action, also through other actions; undefined for an action that jobs of other
 * repositories use too, and for one that no job here uses.
 */
export const callersToJudge = memoInRepository((action: Action, repository): readonly Step[] | undefined => {
  if (isPublishedAction(action)) return undefined;
  const found = new Set<Step>();
  const seen = new Set<Action>([action]);
  for (const each of seen) {
    for (const step of stepsUsing(each, repository)) {
      if (jobOf(step) !== undefined) found.add(step);
      else if (step.parent.kind === 'action') seen.add(step.parent);
      if (found.size >= MAX_CALLERS) return [...found];
    }
  }
  return found.size === 0 ? undefined : [...found];
});
