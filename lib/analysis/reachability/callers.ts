import type { Trigger, Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { memoInRepository } from '../memo.ts';

/** How many triggers of the same event a workflow takes from its callers; the largest of 131 repositories has 14. */
export const MAX_INHERITED = 50;

export interface PlacedTrigger {
  readonly event: string;
  readonly trigger: Trigger;
  readonly workflow: Workflow;
}

export const directTriggers = memoInRepository((workflow: Workflow, repository): readonly PlacedTrigger[] => {
  const counts = new Map<string, number>();
  const found: PlacedTrigger[] = [];
  for (const source of new Set([workflow, ...repository.callersOf(workflow).map((caller) => caller.workflow)])) {
    for (const trigger of source.triggers) {
      const { event } = trigger;
      const count = counts.get(event) ?? 0;
      if (count >= MAX_INHERITED) continue;
      counts.set(event, count + 1);
      found.push({ event, trigger, workflow: source });
    }
  }
  return found;
});

/** Returns what starts a workflow: its own triggers, with its callers' in place of `workflow_call`. */
export function startsOf(workflow: Workflow, repository: Repository): readonly Trigger[] {
  const called = repository.callersOf(workflow).length > 0;
  return directTriggers(workflow, repository).flatMap(({ event, trigger, workflow: source }) =>
    called && source === workflow && event === 'workflow_call' ? [] : [trigger],
  );
}
