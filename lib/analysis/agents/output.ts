import { type ExpressionNode, expressionsIn, flowingAccesses } from '#lib/workflow/expressions/expression.ts';
import { inputOf } from '#lib/workflow/model/action-uses.ts';
import { type Job, jobOf, type Step, type Text } from '#lib/workflow/model/model.ts';
import { commandFileWrites, type WrittenWord } from '#lib/workflow/shell/command-files.ts';
import { environmentValue } from '#lib/workflow/shell/env-lookup.ts';
import { commandsOf, type ShellCommand } from '#lib/workflow/shell/shell.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { sourcesOfName } from '../dataflow/output-file-values.ts';
import { sourcesOfWord } from '../dataflow/value-sources.ts';
import { type Agent, agentsOf } from './agents.ts';

/** What a model wrote, reaching an expression, a variable or a word of a script. */
export interface Answer {
  readonly agent: Agent;
  /** What holds it first, for messages: `steps.triage.outputs.response`, `$PLAN`, `plan.md`. */
  readonly source: string;
}

const MAX_DEPTH = 6;
const MAX_VALUES = 200;

/** Outputs by which the known actions hand on the model's text. Others hold ids, files of logs or a conclusion. */
const ANSWER_OUTPUTS = /^(?:final-message|response|result|structured_output|summary|\*)$/;

/** The answers that an expression standing at a step or job may evaluate to. Files other than the workflow's are not followed. */
export function answersOf(node: ExpressionNode, at: Step | Job): Answer[] {
  return new AnswerTracer().ofNode(node, at, 0);
}

/** The same for every expression of a text. */
export function answersIn(text: Text, at: Step | Job): Answer[] {
  return new AnswerTracer().ofText(text, at, 0);
}

/** The answers in a word of a step's script: by variable, by substitution, or read from the file that holds one. */
export function answersOfWord(word: WrittenWord, step: Step): Answer[] {
  return new AnswerTracer().ofWord(word, step, 0);
}

/** The answers that a variable of a step's script holds. */
export function answersOfVariable(name: string, step: Step): Answer[] {
  return new AnswerTracer().ofVariable(name, step, 0);
}

class AnswerTracer {
  #values = 0;

  #isSpent(depth: number): boolean {
    this.#values += 1;
    return depth > MAX_DEPTH || this.#values > MAX_VALUES;
  }

  ofText(text: Text, at: Step | Job, depth: number): Answer[] {
    return expressionsIn(text).flatMap(({ node }) => (node === undefined ? [] : this.ofNode(node, at, depth)));
  }

  ofNode(node: ExpressionNode, at: Step | Job, depth: number): Answer[] {
    if (this.#isSpent(depth)) return [];
    if (node.type === 'index' && node.key.type === 'literal' && isNarrow(node.target, String(node.key.value), at)) {
      return [];
    }
    return flowingAccesses(node).flatMap(({ path }) => this.#ofAccess(path, at, depth));
  }

  #ofAccess(path: readonly string[], at: Step | Job, depth: number): Answer[] {
    const [context, first = '', second, third = '*'] = path;
    const job = at.kind === 'job' ? at : jobOf(at);
    if (context === 'env')
      return at.kind === 'step' ? this.ofVariable(first, at, depth) : this.#ofEnv(first, at, depth);
    if (second !== 'outputs') return [];
    if (context === 'steps') {
      const step = stepNamed(first, at);
      return step === undefined ? [] : this.#ofOutput(step, third, path.join('.'), depth);
    }
    if (context !== 'needs') return [];
    const needed = job?.workflow.jobs.find(({ id }) => id.toLowerCase() === first);
    const output = needed?.outputs?.get(third)?.value;
    return needed === undefined || output === undefined ? [] : this.ofText(output, needed, depth + 1);
  }

  #ofEnv(name: string, at: Step | Job, depth: number): Answer[] {
    const value = environmentValue(name, at);
    return value === undefined ? [] : this.ofText(value.text, value.at, depth + 1);
  }

  ofVariable(name: string, step: Step, depth: number): Answer[] {
    if (this.#isSpent(depth)) return [];
    if (environmentValue(name, step) !== undefined) return this.#ofEnv(name, step, depth);
    return step.parent.steps
      .slice(0, step.index)
      .flatMap((before) =>
        before.run?.value.includes('GITHUB_ENV') === true ? this.#ofWritten(before, 'env', name, depth) : [],
      );
  }

  #ofOutput(step: Step, name: string, source: string, depth: number): Answer[] {
    const [agent] = agentsOf(step);
    if (agent !== undefined && agent.command === undefined) {
      return ANSWER_OUTPUTS.test(name) ? [{ agent, source }] : [];
    }
    return this.#ofWritten(step, 'output', name, depth);
  }

  #ofWritten(step: Step, file: 'env' | 'output', name: string, depth: number): Answer[] {
    if (agentsOf(step).length > 0) {
      const writes = commandFileWrites(step).filter((write) => write.file === file);
      const own = writes.filter(({ words }) => words.some(({ value }) => value.toLowerCase().startsWith(`${name}=`)));
      const open = writes.some(({ words }) => words.some(({ value }) => value.toLowerCase().startsWith(`${name}<<`)));
      const words = (open ? writes : own).flatMap((write) => write.words);
      return words.flatMap((word) => this.ofWord(word, step, depth + 1));
    }
    return sourcesOfName(step, file, name).flatMap((source): Answer[] => {
      if (source.kind === 'variable') return this.ofVariable(source.name, step, depth + 1);
      if (source.kind === 'file') return answerFile(source.operand, step);
      if (source.kind !== 'expression' || source.expression.node === undefined) return [];
      return this.ofNode(source.expression.node, step, depth + 1);
    });
  }

  ofWord(word: WrittenWord, step: Step, depth: number): Answer[] {
    if (this.#isSpent(depth)) return [];
    const own = ownAnswers(word, step);
    if (own.length > 0) return own;
    return sourcesOfWord(word, step).flatMap((source): Answer[] => {
      if (source.kind === 'variable') return this.ofVariable(source.name, step, depth + 1);
      return source.kind === 'file' ? answerFile(source.operand, step) : [];
    });
  }
}

function stepNamed(id: string, at: Step | Job): Step | undefined {
  const steps = at.kind === 'step' ? at.parent.steps : at.steps;
  return steps.find((candidate) => candidate.id?.value.toLowerCase() === id);
}

/** `$(claude -p …)` in the word itself, or a variable that the script sets to one. */
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

/** Where agents before a step, or in it, leave their answers: `claude -p … > plan.md`, `codex exec -o plan.md`. */
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

/** Whether a shell reads what an agent prints: `claude -p … | bash`. */
export function pipedAgent(command: ShellCommand, step: Step): Agent | undefined {
  const before = command.pipeline[command.pipeline.indexOf(command) - 1];
  return agentsOf(step).find((agent) => agent.command !== undefined && agent.command === before);
}

/** A schema longer than this is none that anybody wrote into an argument. */
const MAX_SCHEMA = 8_000;

/** `fromJSON(steps.x.outputs.structured_output).key`, where the schema that the agent is held to lists the values of the key. */
function isNarrow(target: ExpressionNode, key: string, at: Step | Job): boolean {
  const [access] = flowingAccesses(target);
  const [context, id = '', , output] = access?.path ?? [];
  if (context !== 'steps' || output !== 'structured_output') return false;
  const step = stepNamed(id, at);
  const args = step === undefined ? undefined : inputOf(step, 'claude_args')?.value;
  const start = args?.indexOf('--json-schema') ?? -1;
  if (args === undefined || start === -1) return false;
  const schema = args.slice(start, start + MAX_SCHEMA);
  const named = schema.toLowerCase().indexOf(`"${key.toLowerCase()}"`);
  const property = named === -1 ? '' : schema.slice(named, schema.indexOf('}', named) + 1);
  return /"enum"\s*:|"const"\s*:|"type"\s*:\s*"(?:boolean|integer|number)"/.test(property);
}
