import { type ActionSuccessor, SUCCESSORS } from '#lib/data/action-successors.ts';
import type { Facts } from '#lib/facts/facts.ts';
import { type Job, jobOf, type Step, type Uses } from '#lib/workflow/model/model.ts';
import { parseYaml, valueOf, type YamlMapping } from '#lib/workflow/yaml/parse.ts';
import type { Report } from '../engine/rule.ts';
import { definitionOf, pinned } from './inserted-actions.ts';
import { commentedWith } from './pin.ts';

/** The edit that uses an archived action's successor with the same inputs, or which step a person takes. */
export function replaceArchived(
  uses: Uses,
  at: Step | Job,
  successor: string | undefined,
  facts: Facts,
): Pick<Report, 'fix' | 'advice'> {
  const { reference, text } = uses;
  if (reference?.kind !== 'repository') return {};
  if (successor === undefined) {
    return {
      advice: 'No maintained action is known that does the same: write its work as a step of script, or look for one.',
    };
  }
  const known = SUCCESSORS.find(({ action }) => action === reference.slug);
  if (known === undefined || at.kind === 'job' || reference.path !== '') {
    return { advice: `${successor} does its work with inputs of its own: read its documentation and translate them.` };
  }
  const why = whyNot(at, known, facts);
  if (why !== undefined) {
    return {
      advice: `${successor} takes inputs of the same names: use it at the commit of its newest release. ${why}`,
    };
  }
  const action = pinned(known.successor, facts);
  if ('refusal' in action) {
    const { refusal } = action;
    return { advice: `${successor} takes inputs of the same names: use it at the commit of a release. ${refusal}` };
  }
  const written = { start: 0, end: text.value.length };
  const fix = commentedWith(uses, written, `${action.name}@${action.commit}`, action.version, 'review');
  return fix === undefined
    ? {}
    : { fix: { ...fix, note: `${action.name} does not do quite the same. ${known.otherwise}` } };
}

function whyNot(step: Step, { successor, values }: ActionSuccessor, facts: Facts): string | undefined {
  const definition = definitionOf(successor, facts);
  const root = definition === undefined ? undefined : parseYaml(definition).root;
  if (root?.kind !== 'mapping') return 'The code host did not tell the inputs of that release.';
  const inputs = currentInputs(root);
  for (const { name, value } of step.with?.entries ?? []) {
    if (!inputs.has(name.toLowerCase())) return `That release has no input \`${name}\`.`;
    if (values?.[name.toLowerCase()]?.test(value.value.trim()) === false) {
      return `Whether it understands \`${name}: ${value.value.trim().slice(0, 60)}\` does not show.`;
    }
  }
  if (step.with?.expression !== undefined) return 'Which inputs it is given does not show.';
  const outputs = valueOf(root, 'outputs');
  const missing = outputsRead(step).find((name) => outputs?.kind !== 'mapping' || !hasName(outputs, name));
  return missing === undefined ? undefined : `That release has no output \`${missing}\`, which is read later.`;
}

/** In lower case, without those that are only there to say that they are gone. */
function currentInputs(root: YamlMapping): ReadonlySet<string> {
  const inputs = valueOf(root, 'inputs');
  if (inputs?.kind !== 'mapping') return new Set();
  return new Set(
    [...inputs.entries].flatMap(([name, { value }]) => {
      const gone = ['deprecationMessage', 'deprecation-message'].some((key) => valueOf(value, key) !== undefined);
      return gone ? [] : [name.toLowerCase()];
    }),
  );
}

function hasName({ entries }: YamlMapping, name: string): boolean {
  return [...entries.keys()].some((key) => key.toLowerCase() === name);
}

/** Names in lower case of the outputs of a step that its file reads, by name or in a pattern that no name is seen in. */
function outputsRead(step: Step): string[] {
  const id = step.id?.value.toLowerCase();
  const source = (jobOf(step)?.workflow ?? (step.parent.kind === 'action' ? step.parent : undefined))?.source;
  // Nothing can read the outputs of a step whose id is empty.
  if (id === undefined || id === '' || source === undefined) return [];
  const text = source.text.toLowerCase();
  const names: string[] = [];
  for (let at = text.indexOf(id); at !== -1; at = text.indexOf(id, at + id.length)) {
    const [, name] =
      /^['"\]]*\.?\[?['"]?outputs['"]?\]?\.?\[?['"]?([\w-]*)/.exec(text.slice(at + id.length, at + id.length + 120)) ??
      [];
    if (name !== undefined) names.push(name);
  }
  return names;
}
