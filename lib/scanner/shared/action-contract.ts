import {
  type ActionInterface,
  declaredInterface,
  type KnownInterface,
  knownInterface,
} from '#lib/analysis/inventory/action-interface.ts';
import { memoByNode } from '#lib/analysis/memo.ts';
import { nameOf, networkOf } from '#lib/facts/action-lookups.ts';
import { definitionIn } from '#lib/facts/definitions.ts';
import type { Step, Text } from '#lib/workflow/model/model.ts';
import { confusableSkeleton, isOneEditApart } from '#lib/workflow/patterns/name-similarity.ts';
import type { Confidence, RuleContext } from '../engine/rule.ts';

export interface ActionContract extends ActionInterface {
  /** `same` if this is the definition that runs; otherwise how the known release relates to the one in use. */
  readonly used: KnownInterface['used'];
  readonly confidence: Confidence;
  readonly name: string;
}

/** Prefers the definition in this repository to the code host's, and that to the table of popular actions. */
export function contractOf(step: Step, context: RuleContext): ActionContract | undefined {
  return step.uses === undefined ? undefined : contractsIn(context)(step);
}

const contractsIn = memoByNode((context: RuleContext) => memoByNode((step: Step) => findContract(step, context)));

function findContract(step: Step, { repository, facts }: RuleContext): ActionContract | undefined {
  const { uses } = step;
  const reference = uses?.reference;
  if (uses === undefined || reference === undefined) return undefined;
  if (reference.kind === 'local') {
    const action = repository.actionAt(reference.path);
    return action?.using && { ...declaredInterface(action), used: 'same', confidence: 'high', name: uses.text.value };
  }
  if (reference.kind !== 'repository') return undefined;
  const { slug, path, ref } = reference;
  const text = networkOf(facts)?.actions.get(slug)?.definitions?.get(`${path}@${ref}`);
  const read = text === undefined ? undefined : definitionIn(path, text);
  if (read?.kind === 'action' && read.using !== undefined) {
    return { ...declaredInterface(read), used: 'same', confidence: 'high', name: `${nameOf(reference)}@${ref}` };
  }
  const known = knownInterface(uses);
  if (known === undefined) return undefined;
  const confidence = known.used === 'same' ? 'high' : 'medium';
  return { ...known, confidence, name: `${nameOf(reference)} ${known.tag}` };
}

export type InputProblem =
  | { readonly kind: 'unknown'; readonly name: Text; readonly meant: string | undefined }
  | { readonly kind: 'missing'; readonly name: string }
  | { readonly kind: 'deprecated'; readonly name: Text; readonly instead: string };

const OF_IMAGES: ReadonlySet<string> = new Set(['args', 'entrypoint']);

/**
 * An unknown release can accept inputs that no known one has, so only misspelt names count there; before version 1 any
 * release may differ.
 */
export function inputProblems(step: Step, context: RuleContext): readonly InputProblem[] {
  return step.uses === undefined ? NO_PROBLEMS : problemsIn(context)(step);
}

const NO_PROBLEMS: readonly InputProblem[] = [];

const problemsIn = memoByNode((context: RuleContext) =>
  memoByNode((step: Step): readonly InputProblem[] => {
    const contract = contractOf(step, context);
    return contract === undefined ? NO_PROBLEMS : findProblems(step, contract);
  }),
);

function findProblems(step: Step, contract: ActionContract): readonly InputProblem[] {
  const { inputs, required, used } = contract;
  const given = step.with;
  if (given?.expression !== undefined) return [];
  const problems: InputProblem[] = [];
  const names = new Set<string>();
  for (const { name, key } of given?.entries ?? []) {
    const lower = name.toLowerCase();
    names.add(lower);
    const input = inputs.get(lower);
    if (input?.deprecated !== undefined) {
      problems.push({ kind: 'deprecated', name: textOfKey(name, key), instead: input.deprecated });
    }
    if (input !== undefined || OF_IMAGES.has(lower)) continue;
    const meant = [...inputs.keys()].find(
      (each) => isOneEditApart(each, lower) || confusableSkeleton(each) === confusableSkeleton(lower),
    );
    if (used !== 'newer' || meant !== undefined) {
      problems.push({ kind: 'unknown', name: textOfKey(name, key), meant });
    }
  }
  if (used === 'newer') return problems;
  for (const name of required) if (!names.has(name)) problems.push({ kind: 'missing', name });
  return problems;
}

function textOfKey(name: string, key: Text['node']): Text {
  return { value: name, span: key.span, node: key };
}

/** Code sets more outputs than it declares, so only misspelt names count. */
export function lacksOutput({ outputs, isComposite, used }: ActionContract, output: string): boolean {
  if (outputs.has(output) || used === 'newer') return false;
  return isComposite || [...outputs].some((each) => each.length > 4 && isOneEditApart(each, output));
}
