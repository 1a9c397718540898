import { contentsOf, type Definition, type Step, type Text, type UsesSite } from './model.ts';
import type { ActionReference } from './reference.ts';
import type { Repository } from './repository.ts';
import { tagInComment } from './versions.ts';

export type RepositoryReference = ActionReference & { kind: 'repository' };

/** The repository action a step runs. */
export function actionOf(step: Step): RepositoryReference | undefined {
  const reference = step.uses?.reference;
  return reference?.kind === 'repository' ? reference : undefined;
}

/** Whether a step runs one of these actions: `owner/repo`, or `owner/repo/path`, in lower case. */
export function runsAction(step: Step, ...names: readonly string[]): boolean {
  const action = actionOf(step);
  return action !== undefined && (names.includes(action.name) || names.includes(action.slug));
}

/** Whether a step runs an action that another repository of the same account keeps. */
export function runsOwnAction(step: Step, { owners }: Pick<Repository, 'owners'>): boolean {
  const action = actionOf(step);
  return action !== undefined && owners.has(action.owner.toLowerCase());
}

/** The steps of the repository's composite action that a step runs; none for another step. */
export function innerSteps({ uses }: Step, repository: Repository): readonly Step[] {
  const reference = uses?.reference;
  return reference?.kind === 'local' ? (repository.actionAt(reference.path)?.steps ?? []) : [];
}

/**
 * What runs in place of steps: for a step that uses a composite action of the repository, that action's steps. Each action
 * counts once, so in no certain order; the step stays where the action is not there, or is no composite one.
 */
export function innermostSteps(steps: readonly Step[], repository: Repository): readonly Step[] {
  const innermost: Step[] = [];
  const entered = new Set<readonly Step[]>([steps]);
  // What is added is gone through too: actions that use each other many times over must not multiply.
  for (const each of entered) {
    for (const step of each) {
      const inner = innerSteps(step, repository);
      if (inner.length === 0) innermost.push(step);
      else entered.add(inner);
    }
  }
  return innermost;
}

/** An input of a step's action. */
export function inputOf(step: Step, name: string): Text | undefined {
  return step.with?.get(name)?.value;
}

export function isTrue(text: Text | undefined): boolean {
  return text?.value.trim().toLowerCase() === 'true';
}

export function isFalse(text: Text | undefined): boolean {
  return text?.value.trim().toLowerCase() === 'false';
}

/** Returns each `uses` of a file: those of jobs that call a workflow, then those of steps. */
export function usesOf(definition: Definition): readonly UsesSite[] {
  return contentsOf(definition).uses;
}

/** One repository whose actions or workflows are used, with everything that is said of it. */
export interface UsedAction {
  readonly owner: string;
  readonly repo: string;
  /** `owner/repo` in lower case. */
  readonly slug: string;
  readonly references: readonly {
    /** Below the repository; empty for its root. */
    readonly path: string;
    readonly ref: string;
    /** The version that the comment beside it claims. */
    readonly claimed: string | undefined;
  }[];
}

/** The repositories that the files of a repository call actions or workflows of, in the order of their names. */
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
