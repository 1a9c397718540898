import type { Expression } from '#lib/workflow/expressions/expression.ts';
import type { Step } from '#lib/workflow/model/model.ts';
import { ScriptIndex } from '#lib/workflow/shell/assignments.ts';
import type { CommandFileWrite, WrittenWord } from '#lib/workflow/shell/command-files.ts';
import { payloadPathsIn, valuesIn, withValues } from '#lib/workflow/shell/line-values.ts';
import type { ShellCommand, ShellWord } from '#lib/workflow/shell/shell.ts';
import type { Matched } from '#lib/workflow/shell/whole-pattern.ts';
import { ownValue } from '#lib/workflow/text/own-value.ts';
import { flattens } from './printed-lines.ts';
import { fieldsBehind, payloadPathsOf, type Query, queriesBehind, queryOf } from './script-queries.ts';
import { patternsOf, selectingArguments } from './selecting-arguments.ts';
import { type FileWrite, writesTo } from './written-files.ts';

export type ScriptSource = {
  readonly oneLine: boolean;
  readonly writtenIn?: Step;
  readonly fields?: readonly string[];
  readonly checked?: Exclude<Matched, 'plain'>;
} & (
  | { readonly kind: 'expression'; readonly expression: Expression }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'file'; readonly operand: string }
  | { readonly kind: 'query'; readonly query: Query }
  | { readonly kind: 'payload'; readonly path: readonly string[] }
);

const MAX_DEPTH = 18;
const MAX_TRACED_WORDS = 500;

export function sourcesOfWrite(
  write: CommandFileWrite,
  step: Step,
  words: readonly WrittenWord[] = write.words,
): ScriptSource[] {
  const folders = write.file === 'path' ? printedWords(write.pipeline, words).flatMap(folderNamed) : [];
  return [...new SourceReader(step).ofWritten(write.pipeline, words, 0), ...flattened(write.pipeline, folders)];
}

function printedWords(pipeline: readonly ShellCommand[], words: readonly WrittenWord[]): readonly WrittenWord[] {
  const last = pipeline.at(-1);
  if (last === undefined) return words;
  const selecting = selectingArguments(last);
  if (TEXT_TOOLS.has(last.program)) return words.filter((word) => !selecting.has(word));
  const bodies = new Set<WrittenWord>(expandedBodies(last));
  return words.filter((word) => bodies.has(word));
}

export function expandedBodies({ redirects }: ShellCommand): ShellWord[] {
  return redirects.flatMap(({ body, quoted }) => (quoted ? [] : (body ?? [])));
}

const BELOW_WORKSPACE =
  /^(?:\$\{?PWD\}?|\$\(pwd\)|`pwd`|\$\{?GITHUB_WORKSPACE\}?|\$\{\{\s*github\.workspace\s*\}\}|\.)(\/[\w./-]{1,200})$/;

function folderNamed({ value }: WrittenWord): ScriptSource[] {
  const [, below] = BELOW_WORKSPACE.exec(value) ?? [];
  return below === undefined || /\/\.?v?env(?:\/|$)/.test(below)
    ? []
    : [{ kind: 'file', operand: `.${below}`, oneLine: false }];
}

export function sourcesOfCommand(command: ShellCommand, step: Step): ScriptSource[] {
  const reader = new SourceReader(step);
  const words = [...command.args, ...command.redirects.flatMap(({ body }) => body ?? [])];
  const upstream = command.pipeline.slice(0, command.pipeline.indexOf(command) + 1);
  return [...words.flatMap((word) => reader.ofWord(word, 0)), ...reader.ofPipeline(upstream, 0)];
}

export function sourcesOfWord(word: WrittenWord, step: Step): ScriptSource[] {
  return new SourceReader(step).ofWord(word, 0);
}

export function sourcesOfOutput(pipeline: readonly ShellCommand[], step: Step): ScriptSource[] {
  return new SourceReader(step).ofOutput(pipeline, 0);
}

function onOneLine(source: ScriptSource): ScriptSource {
  return { ...source, oneLine: true };
}

function flattened(pipeline: readonly ShellCommand[], sources: readonly ScriptSource[]): ScriptSource[] {
  const kind = flattens(pipeline);
  if (kind === 'clean') return [];
  const filtered = behindFilters(pipeline, sources);
  return kind === 'line' ? filtered.map(onOneLine) : filtered;
}

function behindFilters(pipeline: readonly ShellCommand[], sources: readonly ScriptSource[]): ScriptSource[] {
  const queries = sources.flatMap((source) => (source.kind === 'query' ? [source.query] : []));
  const behind = queriesBehind(queries, pipeline);
  const fields = fieldsBehind(pipeline);
  return sources.flatMap((source): ScriptSource[] => {
    if (source.kind !== 'query') return [fields === undefined ? source : { fields, ...source }];
    const query = behind.get(source.query);
    return query === undefined ? [] : [{ ...source, query }];
  });
}

const TEXT_TOOLS: ReadonlySet<string> = new Set(
  'awk base64 basename cat cut dirname egrep fold grep head jq paste perl printf echo python python3 realpath rev ruby sed sort tail tac tr uniq xargs yq'.split(
    ' ',
  ),
);

const FILE_READERS: ReadonlySet<string> = new Set(
  'awk base64 cat cp cut egrep grep head jq mv paste sed sort tail tac uniq xargs yq'.split(' '),
);

const TAKES_VALUE: Readonly<Record<string, RegExp>> = {
  awk: /^-[Fv]$/,
  cut: /^-\w?[bcdf]$/,
  paste: /^-\w?d$/,
  sort: /^-\w?[kt]$/,
};

const HAS_FILTER: ReadonlySet<string> = new Set(['awk', 'egrep', 'grep', 'jq', 'sed', 'yq', 'xargs']);

const LANGUAGES: ReadonlySet<string> = new Set(['bun', 'node', 'perl', 'python', 'python3', 'ruby']);
const READS_FILE =
  /\b(?:require|import|open|read|readlines|readFile|readFileSync|readJsonSync|Path)\s{0,5}\(\s{0,5}['"`]([^'"`\n]{1,200})['"`]/g;

const READ_WHOLE = /\$\(\s{0,5}<\s{0,5}(\S{1,200}?)\s{0,5}\)/;

interface Expanded {
  readonly names: ReadonlySet<string>;
  readonly expressions: ReadonlySet<Expression>;
}

const NOTHING: Expanded = { names: new Set(), expressions: new Set() };

function expandedIn(commands: readonly ShellCommand[]): Expanded {
  const words = commands.flatMap(({ args, redirects, assignments }) => [
    ...args,
    ...redirects.flatMap(({ body }) => body ?? []),
    ...assignments.map(({ value }) => value),
  ]);
  return {
    names: new Set(words.flatMap(({ variables }) => variables)),
    expressions: new Set(words.flatMap(({ expressions }) => expressions)),
  };
}

interface Walk {
  readonly writes: Set<FileWrite>;
  traced: number;
}

class SourceReader {
  readonly #step: Step;
  readonly #script: ScriptIndex;
  readonly #followed = new Set<string>();
  readonly #walk: Walk;

  constructor(step: Step, walk: Walk = { writes: new Set(), traced: 0 }) {
    this.#step = step;
    this.#script = ScriptIndex.of(step);
    this.#walk = walk;
  }

  ofWord(word: WrittenWord, depth: number): ScriptSource[] {
    this.#walk.traced += 1;
    if (depth > MAX_DEPTH || this.#walk.traced > MAX_TRACED_WORDS) return [];
    const sources: ScriptSource[] = [];
    const inner = this.#script.substitutionsIn(word.span);
    const within = inner.length === 0 ? NOTHING : expandedIn(inner);
    for (const expression of word.expressions) {
      if (!within.expressions.has(expression)) sources.push({ kind: 'expression', expression, oneLine: false });
    }
    for (const name of word.variables) {
      if (!within.names.has(name) && !onlyExpandsHarmlessly(name, word.text))
        sources.push(...this.#ofVariable(name, word.span.start, depth + 1));
    }
    for (const command of inner) {
      if (command === command.pipeline.at(-1)) sources.push(...this.ofOutput(command.pipeline, depth + 1));
    }
    for (const path of word.payloads ?? []) sources.push({ kind: 'payload', path, oneLine: false });
    const [, operand] = READ_WHOLE.exec(word.text) ?? [];
    if (operand !== undefined) sources.push(...this.#ofFile(operand, depth + 1));
    return sources;
  }

  ofWritten(pipeline: readonly ShellCommand[], words: readonly WrittenWord[], depth: number): ScriptSource[] {
    const last = pipeline.at(-1);
    const bodies = new Set<WrittenWord>(last === undefined ? [] : expandedBodies(last));
    const own = printedWords(pipeline, words).flatMap((word) => {
      const sources = this.ofWord(word, depth);
      // Without quotes, line breaks of an argument become spaces; those of a here-document stay.
      const joined = !/["']/.test(word.text) && pipeline.length > 0 && !bodies.has(word);
      return joined ? sources.map(onOneLine) : sources;
    });
    return flattened(pipeline, [...own, ...this.ofPipeline(pipeline, depth)]);
  }

  ofPipeline(pipeline: readonly ShellCommand[], depth: number): ScriptSource[] {
    const last = pipeline.at(-1);
    const sources = pipeline.flatMap((command) => [
      ...(command === last ? [] : this.#ofWords(command, depth)),
      ...this.#fetchedBy(command, depth),
    ]);
    return behindFilters(pipeline, sources);
  }

  ofOutput(pipeline: readonly ShellCommand[], depth: number): ScriptSource[] {
    if (depth > MAX_DEPTH || flattens(pipeline) === 'clean') return [];
    return flattened(
      pipeline,
      pipeline.flatMap((command) => [...this.#ofWords(command, depth), ...this.#fetchedBy(command, depth)]),
    );
  }

  #ofWords(command: ShellCommand, depth: number): ScriptSource[] {
    if (!TEXT_TOOLS.has(command.program)) return [];
    const bodies = command.redirects.flatMap(({ body }) => body ?? []);
    const selecting = selectingArguments(command);
    const printed = command.args.filter((word) => !selecting.has(word));
    return [...printed, ...bodies].flatMap((word) => this.ofWord(word, depth + 1));
  }

  #ofVariable(name: string, place: number, depth: number): ScriptSource[] {
    const checked = this.#script.checkedAt(name, place);
    if (this.#followed.has(name) || depth > MAX_DEPTH || checked === 'plain') return [];
    this.#followed.add(name);
    const assigned = this.#script.assignmentsOf(name);
    const sources: ScriptSource[] = assigned.length > 0 ? [] : [{ kind: 'variable', name, oneLine: false }];
    for (const value of assigned) {
      if (this.#walk.traced >= MAX_TRACED_WORDS) break;
      sources.push(...this.ofWord(value, depth + 1));
    }
    this.#followed.delete(name);
    return checked === undefined ? sources : sources.map((source) => ({ ...source, oneLine: true, checked }));
  }

  #fetchedBy(command: ShellCommand, depth: number): ScriptSource[] {
    const files = filesReadBy(command).flatMap((operand) => this.#ofFile(operand, depth + 1));
    const query = queryOf(command);
    return [
      ...files,
      ...(query === undefined ? [] : [{ kind: 'query', query, oneLine: false } as const]),
      ...[...payloadPathsOf(command), ...payloadReadBy(command)].map(
        (path) => ({ kind: 'payload', path, oneLine: false }) as const,
      ),
    ];
  }

  #ofFile(operand: string, depth: number): ScriptSource[] {
    const sources: ScriptSource[] = [{ kind: 'file', operand, oneLine: false }];
    for (const write of writesTo(operand, this.#step)) sources.push(...this.#ofFileWrite(write, depth + 1));
    return sources;
  }

  #ofFileWrite(write: FileWrite, depth: number): ScriptSource[] {
    const { writes } = this.#walk;
    this.#walk.traced += 1;
    if (writes.has(write) || depth > MAX_DEPTH || this.#walk.traced > MAX_TRACED_WORDS) return [];
    const { step, command } = write;
    writes.add(write);
    const reader = step === this.#step ? this : new SourceReader(step, this.#walk);
    const pipeline = command.pipeline.slice(0, command.pipeline.indexOf(command) + 1);
    const printed = command.program === 'tee' ? [] : command.args;
    const words = [...printed, ...command.redirects.flatMap(({ body }) => body ?? [])];
    const sources = reader.ofWritten(pipeline, words, depth);
    writes.delete(write);
    return step === this.#step ? sources : sources.map((source) => ({ writtenIn: step, ...source }));
  }
}

const FEW_LEFT =
  /\$\{(\w{1,60})\/\/\[\^(?:\[:(?:alnum|alpha|digit|lower|upper|xdigit):\]|[\w.\\@+:,=-]){1,60}\]\/[\w.-]{0,5}\}/g;

function onlyExpandsHarmlessly(name: string, text: string): boolean {
  if (!text.includes('//[^')) return false;
  const rest = text.replace(FEW_LEFT, (all, expanded: string) => (expanded === name ? '' : all));
  return rest !== text && !rest.includes(`$${name}`) && !rest.includes(`\${${name}`);
}

function filesReadBy(command: ShellCommand): string[] {
  const operands: string[] = [];
  if (FILE_READERS.has(command.program)) {
    const patterns = /^e?grep$/.test(command.program) ? new Set<WrittenWord>(patternsOf(command.args)) : undefined;
    let filters = patterns === undefined && HAS_FILTER.has(command.program) ? 1 : 0;
    for (const [index, word] of command.args.entries()) {
      const { value } = word;
      const before = command.args[index - 1]?.value ?? '';
      const isOptions =
        (/^\d+$/.test(value) && /^-\w$/.test(before)) || ownValue(TAKES_VALUE, command.program)?.test(before) === true;
      if (value.startsWith('-') || isOptions || patterns?.has(word) === true) continue;
      if (filters === 0 || (command.program === 'xargs' && index > 0)) operands.push(beforeStar(value) || './');
      filters = 0;
    }
  }
  operands.push(...listedBy(command), ...readByProgram(command));
  if (IGNORES_INPUT.has(command.program)) return operands;
  for (const { operator, target } of command.redirects) {
    if (operator === '<' && target !== undefined) operands.push(target.value);
  }
  return operands;
}

const IGNORES_INPUT: ReadonlySet<string> = new Set(['echo', 'printf']);

const PRINTS = /\bprint\(|console\.log\(|\.write\(/;
const READ_FROM_EVENT = /GITHUB_EVENT_PATH\b[^\n;]{0,60}?\)((?:\[['"]\w{1,60}['"]\]|\.\w{1,60}(?!\w|\())+)/g;

function payloadReadBy({ program, args }: ShellCommand): (readonly string[])[] {
  if (!LANGUAGES.has(program)) return [];
  const option = args.findIndex(({ value }) => /^-(?:[a-z]*[ecp]|-print|-eval)$/.test(value));
  const code = args[option + 1]?.value ?? '';
  if (option === -1 || !code.includes('GITHUB_EVENT_PATH')) return [];
  const values = valuesIn(code);
  return code.split(/[\n;]/).flatMap((line) => {
    if (!PRINTS.test(line) && !/^-\w*p/.test(args[option]?.value ?? '')) return [];
    const direct = [...line.matchAll(READ_FROM_EVENT)].map(([, path = '']) => [
      'github',
      'event',
      ...[...path.toLowerCase().matchAll(/\w+/g)].map(([name]) => name),
    ]);
    return [...direct, ...payloadPathsIn(withValues(line, values))];
  });
}

function listedBy({ program, args }: ShellCommand): string[] {
  if (program !== 'ls' && program !== 'find') return [];
  const words = args.map(({ value }) => value);
  const end = program === 'ls' ? -1 : words.findIndex((word) => /^[-(!]/.test(word));
  const folders = (end === -1 ? words : words.slice(0, end)).filter((word) => !word.startsWith('-'));
  if (program === 'find' && words.some((word) => /^-(?:exec|execdir|delete|ok)$/.test(word))) return [];
  const literal = folders.map(beforeStar);
  return folders.length === 0 ? ['./'] : literal.map((folder) => (folder === '' || folder === '.' ? './' : folder));
}

function beforeStar(path: string): string {
  const star = path.indexOf('*');
  return star === -1 ? path : path.slice(0, Math.max(0, path.lastIndexOf('/', star)));
}

function readByProgram({ program, args }: ShellCommand): string[] {
  if (!LANGUAGES.has(program)) return [];
  const text =
    args.find((_, index) => /^-(?:[a-z]*[ecp]|-print|-eval)$/.test(args[index - 1]?.value ?? ''))?.value ?? '';
  const files = [...text.matchAll(READS_FILE)].map(([, file = '']) => file);
  return files.filter((file) => /[/.]/.test(file) && !/^(?:node:|@)/.test(file));
}
