import { type ActionSuccessor, SUCCESSORS } from '#lib/data/curated/action-successors.ts';
import type { Facts } from '#lib/facts/facts.ts';
import { type Job, jobOf, type Step, type Uses } from '#lib/workflow/model/model.ts';
import { parseYaml, valueOf, type YamlMapping } from '#lib/workflow/yaml/parse.ts';
import type { Report } from '../engine/rule.ts';
import { definitionOf, pinned } from './inserted-actions.ts';
import { commentedWith } from './pin.ts';

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
      advice: 'No maintained replacement is known: look for one, or replace the step with a script.',
    };
  }
  const known = SUCCESSORS.find(({ action }) => action === reference.slug);
  if (known === undefined || at.kind === 'job' || reference.path !== '') {
    return {
      advice: `${successor} replaces it but takes different inputs: translate them with the help of its documentation.`,
    };
  }
  const why = whyNot(at, known, facts);
  if (why !== undefined) {
    return {
      advice: `${successor} takes inputs of the same names: pin it to the commit of its newest release. ${why}`,
    };
  }
  const action = pinned(known.successor, facts);
  if ('refusal' in action) {
    const { refusal } = action;
    return { advice: `${successor} takes inputs of the same names: pin it to the commit of a release. ${refusal}` };
  }
  const written = { start: 0, end: text.value.length };
  const fix = commentedWith(uses, written, `${action.name}@${action.commit}`, action.version, 'review');
  return fix === undefined
    ? {}
    : { fix: { ...fix, note: `${action.name} behaves slightly differently. ${known.otherwise}` } };
}

function whyNot(step: Step, { successor, values }: ActionSuccessor, facts: Facts): string | undefined {
  const definition = definitionOf(successor, facts);
  const root = definition === undefined ? undefined : parseYaml(definition).root;
  if (root?.kind !== 'mapping') return 'The inputs of that release could not be read from GitHub.';
  const inputs = currentInputs(root);
  for (const { name, value } of step.with?.entries ?? []) {
    if (!inputs.has(name.toLowerCase())) return `That release has no input \`${name}\`.`;
    if (values?.[name.toLowerCase()]?.test(value.value.trim()) === false) {
      return `It may not support \`${name}: ${value.value.trim().slice(0, 60)}\`.`;
    }
  }
  if (step.with?.expression !== undefined) return 'The inputs of the step are computed by an expression.';
  const outputs = valueOf(root, 'outputs');
  const missing = outputsRead(step).find((name) => outputs?.kind !== 'mapping' || !hasName(outputs, name));
  return missing === undefined ? undefined : `That release has no output \`${missing}\`, which a later step uses.`;
}

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

function outputsRead(step: Step): string[] {
  const id = step.id?.value.toLowerCase();
  const source = (jobOf(step)?.workflow ?? (step.parent.kind === 'action' ? step.parent : undefined))?.source;
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
