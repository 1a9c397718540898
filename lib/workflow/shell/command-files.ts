import { accessedPaths, type Expression, expressionsIn } from '../expressions/expression.ts';
import { actionOf, inputOf } from '../model/action-uses.ts';
import type { Step, Text } from '../model/model.ts';
import { ownValue } from '../text/own-value.ts';
import type { Span } from '../text/source.ts';
import { offsetInScalar } from '../yaml/parse.ts';
import type { CommandFile, CommandFileWrite } from './command-file-write.ts';
import { environmentValue } from './env-lookup.ts';
import { programWrites } from './program-writes.ts';
import { commandsOf, type ShellCommand, type ShellWord, shellOf } from './shell.ts';

export type { CommandFile, CommandFileWrite, WrittenWord } from './command-file-write.ts';

const writesByStep = new WeakMap<Step, readonly CommandFileWrite[]>();

export function commandFileWrites(step: Step): readonly CommandFileWrite[] {
  if (step.run === undefined && step.uses === undefined) return [];
  let writes = writesByStep.get(step);
  if (writes === undefined) {
    writes = findWrites(step);
    writesByStep.set(step, writes);
  }
  return writes;
}

const SET_INPUTS_AS_VARIABLES: ReadonlySet<string> = new Set(['allenevans/set-env', 'ozaytsev86/create-env-file']);

function findWrites(step: Step): readonly CommandFileWrite[] {
  if (step.run !== undefined) {
    const shell = shellOf(step);
    if (shell === 'posix') return parsedWrites(step);
    return shell === 'python' ? programWrites(programOf(step.run)) : lineWrites(step.run);
  }
  const action = actionOf(step);
  if (action?.slug === 'actions/github-script') {
    const script = inputOf(step, 'script');
    // Expressions in the script are code already.
    return script === undefined ? [] : programWrites({ ...programOf(script), expressions: [] });
  }
  if (action === undefined || !SET_INPUTS_AS_VARIABLES.has(action.slug)) return [];
  return (step.with?.entries ?? []).map(({ value }) => {
    const { span } = value;
    const word = { text: value.value, value: value.value, variables: [], expressions: expressionsIn(value), span };
    return { file: 'env', span, words: [word], pipeline: [], randomDelimiter: false };
  });
}

function programOf(text: Text): Parameters<typeof programWrites>[0] {
  const spanOf = (start: number, end: number): Span => ({
    start: offsetInScalar(text.node, start),
    end: offsetInScalar(text.node, end - 1) + 1,
  });
  return { text: text.value, expressions: expressionsIn(text), spanOf };
}

const FILE_NAME = /^GITHUB_(ENV|PATH|OUTPUT|STATE)$/;
const FILE_VARIABLE = /^\$\{?(\w+)(?::?[?-][^}]*)?\}?$/;
const FILE_CONTEXTS: Readonly<Record<string, CommandFile>> = {
  'github.env': 'env',
  'github.path': 'path',
  'github.output': 'output',
  'github.state': 'state',
};

function mentions(text: string | undefined): boolean {
  return /GITHUB_(?:ENV|PATH|OUTPUT|STATE)|github\.|::set-output/.test(text ?? '');
}

function parsedWrites(step: Step): CommandFileWrite[] {
  if (!mentions(step.run?.value) && step.env?.entries.some(({ value }) => mentions(value.value)) !== true) return [];
  const commands = commandsOf(step);
  const found: { file: CommandFile; command: ShellCommand; pipeline: readonly ShellCommand[] }[] = [];
  const written: CommandFileWrite[] = [];
  for (const command of commands) {
    const index = command.pipeline.indexOf(command);
    const pipeline = command.pipeline.slice(0, index + 1);
    if (command.program === 'tee') {
      for (const word of command.args) {
        const file = fileOf(word, step, commands);
        if (file !== undefined) found.push({ file, command, pipeline });
      }
    }
    written.push(...writesOfProgram(command), ...outputsPrinted(command, pipeline));
    const copy = command.program === 'cp' ? command.args.at(-1) : undefined;
    const copied = copy === undefined ? undefined : fileOf(copy, step, commands);
    if (copied !== undefined) found.push({ file: copied, command, pipeline });
    for (const redirect of command.redirects) {
      const outer = command.within?.redirects.includes(redirect) === true;
      // In a piped group, only the last command's output reaches the group's redirect.
      const piped = index < command.pipeline.length - 1;
      if (outer || piped || redirect.target === undefined || !redirect.operator.includes('>')) continue;
      const file = fileOf(redirect.target, step, commands);
      if (file !== undefined) found.push({ file, command, pipeline });
    }
  }
  const delimited = new Set(found.filter(({ command }) => opensRandomly(command)).map(({ file }) => file));
  const own = found.map(({ file, command, pipeline }) => ({
    file,
    span: command.span,
    words: [...(command.program === 'tee' ? [] : command.args), ...command.redirects.flatMap(({ body }) => body ?? [])],
    pipeline,
    randomDelimiter: delimited.has(file) && !assigns(command),
  }));
  return written.length === 0 ? own : [...own, ...written].sort((a, b) => a.span.start - b.span.start);
}

const CODE_OPTION = /^(?:-[a-zA-Z]*[ecp]|--eval|--print)$/;
const LANGUAGES = /^(?:bun|node|python[\d.]*|ruby)$/;

function writesOfProgram({ program, args, redirects, span }: ShellCommand): CommandFileWrite[] {
  if (!LANGUAGES.test(program)) return [];
  const option = args.findIndex(({ value }) => CODE_OPTION.test(value));
  const code = option === -1 ? redirects.flatMap(({ body }) => body ?? [])[0] : args[option + 1];
  if (code === undefined) return [];
  return programWrites({ text: code.value, expressions: [], spanOf: () => span }).map((write) => ({
    ...write,
    words: write.words.map((word) => ({ ...word, expressions: code.expressions })),
  }));
}

const PRINTED_OUTPUT = /^::set-output name=([\w-]{1,100})::/;

function outputsPrinted(command: ShellCommand, pipeline: readonly ShellCommand[]): CommandFileWrite[] {
  if (command.program !== 'echo' && command.program !== 'printf') return [];
  const [, name] = PRINTED_OUTPUT.exec(command.args[0]?.value ?? '') ?? [];
  if (name === undefined) return [];
  const words = command.args.map(({ text, value, variables, expressions, span }) => {
    return { text, value: value.replace(PRINTED_OUTPUT, '$1='), variables, expressions, span };
  });
  return [{ file: 'output', span: command.span, words, pipeline, randomDelimiter: false }];
}

function fileOf(word: ShellWord, step: Step, commands: readonly ShellCommand[]): CommandFile | undefined {
  for (const { node } of word.expressions) {
    const path = node === undefined ? undefined : accessedPaths(node)[0];
    const file = path === undefined ? undefined : ownValue(FILE_CONTEXTS, path);
    if (file !== undefined) return file;
  }
  const name = FILE_VARIABLE.exec(word.value)?.[1];
  return name === undefined ? undefined : fileNamed(name, step, commands);
}

function fileNamed(name: string, step: Step, commands: readonly ShellCommand[]): CommandFile | undefined {
  const direct = FILE_NAME.exec(name)?.[1];
  if (direct !== undefined) return direct.toLowerCase() as CommandFile;
  for (const { assignments } of commands) {
    for (const assignment of assignments) {
      const to = assignment.name === name ? FILE_VARIABLE.exec(assignment.value.value)?.[1] : undefined;
      const file = to === undefined ? undefined : FILE_NAME.exec(to)?.[1];
      if (file !== undefined) return file.toLowerCase() as CommandFile;
    }
  }
  const declared = environmentValue(name, step);
  const expression = declared === undefined ? undefined : expressionsIn(declared.text)[0];
  return expression?.node === undefined ? undefined : ownValue(FILE_CONTEXTS, accessedPaths(expression.node)[0] ?? '');
}

function opensRandomly(command: ShellCommand): boolean {
  return [...command.args, ...command.redirects.flatMap(({ body }) => body ?? [])].some(({ value }) =>
    /^[\w-]+<<[\w-]*[$`]/m.test(value),
  );
}

function assigns(command: ShellCommand): boolean {
  return command.args.some(({ value }) => /^[\w-]+=/.test(value));
}

function lineWrites(script: Text): CommandFileWrite[] {
  if (!/GITHUB_(?:ENV|PATH|OUTPUT|STATE)/.test(script.value)) return [];
  const writes: CommandFileWrite[] = [];
  const expressions = expressionsIn(script);
  let start = 0;
  for (const line of script.value.split('\n')) {
    const end = start + line.length;
    const file = /GITHUB_(ENV|PATH|OUTPUT|STATE)\b/.exec(line)?.[1]?.toLowerCase() as CommandFile | undefined;
    if (file !== undefined && line.trim() !== '' && !/^\s*(?:#|::|rem\b)/i.test(line)) {
      writes.push(lineWrite(script, file, line, { start, end }, expressions));
    }
    start = end + 1;
  }
  return writes;
}

function lineWrite(
  script: Text,
  file: CommandFile,
  line: string,
  range: Span,
  expressions: readonly Expression[],
): CommandFileWrite {
  const variables = [...line.matchAll(/\$\{?env:(\w+)|%(\w+)%|environ(?:\.get\(|\[)['"](\w+)|getenv\(['"](\w+)/gi)]
    .map(([, ...names]) => names.find((name) => name !== undefined) as string)
    .filter((name) => !FILE_NAME.test(name.toUpperCase()));
  const from = range.start + line.length - line.trimStart().length;
  const to = range.start + line.trimEnd().length;
  const span = { start: offsetInScalar(script.node, from), end: offsetInScalar(script.node, to - 1) + 1 };
  const inside = expressions.filter((expression) => expression.range.start >= from && expression.range.end <= to);
  return {
    file,
    span,
    words: [{ text: line, value: line, variables, expressions: inside, span }],
    pipeline: [],
    randomDelimiter: /<<[\w-]*[${%]/.test(line),
  };
}
