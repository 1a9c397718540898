import { type ExpressionNode, flowingAccesses } from '#lib/workflow/expressions/expression.ts';
import { inputOf, usesOf } from '#lib/workflow/model/action-uses.ts';
import { type Job, type Step, stepsOf, type Text, type Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import type { WrittenWord } from '#lib/workflow/shell/command-files.ts';
import { commandsOf, type ShellCommand } from '#lib/workflow/shell/shell.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { isSanitizedBefore } from '../dataflow/sanitizers.ts';
import { memoByRepository } from '../memo.ts';
import { stepsById } from '../reachability/composites.ts';
import type { SourceDefinition, WordsDefinition } from '../values/definitions.ts';
import { sourcesOfWord } from '../values/value-sources.ts';
import { ValueTracer } from '../values/value-tracer.ts';
import { type Agent, agentsOf } from './catalog.ts';

export interface Answer {
  readonly agent: Agent;
  readonly source: string;
}

const ANSWER_OUTPUTS = /^(?:final-message|response|result|structured_output|summary|\*)$/;

const tracer = new ValueTracer<Answer>({
  found: answersOfDefinition,
  accesses: (node, { at }) =>
    node.type === 'index' && node.key.type === 'literal' && isEnumerated(node.target, String(node.key.value), at)
      ? []
      : flowingAccesses(node),
  words: answersInWords,
  isSanitized: (path, { at }, repository) => isSanitizedBefore(path.join('.'), at, repository),
  distinct: (answers) => [
    ...new Map(answers.map((answer) => [`${answer.agent.span.start} ${answer.source}`, answer])).values(),
  ],
});

export function mayHoldAnswer(workflow: Workflow, repository: Repository): boolean {
  if (stepsOf(workflow).some((step) => agentsOf(step).length > 0)) return true;
  const linked =
    workflow.triggers.some(({ inputs }) => inputs.length > 0) ||
    [...usesOf(workflow)].some(({ uses }) => uses.reference?.kind === 'local');
  return linked && hasAgents(repository);
}

const hasAgents = memoByRepository(({ workflows, actions }) =>
  [...workflows, ...actions].some((file) => stepsOf(file).some((step) => agentsOf(step).length > 0)),
);

export function answersOf(node: ExpressionNode, at: Step | Job, repository: Repository): readonly Answer[] {
  return tracer.ofNode(node, { at }, repository);
}

export function answersIn(text: Text, at: Step | Job, repository: Repository): readonly Answer[] {
  return tracer.ofText(text, { at }, repository);
}

export function answersOfWord(word: WrittenWord, step: Step, repository: Repository): readonly Answer[] {
  const own = ownAnswers(word, step);
  if (own.length > 0) return own;
  return sourcesOfWord(word, step).flatMap((source) =>
    source.kind === 'expression' ? [] : tracer.ofSource(source, source.writtenIn ?? step, repository),
  );
}

export function answersOfVariable(name: string, step: Step, repository: Repository): readonly Answer[] {
  return tracer.ofVariable(name, step, repository);
}

function answersOfDefinition({ source, at }: SourceDefinition): Answer[] {
  if (source.kind === 'file') return at.kind === 'step' ? answerFile(source.operand, at) : [];
  if (source.kind !== 'output' || !ANSWER_OUTPUTS.test(source.name)) return [];
  const { step, name } = source;
  const agent = agentsOf(step).find(({ command }) => command === undefined);
  return agent === undefined ? [] : [{ agent, source: `steps.${step.id?.value ?? ''}.outputs.${name}` }];
}

function answersInWords({ words, write, at }: WordsDefinition): { readonly found: Answer }[] | undefined {
  const found = words.flatMap((word) => ownAnswers(word, at));
  const writer = agentsOf(at).find(
    ({ command }) => command !== undefined && write?.pipeline.includes(command) === true,
  );
  if (writer !== undefined) found.push({ agent: writer, source: `the output of ${writer.name}` });
  return found.length === 0 ? undefined : found.map((answer) => ({ found: answer }));
}

function ownAnswers(word: WrittenWord, step: Step): Answer[] {
  const commands = agentsOf(step).filter(({ command }) => command !== undefined);
  if (commands.length === 0) return [];
  const direct = commands.find(({ span }) => contains(word.span, span));
  if (direct !== undefined) return [{ agent: direct, source: `the output of ${direct.name}` }];
  if (word.variables.length === 0) return [];
  for (const { assignments } of commandsOf(step)) {
    for (const { name, value } of assignments) {
      if (!word.variables.includes(name)) continue;
      const agent = commands.find(({ span }) => contains(value.span, span));
      if (agent !== undefined) return [{ agent, source: `$${name}` }];
    }
  }
  return [];
}

function contains(outer: Span, inner: Span): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}

function answerFile(operand: string, step: Step): Answer[] {
  const wanted = baseName(operand);
  if (wanted === '') return [];
  for (const before of step.parent.steps.slice(0, step.index + 1)) {
    for (const agent of agentsOf(before)) {
      if (answerFilesOf(agent).some((file) => baseName(file) === wanted)) return [{ agent, source: operand }];
    }
  }
  return [];
}

function answerFilesOf({ step, command }: Agent): string[] {
  if (command === undefined) {
    const file = inputOf(step, 'output-file')?.value;
    return file === undefined ? [] : [file];
  }
  const redirected = command.redirects.flatMap(({ operator, target }) =>
    operator.startsWith('>') && target !== undefined ? target.value : [],
  );
  const at = command.args.findIndex(({ value }) => value === '-o' || value === '--output-last-message');
  const named = at === -1 ? undefined : command.args[at + 1]?.value;
  return named === undefined ? redirected : [...redirected, named];
}

function baseName(path: string): string {
  return path.replace(/["']/g, '').split('/').at(-1) ?? '';
}

export function pipedAgent(command: ShellCommand, step: Step): Agent | undefined {
  const before = command.pipeline[command.pipeline.indexOf(command) - 1];
  return agentsOf(step).find((agent) => agent.command !== undefined && agent.command === before);
}

const MAX_SCHEMA = 8_000;

function isEnumerated(target: ExpressionNode, key: string, at: Step | Job): boolean {
  const [access] = flowingAccesses(target);
  const [context, id = '', , output] = access?.path ?? [];
  if (context !== 'steps' || output !== 'structured_output') return false;
  const step = stepsById(at.kind === 'step' ? at.parent : at).get(id);
  const args = step === undefined ? undefined : inputOf(step, 'claude_args')?.value;
  const start = args?.indexOf('--json-schema') ?? -1;
  if (args === undefined || start === -1) return false;
  const schema = args.slice(start, start + MAX_SCHEMA);
  const named = schema.toLowerCase().indexOf(`"${key.toLowerCase()}"`);
  const property = named === -1 ? '' : schema.slice(named, schema.indexOf('}', named) + 1);
  return /"enum"\s*:|"const"\s*:|"type"\s*:\s*"(?:boolean|integer|number)"/.test(property);
}
