import { type Action, contentsOf, type Definition, type Step, type Text, type UsesSite } from './model.ts';
import type { ActionReference } from './reference.ts';
import type { Repository } from './repository.ts';
import { tagInComment } from './versions.ts';

export type RepositoryReference = ActionReference & { kind: 'repository' };

export function actionOf(step: Step): RepositoryReference | undefined {
  const reference = step.uses?.reference;
  return reference?.kind === 'repository' ? reference : undefined;
}

export function runsAction(step: Step, ...names: readonly string[]): boolean {
  const action = actionOf(step);
  return action !== undefined && (names.includes(action.name) || names.includes(action.slug));
}

export function runsOwnAction(step: Step, { owners }: Pick<Repository, 'owners'>): boolean {
  const action = actionOf(step);
  return action !== undefined && owners.has(action.owner.toLowerCase());
}

export function innerSteps({ uses }: Step, repository: Repository): readonly Step[] {
  const reference = uses?.reference;
  return reference?.kind === 'local' ? (repository.actionAt(reference.path)?.steps ?? []) : [];
}

/** Returns the steps of the composite action that a step uses, here or in another repository. */
export function usedSteps(step: Step, repository: Repository): readonly Step[] {
  return repository.usedActions.get(step)?.steps ?? innerSteps(step, repository);
}

/** Names the repository that an action comes from, to follow the name of something in it; empty for one's own. */
export function originOf({ usedBy }: Action): string {
  return usedBy?.uses === undefined ? '' : ` in ${usedBy.uses.text.value}`;
}

/**
 * Replaces steps that use a local composite action by that action's steps, each action once and in no certain order.
 */
export function innermostSteps(steps: readonly Step[], repository: Repository): readonly Step[] {
  const innermost: Step[] = [];
  const entered = new Set<readonly Step[]>([steps]);
  // Also visits actions added during the loop, each once, since nested uses could grow exponentially.
  for (const each of entered) {
    for (const step of each) {
      const inner = innerSteps(step, repository);
      if (inner.length === 0) innermost.push(step);
      else entered.add(inner);
    }
  }
  return innermost;
}

export function inputOf(step: Step, name: string): Text | undefined {
  return step.with?.get(name)?.value;
}

export function isTrue(text: Text | undefined): boolean {
  return text?.value.trim().toLowerCase() === 'true';
}

export function isFalse(text: Text | undefined): boolean {
  return text?.value.trim().toLowerCase() === 'false';
}

export function usesOf(definition: Definition): readonly UsesSite[] {
  return contentsOf(definition).uses;
}

export interface UsedAction {
  readonly owner: string;
  readonly repo: string;
  readonly slug: string;
  readonly references: readonly {
    readonly path: string;
    readonly ref: string;
    readonly claimed: string | undefined;
  }[];
}

export function actionsUsedBy({ workflows, actions }: Pick<Repository, 'workflows' | 'actions'>): UsedAction[] {
  const bySlug = new Map<
    string,
    { owner: string; repo: string; references: Map<string, UsedAction['references'][0]> }
  >();
  for (const definition of [...workflows, ...actions]) {
    for (const { uses } of usesOf(definition)) {
      const { reference, comment } = uses;
      if (reference?.kind !== 'repository') continue;
      const { owner, repo, slug, path, ref } = reference;
      const used = bySlug.get(slug) ?? { owner, repo, references: new Map() };
      bySlug.set(slug, used);
      const claimed = tagInComment(comment);
      used.references.set(JSON.stringify([path, ref, claimed]), { path, ref, claimed });
    }
  }
  return [...bySlug]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([slug, { owner, repo, references }]) => ({ slug, owner, repo, references: [...references.values()] }));
}
