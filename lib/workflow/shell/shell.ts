import { forEachChild, parse, type Redirection, type SyntaxNode, type Word } from 'unbash';
import { type Expression, expressionsIn } from '../expressions/expression.ts';
import { jobOf, type Step, type Text } from '../model/model.ts';
import { MAX_SCRIPT_LENGTH } from '../text/limits.ts';
import type { YamlNode } from '../yaml/parse.ts';
import { EXPANSION, ReadCommand, ReadWord, type ShellCommand, type ShellRedirect, type ShellWord } from './command.ts';

export { commandWith, type ShellCommand, type ShellWord } from './command.ts';

export type ShellKind = 'posix' | 'powershell' | 'cmd' | 'python' | 'unknown';

const shells = new WeakMap<Step, ShellKind>();

export function shellOf(step: Step): ShellKind {
  let shell = shells.get(step);
  if (shell === undefined) {
    shell = findShell(step);
    shells.set(step, shell);
  }
  return shell;
}

function findShell(step: Step): ShellKind {
  const job = jobOf(step);
  const declared = step.shell ?? job?.defaultShell ?? job?.workflow.defaultShell;
  if (declared !== undefined) return shellNamed(declared.value);
  const labels = job?.runsOn?.labels.map((label) => label.value.toLowerCase()) ?? [];
  if (labels.some((label) => label.startsWith('windows'))) return 'powershell';
  return labels.some((label) => label.includes('${{')) && mentions(job?.matrix, 'windows') ? 'unknown' : 'posix';
}

/** True if the shell is named, or follows from a runner that the file names literally. */
export function isShellCertain(step: Step): boolean {
  const job = jobOf(step);
  if ((step.shell ?? job?.defaultShell ?? job?.workflow.defaultShell) !== undefined || job === undefined) return true;
  const labels = job.runsOn?.labels.map((label) => label.value) ?? [];
  const listed = job.matrix !== undefined && !mentions(job.matrix, '${{');
  return labels.every((label) => !label.includes('${{') || (listed && /^\$\{\{\s*matrix\.[\w.-]+\s*\}\}$/.test(label)));
}

function shellNamed(shell: string): ShellKind {
  const program = shell.trim().split(/\s+/)[0]?.replace(/^.*\//, '').toLowerCase() ?? '';
  if (program === 'bash' || program === 'sh' || program === 'zsh' || program === 'dash') return 'posix';
  if (program === 'pwsh' || program === 'powershell') return 'powershell';
  if (program === 'cmd') return 'cmd';
  return program.startsWith('python') ? 'python' : 'unknown';
}

function mentions(node: YamlNode | undefined, word: string): boolean {
  if (node === undefined) return false;
  if (node.kind === 'scalar') return node.text.toLowerCase().includes(word);
  const children = node.kind === 'sequence' ? node.items : [...node.entries.values()].map((entry) => entry.value);
  return children.some((child) => mentions(child, word));
}

/** A name that a script gives a value without an assignment: by a loop, by `read`, or by calling a function. */
export interface ShellBinding {
  readonly name: string;
  readonly value: ShellWord;
}

interface ReadScript {
  readonly commands: readonly ShellCommand[];
  readonly bindings: readonly ShellBinding[];
}

const scripts = new WeakMap<YamlNode, ReadScript>();
const TOO_LONG: ReadScript = { commands: [], bindings: [] };

/**
 * Returns the simple commands of a POSIX script in text order, with error recovery. Empty for a script that is too
 * long.
 */
export function commandsIn(script: Text): readonly ShellCommand[] {
  return readScript(script).commands;
}

function readScript(script: Text): ReadScript {
  let found = scripts.get(script.node);
  if (found === undefined) {
    found = script.value.length > MAX_SCRIPT_LENGTH ? TOO_LONG : new ScriptReader(script);
    scripts.set(script.node, found);
  }
  return found;
}

/** Returns what loops, `read` and calls of functions set; the parameters of `f` are named `f:1` and `f:@`. */
export function bindingsOf(step: Step): readonly ShellBinding[] {
  return step.run !== undefined && shellOf(step) === 'posix' ? readScript(step.run).bindings : [];
}

export function commandsOf(step: Step): readonly ShellCommand[] {
  return step.run !== undefined && shellOf(step) === 'posix' ? commandsIn(step.run) : [];
}

export const FILLER = '\uE000';

const FILLERS = new RegExp(`${FILLER}+`, 'g');

/** Replaces expressions with characters that have no meaning in any language. */
export function maskExpressions(script: Text): string {
  let masked = '';
  let at = 0;
  for (const { range } of expressionsIn(script)) {
    masked += script.value.slice(at, range.start) + FILLER.repeat(range.end - range.start);
    at = range.end;
  }
  return masked + script.value.slice(at);
}

const REWRITTEN = /["'\\$`]/;

const NO_EXPRESSIONS: readonly Expression[] = [];
const NO_ASSIGNMENTS: ShellCommand['assignments'] = [];

const MAX_PARAMETERS = 9;

class ScriptReader implements ReadScript {
  readonly commands: ShellCommand[] = [];
  readonly bindings: ShellBinding[] = [];
  readonly #functions = new Set<string>();
  #function = '';
  readonly #script: Text;
  readonly #expressions: readonly Expression[];
  #redirects: readonly ShellRedirect[] = [];

  constructor(script: Text) {
    this.#script = script;
    this.#expressions = expressionsIn(script);
    this.#visit(parse(maskExpressions(script)), undefined, undefined);
    if (this.#functions.size > 0) for (const command of this.commands) this.#bindParameters(command);
  }

  #bindParameters({ program, args }: ShellCommand): void {
    if (!this.#functions.has(program)) return;
    for (const [index, value] of args.slice(0, MAX_PARAMETERS).entries()) {
      for (const name of [index + 1, '@', '*']) this.bindings.push({ name: `${program}:${name}`, value });
    }
  }

  #bindRead({ program, args, redirects }: ShellCommand): void {
    if (program !== 'read' && program !== 'mapfile' && program !== 'readarray') return;
    const given = redirects.flatMap(({ operator, target, body }): ShellWord[] => {
      if (body !== undefined) return [body];
      if (operator !== '<' || target === undefined) return [];
      const { expressions, span } = target;
      return [{ text: `$(<${target.value})`, value: target.value, literal: false, variables: [], expressions, span }];
    });
    const names = args.flatMap(({ value }) => (/^[A-Za-z_]\w*$/.test(value) ? [value] : []));
    for (const name of names) for (const value of given) this.bindings.push({ name, value });
  }

  #visit(node: SyntaxNode, pipeline: ShellCommand[] | undefined, within: ShellCommand | undefined): void {
    if (node.type === 'Word' && !EXPANSION.test(node.text)) return;
    if (node.type === 'Script' && node.source !== undefined) return;
    if (node.type === 'Pipeline') {
      const shared: ShellCommand[] = [];
      for (const command of node.commands) this.#visit(command, shared, within);
      return;
    }
    if (node.type === 'Redirected') {
      const outer = this.#redirects;
      this.#redirects = [...outer, ...node.redirects.map((redirect) => this.#redirect(redirect))];
      forEachChild(node, (child) => this.#visit(child, pipeline, within));
      this.#redirects = outer;
      return;
    }
    if (node.type === 'Function') {
      const outer = this.#function;
      this.#function = node.name.text;
      this.#functions.add(node.name.text);
      forEachChild(node, (child) => this.#visit(child, pipeline, within));
      this.#function = outer;
      return;
    }
    if (node.type === 'For') {
      const name = node.name.text;
      for (const word of node.wordlist ?? []) this.bindings.push({ name, value: this.#word(word) });
    }
    if (node.type === 'Command') {
      const command = this.#command(node, pipeline ?? [], within);
      this.#bindRead(command);
      if (node.redirects.length === 0 && !EXPANSION.test(command.text)) return;
      forEachChild(node, (child) => this.#visit(child, undefined, command));
      return;
    }
    // Commands of a group belong to the group's pipeline: `{ a; b; } | sh`.
    const inherited = node.type === 'Word' || node.type === 'CommandExpansion' ? undefined : pipeline;
    forEachChild(node, (child) => this.#visit(child, inherited, within));
  }

  #command(
    node: SyntaxNode & { type: 'Command' },
    pipeline: ShellCommand[],
    within: ShellCommand | undefined,
  ): ShellCommand {
    const words: ShellWord[] = [];
    if (node.name !== undefined) words.push(this.#word(node.name));
    let assignments: { name: string; value: ShellWord }[] | undefined;
    for (const parts of [node.prefix, node.args]) {
      for (const part of parts) {
        if (part.type === 'Word') words.push(this.#word(part));
        else if (part.type === 'Assignment') {
          const value = part.value.type === 'Word' ? this.#word(part.value) : this.#slice(part.pos, part.end, part);
          // `export NAME=value` is both an argument and an assignment.
          if (part.pos > (node.name?.pos ?? Number.POSITIVE_INFINITY)) {
            words.push(this.#slice(part.pos, part.end, part));
          }
          assignments ??= [];
          assignments.push({ name: part.name, value });
        }
      }
    }
    const { redirects } = node;
    const all =
      redirects.length === 0
        ? this.#redirects
        : [...redirects.map((redirect) => this.#redirect(redirect)), ...this.#redirects];
    const command = new ReadCommand(
      this.#script,
      node.pos,
      node.end,
      words,
      assignments ?? NO_ASSIGNMENTS,
      all,
      pipeline,
      within,
    );
    pipeline.push(command);
    this.commands.push(command);
    return command;
  }

  #redirect(node: Redirection): ShellRedirect {
    if (node.type === 'HereDoc') {
      const body = this.#slice(node.body.pos, node.body.end, node.body);
      return { operator: node.operator, target: undefined, body, quoted: node.delimiter?.quoted === true };
    }
    const target = node.target === undefined ? undefined : this.#word(node.target);
    return node.type === 'HereString'
      ? { operator: node.operator, target: undefined, body: target, quoted: false }
      : { operator: node.operator, target, body: undefined, quoted: false };
  }

  #word(node: Word): ShellWord {
    const word = this.#slice(node.pos, node.end, node);
    if (REWRITTEN.test(word.text)) word.value = this.#unmask(node.value, word.expressions);
    return word;
  }

  #slice(start: number, end: number, node: SyntaxNode): ReadWord {
    const text = this.#script.value.slice(start, end);
    return new ReadWord(this.#script, start, end, text, this.#expressionsBetween(start, end), node, this.#function);
  }

  #expressionsBetween(start: number, end: number): readonly Expression[] {
    if (this.#expressions.length === 0) return NO_EXPRESSIONS;
    return this.#expressions.filter(({ range }) => range.start >= start && range.end <= end);
  }

  #unmask(value: string, expressions: readonly Expression[]): string {
    if (expressions.length === 0) return value;
    let next = 0;
    return value.replace(FILLERS, (run) => {
      let text = '';
      while (next < expressions.length && text.length < run.length) {
        const { range } = expressions[next] as Expression;
        text += this.#script.value.slice(range.start, range.end);
        next += 1;
      }
      return text;
    });
  }
}
