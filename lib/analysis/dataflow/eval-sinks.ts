import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import type { Step, Text } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { payloadPathsIn, valuesIn, withValues } from '#lib/workflow/shell/line-values.ts';
import { commandsOf, type ShellCommand, type ShellWord, shellOf } from '#lib/workflow/shell/shell.ts';
import { ownValue } from '#lib/workflow/text/own-value.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { offsetInScalar } from '#lib/workflow/yaml/parse.ts';
import { memoByNode, memoInRepository } from '../memo.ts';
import { expandedBodies, type ScriptSource, sourcesOfOutput, sourcesOfWord } from '../values/value-sources.ts';
import { writesTo } from '../values/written-files.ts';
import { taintsOfPath, taintsOfSource, taintsOfVariable } from './taint.ts';
import type { Taint } from './taint-order.ts';

export interface EvalSink {
  readonly by: string;
  readonly span: Span;
  readonly taints: readonly Taint[];
}

/** Returns where a step runs a variable's value as code. Expressions inside the script are script sinks instead. */
export const evalSinksOf = memoInRepository(findEvaluations);

function findEvaluations(step: Step, repository: Repository): readonly EvalSink[] {
  const script = actionOf(step)?.slug === 'actions/github-script' ? inputOf(step, 'script') : undefined;
  if (script !== undefined) return lineEvaluations(script, JAVASCRIPT, step, repository);
  if (step.run === undefined) return [];
  switch (shellOf(step)) {
    case 'posix':
      return [...shellEvaluations(step, repository), ...embeddedEvaluations(step, repository)];
    case 'powershell':
      return lineEvaluations(step.run, POWERSHELL, step, repository);
    case 'python':
      return lineEvaluations(step.run, PYTHON, step, repository);
    case 'cmd':
      return lineEvaluations(step.run, BATCH, step, repository);
    case 'unknown':
      return [];
  }
}

const MENTION =
  /\b(?:eval|make|source|ssh|su)\b|(?:^|[\s;&|])\.\s|(?<![.\w-])(?:(?:ba|z|da|a)?sh|node|perl|python3?|ruby)\b|\.sh\b/;
const SHELLS: ReadonlySet<string> = new Set(['bash', 'sh', 'zsh', 'dash', 'ash']);
const CODE_OPTION: Readonly<Record<string, RegExp>> = {
  bash: /^-[a-z]*c$/,
  sh: /^-[a-z]*c$/,
  zsh: /^-[a-z]*c$/,
  dash: /^-[a-z]*c$/,
  node: /^(?:-e|-p|--eval|--print)$/,
  perl: /^-[a-z]*e$/i,
  python: /^-c$/,
  python3: /^-c$/,
  ruby: /^-e$/,
};

function shellEvaluations(step: Step, repository: Repository): EvalSink[] {
  return evaluatedWords(step).flatMap(({ by, span, words, output = [], step: at }) => {
    const taints = [
      ...words.flatMap((word) => taintsOfWord(word, at, repository)),
      ...taintsOfSources(sourcesOfOutput(output, at), at, repository),
    ];
    return taints.length === 0 ? [] : [{ by, span, taints }];
  });
}

interface EvaluatedCode extends Code {
  readonly span: Span;
  readonly step: Step;
}

export const evaluatedWords = memoByNode((step: Step): readonly EvaluatedCode[] => {
  if (step.run === undefined || !MENTION.test(step.run.value)) return [];
  return commandsOf(step).flatMap((command) => {
    const own = codeOf(command);
    const codes = own === undefined ? writtenCode(command, step) : [{ ...own, step }];
    return codes.map((code) => ({ ...code, span: command.span }));
  });
});

interface Code {
  readonly by: string;
  readonly words: readonly ShellWord[];
  readonly output?: readonly ShellCommand[];
}

const STARTERS: ReadonlySet<string> = new Set(
  'chroot docker find flock kubectl nsenter parallel podman runuser ssh su timeout unshare watch xargs'.split(' '),
);

function codeOf(command: ShellCommand): Code | undefined {
  const { program, args } = command;
  if (program === 'eval') return { by: 'eval', words: args };
  const called = callOf(program, args, command);
  if (called !== undefined) return called;
  if (program === 'make') {
    // Make expands `$(shell …)` in the value of a variable.
    const values = args.filter(({ value }) => /^\w+=/.test(value));
    return values.length === 0 ? undefined : { by: 'make', words: values };
  }
  if (program === 'su') return codeAfter(program, args, /^-c$|^--command$/);
  if (!STARTERS.has(program)) return undefined;
  const at = args.findIndex(({ value }) => CODE_OPTION[value.split('/').at(-1) ?? ''] !== undefined);
  const inner = args[at]?.value.split('/').at(-1);
  const started = inner === undefined ? undefined : callOf(inner, args.slice(at + 1), command);
  if (started !== undefined) {
    const replaced = program === 'xargs' && started.words.some(({ value }) => /\{\}|%|\$[0-9@]/.test(value));
    return replaced ? { ...started, ...readFrom(command, started.words) } : started;
  }
  return program === 'ssh' ? remoteCode(command) : undefined;
}

function callOf(program: string, args: readonly ShellWord[], command: ShellCommand): Code | undefined {
  const option = ownValue(CODE_OPTION, program);
  if (option === undefined) return undefined;
  const code = codeAfter(program, args, option);
  if (code !== undefined) return code;
  if (!SHELLS.has(program) || !args.every(({ value }) => /^-(?:s|[eux]+)?$/.test(value))) return undefined;
  const read = readFrom(command, expandedBodies(command));
  return read.words.length === 0 && read.output.length === 0 ? undefined : { by: program, ...read };
}

function readFrom(command: ShellCommand, words: readonly ShellWord[]): Required<Omit<Code, 'by'>> {
  const before = command.pipeline.slice(0, command.pipeline.indexOf(command));
  const printed = printedBefore(command);
  return { words: [...words, ...printed], output: printed.length > 0 ? [] : before };
}

function codeAfter(program: string, args: readonly ShellWord[], option: RegExp): Code | undefined {
  const at = args.findIndex(({ value }) => option.test(value));
  const code = args[at + 1];
  return at === -1 || code === undefined ? undefined : { by: `${program} ${args[at]?.value ?? ''}`, words: [code] };
}

function printedBefore(command: ShellCommand): readonly ShellWord[] {
  const before = command.pipeline[command.pipeline.indexOf(command) - 1];
  return before?.program === 'echo' || before?.program === 'printf' ? before.args : [];
}

const SSH_VALUED = /^-[bcDEeFIiJLlmOopQRSWw]$/;

function remoteCode(command: ShellCommand): Code | undefined {
  const { args } = command;
  const host = args.findIndex(({ value }, index) => {
    return !value.startsWith('-') && !SSH_VALUED.test(args[index - 1]?.value ?? '');
  });
  const words = host === -1 ? [] : args.slice(host + 1);
  const code = words.length > 0 ? words : expandedBodies(command);
  return code.length === 0 ? undefined : { by: 'ssh', words: code };
}

const WRITES: ReadonlySet<string> = new Set(['cat', 'echo', 'printf', 'tee']);

function writtenCode(command: ShellCommand, step: Step): (Code & { readonly step: Step })[] {
  const { program, args, words, span } = command;
  const called = words[words.length - args.length - 1]?.value ?? '';
  const operand = args.find(({ value }) => !value.startsWith('-'))?.value;
  const file = SHELLS.has(program) || program === 'source' || program === '.' ? operand : called;
  if (file === undefined || !/[./]/.test(file)) return [];
  const earlier = writesTo(file, step).filter((each) => each.step !== step || each.command.span.start < span.start);
  return earlier.flatMap(({ step: at, command: writer }) => {
    const { words, output } = writtenBy(writer);
    return words.length === 0 && output.length === 0 ? [] : [{ by: file, words, output, step: at }];
  });
}

function writtenBy(writer: ShellCommand): Required<Omit<Code, 'by'>> {
  const { program, args, span } = writer;
  const output = writer.pipeline.slice(0, writer.pipeline.indexOf(writer) + 1);
  if (!WRITES.has(program)) {
    return { words: [{ text: '', value: '', literal: true, variables: [], expressions: [], span }], output };
  }
  const words = [
    ...(program === 'echo' || program === 'printf' ? args : []),
    ...expandedBodies(writer),
    ...(program === 'tee' ? printedBefore(writer) : []),
  ];
  return { words, output: words.length > 0 ? [] : output };
}

export function taintsOfWord(word: ShellWord, step: Step, repository: Repository): Taint[] {
  return word.text === '' ? [] : taintsOfSources(sourcesOfWord(word, step), step, repository);
}

function taintsOfSources(sources: readonly ScriptSource[], step: Step, repository: Repository): Taint[] {
  return sources.flatMap((source): readonly Taint[] => {
    const at = source.writtenIn ?? step;
    if (source.kind === 'expression') return [];
    return taintsOfSource(source, at, repository);
  });
}

const MAX_LINE = 2_000;

interface LineProfile {
  readonly call: RegExp;
  readonly variable: RegExp;
}

const POWERSHELL: LineProfile = {
  call: /\b(?:iex|invoke-expression)\b|\[scriptblock\]::create\(/i,
  variable: /\$\{?env:(\w+)/gi,
};
const PYTHON: LineProfile = {
  call: /\bos\.(?:system|popen)\(|\bshell\s*=\s*True\b|(?<![.\w])(?:eval|exec)\(/,
  variable: /environ(?:\.get\(|\[)\s*['"](\w+)|getenv\(\s*['"](\w+)/g,
};
const BATCH: LineProfile = { call: /%\w+%/, variable: /%(\w+)%/g };
const JAVASCRIPT: LineProfile = {
  call: /(?<![.\w])(?:eval|execSync)\(|\bshell:\s?(?:true\b|['"`])|\bnew\s+Function\(|child_process['")]*\.exec(?:Sync)?\(|\bexec\.(?:exec|getExecOutput)(?=\(\s{0,5}['"`](?:ba|z)?sh\b)/,
  variable: /process\.env\.(\w+)|process\.env\[['"](\w+)/g,
};

const PROFILES: Readonly<Record<string, LineProfile>> = { node: JAVASCRIPT, python: PYTHON, python3: PYTHON };
const EMBEDS = /\b(?:node|python3?)\b/;

function embeddedEvaluations(step: Step, repository: Repository): EvalSink[] {
  if (!EMBEDS.test(step.run?.value ?? '')) return [];
  return commandsOf(step).flatMap(({ program, args, redirects, span }) => {
    const profile = ownValue(PROFILES, program);
    if (profile === undefined) return [];
    const option = codeAfter(program, args, CODE_OPTION[program] as RegExp);
    const texts = [...(option?.words ?? []), ...redirects.flatMap(({ body, quoted }) => (quoted ? (body ?? []) : []))];
    return texts.flatMap(({ value }) =>
      evaluatingLines(value, profile, step, repository).map(({ by, taints }) => ({ by, span, taints })),
    );
  });
}

/** Other languages are not parsed: a line has to call an evaluator and read a variable. */
function lineEvaluations(script: Text, profile: LineProfile, step: Step, repository: Repository): EvalSink[] {
  return evaluatingLines(script.value, profile, step, repository).map(({ by, start, end, taints }) => ({
    by,
    span: { start: offsetInScalar(script.node, start), end: offsetInScalar(script.node, end - 1) + 1 },
    taints,
  }));
}

interface EvaluatingLine extends Span {
  readonly by: string;
  readonly taints: readonly Taint[];
}

function evaluatingLines(text: string, profile: LineProfile, step: Step, repository: Repository): EvaluatingLine[] {
  if (!profile.call.test(text)) return [];
  const found: EvaluatingLine[] = [];
  const values = valuesIn(text);
  let start = 0;
  for (const line of text.split('\n')) {
    const by = line.length > MAX_LINE ? undefined : profile.call.exec(line)?.[0];
    if (by !== undefined) {
      const read = profile === BATCH || profile === POWERSHELL ? line : withValues(line, values);
      const names = [...read.matchAll(profile.variable)].map(([, first, second]) => first ?? second ?? '');
      const paths = profile === JAVASCRIPT || profile === PYTHON ? payloadPathsIn(read) : [];
      const taints = [
        ...names.flatMap((name) => taintsOfVariable(name, step, repository)),
        ...paths.flatMap((path) => taintsOfPath(path, step, repository)),
      ];
      const from = start + line.length - line.trimStart().length;
      const to = start + line.trimEnd().length;
      const name = profile === BATCH ? 'cmd' : by.replace(/\($/, '').replace(/^child_process\W+/, '');
      if (taints.length > 0) found.push({ by: name, start: from, end: to, taints });
    }
    start += line.length + 1;
  }
  return found;
}
