import { agentsAt, agentsOf } from '#lib/analysis/agents/catalog.ts';
import { memoByNode } from '#lib/analysis/memo.ts';
import { workflowOutsiderEvents } from '#lib/analysis/reachability/outsider-reach.ts';
import type { Contents } from '#lib/workflow/model/model.ts';
import type { RuleContext } from '../engine/rule.ts';

export const hasAgents = memoByNode(({ steps }: Contents): boolean => steps.some((step) => agentsOf(step).length > 0));

export function usesAgents({ steps }: Contents, { repository }: RuleContext): boolean {
  return steps.some((step) => agentsAt(step, repository).length > 0);
}

export const mentionsSecrets = memoByNode(({ definition }: Contents): boolean =>
  /secrets/i.test(definition.source.text),
);

export function hasConditions({ conditions }: Contents): boolean {
  return conditions.length > 0;
}

export function isReachedWithPrivileges({ definition }: Contents, { repository }: RuleContext): boolean {
  return (
    definition.kind === 'workflow' &&
    workflowOutsiderEvents(definition, repository).some(({ reach }) => reach === 'outsider-privileged')
  );
}
