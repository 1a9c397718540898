import { type ExpressionNode, expressionsIn, flowingAccesses } from '#lib/workflow/expressions/expression.ts';
import {
  type Definition,
  type Job,
  jobOf,
  type Step,
  type Text,
  type Variables,
  type Workflow,
} from '#lib/workflow/model/model.ts';
import type { ShellCommand, ShellWord } from '#lib/workflow/shell/shell.ts';
import { textsBelow } from '#lib/workflow/yaml/texts.ts';
import { memoByNode } from '../memo.ts';
import { secretNamesIn } from '../privileges/secret-names.ts';

export interface PlacedText {
  readonly text: Text;
  readonly at: Definition | Job | Step;
}

export function expressionTexts(definition: Definition, word: string): readonly PlacedText[] {
  const all = allExpressionTexts(definition);
  if (all.length === 0) return all;
  const known = textsByWord(definition);
  let texts = known.get(word);
  if (texts === undefined) {
    texts = all.filter(({ lower }) => lower.includes(word));
    known.set(word, texts);
  }
  return texts;
}

const textsByWord = memoByNode((_definition: Definition) => new Map<string, readonly PlacedText[]>());

interface LoweredText extends PlacedText {
  readonly lower: string;
}

const allExpressionTexts = memoByNode((definition: Definition): readonly LoweredText[] =>
  definition.source.text.includes('${{') ? findExpressionTexts(definition) : [],
);

function findExpressionTexts(definition: Definition): LoweredText[] {
  const found: LoweredText[] = [];
  if (definition.kind === 'action') {
    for (const step of definition.steps) addTextsBelow(step, '', found);
    return found;
  }
  for (const { value } of definition.env?.entries ?? []) addText(value, definition, found);
  for (const job of definition.jobs) {
    addTextsBelow(job, 'steps', found);
    for (const step of job.steps) addTextsBelow(step, '', found);
  }
  return found;
}

function addTextsBelow(at: Job | Step, without: string, found: LoweredText[]): void {
  for (const [key, { value }] of at.mapping.entries) {
    if (key === without) continue;
    for (const text of textsBelow(value)) addText(text, at, found);
  }
}

function addText(text: Text, at: PlacedText['at'], found: LoweredText[]): void {
  if (text.value.includes('${{')) found.push({ text, at, lower: text.value.toLowerCase() });
}

export function secretsFlowing(node: ExpressionNode): string[] {
  return flowingAccesses(node).flatMap(({ path: [context, name] }) =>
    context === 'secrets' && name !== undefined && name !== '*' && name !== 'github_token' ? [name] : [],
  );
}

export function secretsFlowingIn(text: Text): string[] {
  if (!text.value.includes('${{') || !/secrets/i.test(text.value)) return [];
  return expressionsIn(text).flatMap(({ node }) => (node === undefined ? [] : secretsFlowing(node)));
}

export function secretVariables(step: Step): ReadonlyMap<string, string> {
  const job = jobOf(step);
  const inherited = job === undefined ? NO_VARIABLES : secretVariablesOf(job);
  return withVariables(inherited, step.env);
}

const NO_VARIABLES: ReadonlyMap<string, string> = new Map();

const secretVariablesOf = memoByNode((job: Job) => withVariables(sharedSecretVariables(job.workflow), job.env));

const sharedSecretVariables = memoByNode(({ env }: Workflow) => withVariables(NO_VARIABLES, env));

function withVariables(
  inherited: ReadonlyMap<string, string>,
  variables: Variables | undefined,
): ReadonlyMap<string, string> {
  if (variables === undefined || variables.entries.length === 0) return inherited;
  const found = new Map(inherited);
  for (const { name, value } of variables.entries) {
    const [secret] = secretsFlowingIn(value);
    if (secret === undefined) found.delete(name);
    else found.set(name, secret);
  }
  return found;
}

export function secretInWord(word: ShellWord, variables: ReadonlyMap<string, string>): string | undefined {
  for (const { node } of word.expressions) {
    const [secret] = node === undefined ? [] : secretsFlowing(node);
    if (secret !== undefined) return secret;
  }
  for (const name of word.variables) {
    const secret = variables.get(name);
    if (secret !== undefined) return secret;
  }
  return undefined;
}

export function secretInCommand(
  { args, redirects }: ShellCommand,
  variables: ReadonlyMap<string, string>,
): string | undefined {
  for (const word of [...args, ...redirects.flatMap(({ body }) => body ?? [])]) {
    const secret = secretInWord(word, variables);
    if (secret !== undefined) return secret;
  }
  return undefined;
}

/** Returns the secrets that a workflow reads, in lower case, `*` for all, without those of workflows it calls. */
export const secretsRead = memoByNode((workflow: Workflow): ReadonlySet<string> => {
  const read = new Set<string>();
  for (const job of workflow.jobs) if (job.secretsInherit !== undefined) read.add('*');
  for (const { text } of expressionTexts(workflow, 'secrets')) {
    for (const name of secretNamesIn(text)) if (name !== 'github_token') read.add(name);
  }
  return read;
});
