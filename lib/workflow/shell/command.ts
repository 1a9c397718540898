import { forEachChild, type SyntaxNode } from 'unbash';
import type { Expression } from '../expressions/expression.ts';
import type { Text } from '../model/model.ts';
import type { Span } from '../text/source.ts';
import { offsetInScalar } from '../yaml/parse.ts';

export interface ShellWord {
  readonly text: string;
  readonly value: string;
  readonly literal: boolean;
  readonly variables: readonly string[];
  readonly expressions: readonly Expression[];
  readonly span: Span;
}

export interface ShellRedirect {
  readonly operator: string;
  readonly target: ShellWord | undefined;
  readonly body: ShellWord | undefined;
  /** True for a quoted here-document delimiter, which disables expansion. */
  readonly quoted: boolean;
}

/**
 * `program` is the base name after wrappers such as `sudo`, `env` and `time`, and empty if computed. `within` is the
 * command whose word contains this one as a substitution: `bash -c "$(curl …)"`.
 */
export interface ShellCommand {
  readonly program: string;
  readonly args: readonly ShellWord[];
  readonly words: readonly ShellWord[];
  readonly assignments: readonly { readonly name: string; readonly value: ShellWord }[];
  readonly redirects: readonly ShellRedirect[];
  readonly pipeline: readonly ShellCommand[];
  readonly within: ShellCommand | undefined;
  readonly text: string;
  readonly span: Span;
}

const WRAPPERS: ReadonlySet<string> = new Set(['sudo', 'env', 'time', 'command', 'exec', 'nohup', 'nice', 'builtin']);

export const EXPANSION = /[$`]|[<>]\(/;

interface Expansions {
  readonly found: boolean;
  readonly variables: readonly string[];
}

const NO_EXPANSIONS: Expansions = { found: false, variables: [] };
/** A class keeps commands small and of one shape; a getter on each object would turn it into a dictionary. */
export class ReadCommand implements ShellCommand {
  readonly program: string;
  readonly args: readonly ShellWord[];
  readonly words: readonly ShellWord[];
  readonly assignments: ShellCommand['assignments'];
  readonly redirects: readonly ShellRedirect[];
  readonly pipeline: readonly ShellCommand[];
  readonly within: ShellCommand | undefined;
  readonly text: string;
  readonly #script: Text;
  readonly #start: number;
  readonly #end: number;
  #span: Span | undefined;

  constructor(
    script: Text,
    start: number,
    end: number,
    words: readonly ShellWord[],
    assignments: ShellCommand['assignments'],
    redirects: readonly ShellRedirect[],
    pipeline: readonly ShellCommand[],
    within: ShellCommand | undefined,
  ) {
    const named = programAt(words);
    this.program = programOf(words[named]);
    this.args = words.slice(named + 1);
    this.words = words;
    this.assignments = assignments;
    this.redirects = redirects;
    this.pipeline = pipeline;
    this.within = within;
    this.text = script.value.slice(start, end);
    this.#script = script;
    this.#start = start;
    this.#end = end;
  }

  get span(): Span {
    this.#span ??= spanIn(this.#script, this.#start, this.#end);
    return this.#span;
  }
}

/** Returns a command with other parts; a spread alone would lose its place. */
export function commandWith(command: ShellCommand, parts: Partial<ShellCommand>): ShellCommand {
  return { ...command, span: command.span, ...parts };
}

const PARAMETER = /^(?:[1-9@*])$/;

export class ReadWord implements ShellWord {
  readonly text: string;
  value: string;
  readonly expressions: readonly Expression[];
  readonly #script: Text;
  readonly #start: number;
  readonly #end: number;
  readonly #function: string;
  #node: SyntaxNode | undefined;
  #expansions: Expansions = NO_EXPANSIONS;
  #span: Span | undefined;

  constructor(
    script: Text,
    start: number,
    end: number,
    text: string,
    expressions: readonly Expression[],
    node: SyntaxNode,
    within: string,
  ) {
    this.#function = within;
    this.#script = script;
    this.#start = start;
    this.#end = end;
    this.text = text;
    this.value = text;
    this.expressions = expressions;
    this.#node = EXPANSION.test(text) ? node : undefined;
  }

  get literal(): boolean {
    return this.expressions.length === 0 && !this.#expanded().found;
  }

  get variables(): readonly string[] {
    return this.#expanded().variables;
  }

  get span(): Span {
    this.#span ??= spanIn(this.#script, this.#start, this.#end);
    return this.#span;
  }

  #expanded(): Expansions {
    if (this.#node !== undefined) {
      const { found, variables } = expansionsOf(this.#node);
      const own = (name: string): string => (PARAMETER.test(name) ? `${this.#function}:${name}` : name);
      this.#expansions = { found, variables: this.#function === '' ? variables : variables.map(own) };
      this.#node = undefined;
    }
    return this.#expansions;
  }
}

function spanIn({ node }: Text, start: number, end: number): Span {
  return { start: offsetInScalar(node, start), end: end > start ? offsetInScalar(node, end - 1) + 1 : start };
}

function programAt(words: readonly ShellWord[]): number {
  let index = 0;
  while (index < words.length && WRAPPERS.has((words[index] as ShellWord).value)) {
    index += 1;
    while (index < words.length && /^(?:-|\w+=)/.test((words[index] as ShellWord).value)) index += 1;
  }
  return index;
}

function programOf(word: ShellWord | undefined): string {
  return word === undefined || !word.literal ? '' : word.value.slice(word.value.lastIndexOf('/') + 1);
}

function expansionsOf(root: SyntaxNode): Expansions {
  const variables = new Set<string>();
  let found = false;
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'SimpleExpansion') {
      found = true;
      variables.add(node.text.slice(1));
    } else if (node.type === 'ParameterExpansion') {
      found = true;
      if (node.prefix !== '#') variables.add(node.parameter);
    } else if (node.type === 'CommandExpansion' || node.type === 'ProcessSubstitution') found = true;
    forEachChild(node, visit);
  };
  visit(root);
  return { found, variables: [...variables] };
}
