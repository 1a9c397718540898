import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import type { Step, Text } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { payloadPathsIn, valuesIn, withValues } from '#lib/workflow/shell/line-values.ts';
import { commandsOf, type ShellCommand, type ShellWord, shellOf } from '#lib/workflow/shell/shell.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { offsetInScalar } from '#lib/workflow/yaml/parse.ts';
import { memoByNode, memoInRepository } from '../memo.ts';
import { sourcesOfWord } from '../values/value-sources.ts';
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
      return shellEvaluations(step, repository);
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

const MENTION = /\b(?:eval|make|ssh|su)\b|(?<![.\w-])(?:(?:ba|z|da|a)?sh|node|perl|python3?|ruby)\b|\.sh\b/;
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
  return evaluatedWords(step).flatMap(({ by, span, words, step: at }) => {
    const taints = words.flatMap((word) => taintsOfWord(word, at, repository));
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
    return replaced ? { ...started, words: [...started.words, ...printedBefore(command)] } : started;
  }
  return program === 'ssh' ? remoteCode(command) : undefined;
}

function callOf(program: string, args: readonly ShellWord[], command: ShellCommand): Code | undefined {
  const option = CODE_OPTION[program];
  if (option === undefined) return undefined;
  const code = codeAfter(program, args, option);
  if (code !== undefined) return code;
  if (!SHELLS.has(program) || !args.every(({ value }) => /^-(?:s|[eux]+)?$/.test(value))) return undefined;
  const words = [...expandedBodies(command), ...printedBefore(command)];
  return words.length === 0 ? undefined : { by: program, words };
}

function codeAfter(program: string, args: readonly ShellWord[], option: RegExp): Code | undefined {
  const at = args.findIndex(({ value }) => option.test(value));
  const code = args[at + 1];
  return at === -1 || code === undefined ? undefined : { by: `${program} ${args[at]?.value ?? ''}`, words: [code] };
}

function expandedBodies({ redirects }: ShellCommand): ShellWord[] {
  return redirects.flatMap(({ body, quoted }) => (quoted ? [] : (body ?? [])));
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
const MAX_WRITTEN = 500;

interface Written {
  readonly step: Step;
  readonly command: ShellCommand;
}

const writtenIn = memoByNode(({ steps }: Step['parent']): ReadonlyMap<string, readonly Written[]> => {
  const written = new Map<string, Written[]>();
  let left = MAX_WRITTEN;
  for (const step of steps) {
    if (!/[>|]|\btee\b/.test(step.run?.value ?? '')) continue;
    for (const command of commandsOf(step)) {
      const targets = [
        ...command.redirects.flatMap(({ operator, target }) => (operator.startsWith('>') ? (target ?? []) : [])),
        ...(command.program === 'tee' ? command.args : []),
      ];
      for (const { value } of targets) {
        if (left === 0) return written;
        left -= 1;
        const path = plainPath(value);
        const known = written.get(path);
        if (known === undefined) written.set(path, [{ step, command }]);
        else known.push({ step, command });
      }
    }
  }
  return written;
});

function writtenCode(command: ShellCommand, step: Step): (Code & { readonly step: Step })[] {
  const { program, args, words, span } = command;
  const called = words[words.length - args.length - 1]?.value ?? '';
  const operand = args.find(({ value }) => !value.startsWith('-'))?.value;
  const file = SHELLS.has(program) || program === 'source' || program === '.' ? operand : called;
  if (file === undefined || !/[./]/.test(file)) return [];
  const earlier = (writtenIn(step.parent).get(plainPath(file)) ?? []).filter(
    (each) => each.step.index < step.index || (each.step === step && each.command.span.start < span.start),
  );
  return earlier.slice(0, MAX_CODES).flatMap(({ step: at, command: writer }) => {
    const code = writtenBy(writer);
    return code.length === 0 ? [] : [{ by: file, words: code, step: at }];
  });
}

const MAX_CODES = 20;

function writtenBy(writer: ShellCommand): readonly ShellWord[] {
  const { program, args, span } = writer;
  if (!WRITES.has(program)) return [{ text: '', value: '', literal: true, variables: [], expressions: [], span }];
  return [
    ...(program === 'echo' || program === 'printf' ? args : []),
    ...expandedBodies(writer),
    ...(program === 'tee' ? printedBefore(writer) : []),
  ];
}

function plainPath(path: string): string {
  return path.replace(/^(?:\.\/)+/, '');
}

export function taintsOfWord(word: ShellWord, step: Step, repository: Repository): Taint[] {
  if (word.text === '') return [];
  return sourcesOfWord(word, step).flatMap((source): readonly Taint[] => {
    if (source.kind === 'expression' || (source.kind === 'variable' && isListed(source.name, step))) return [];
    return taintsOfSource(source, step, repository);
  });
}

function isListed(name: string, step: Step): boolean {
  const script = step.run?.value ?? '';
  return script.includes('case') && /^\w+$/.test(name) && new RegExp(`\\bcase\\s+["']?\\$\\{?${name}\\b`).test(script);
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

/**
 * Checks other languages line by line, since they are not parsed: a line has to call an evaluator and read a variable.
 */
function lineEvaluations(script: Text, profile: LineProfile, step: Step, repository: Repository): EvalSink[] {
  if (!profile.call.test(script.value)) return [];
  const found: EvalSink[] = [];
  const values = valuesIn(script.value);
  let start = 0;
  for (const line of script.value.split('\n')) {
    const by = line.length > MAX_LINE ? undefined : profile.call.exec(line)?.[0];
    if (by !== undefined) {
      const text = profile === BATCH || profile === POWERSHELL ? line : withValues(line, values);
      const names = [...text.matchAll(profile.variable)].map(([, first, second]) => first ?? second ?? '');
      const paths = profile === JAVASCRIPT ? payloadPathsIn(text) : [];
      const taints = [
        ...names.flatMap((name) => taintsOfVariable(name, step, repository)),
        ...paths.flatMap((path) => taintsOfPath(path, step, repository)),
      ];
      const from = start + line.length - line.trimStart().length;
      const to = start + line.trimEnd().length;
      const span = { start: offsetInScalar(script.node, from), end: offsetInScalar(script.node, to - 1) + 1 };
      if (taints.length > 0) found.push({ by: profile === BATCH ? 'cmd' : by.replace(/\($/, ''), span, taints });
    }
    start += line.length + 1;
  }
  return found;
}
