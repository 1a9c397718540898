import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import type { Step, Text } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { commandsOf, type ShellCommand, type ShellWord, shellOf } from '#lib/workflow/shell/shell.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { offsetInScalar } from '#lib/workflow/yaml/parse.ts';
import { RepositoryMemo } from '../memo.ts';
import { sourcesOfWord } from '../values/value-sources.ts';
import { taintsOfPath, taintsOfSource, taintsOfVariable } from './taint.ts';
import type { Taint } from './taint-order.ts';

export interface EvalSink {
  readonly by: string;
  readonly span: Span;
  readonly taints: readonly Taint[];
}

const evaluationsByStep = new RepositoryMemo<Step, Step, readonly EvalSink[]>();

/** Returns where a step runs a variable's value as code. Expressions inside the script are script sinks instead. */
export function evalSinksOf(step: Step, repository: Repository): readonly EvalSink[] {
  return evaluationsByStep.get(repository, step, step, () => findEvaluations(step, repository));
}

function findEvaluations(step: Step, repository: Repository): EvalSink[] {
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
    case 'unknown':
      return [];
  }
}

const MENTION = /\beval\b|(?<![.\w-])(?:(?:ba|z|da|a)?sh|node|perl|python3?|ruby)\b/;
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
  return evaluatedWords(step).flatMap(({ by, span, words }) => {
    const taints = words.flatMap((word) => taintsOfWord(word, step, repository));
    return taints.length === 0 ? [] : [{ by, span, taints }];
  });
}

export function evaluatedWords(
  step: Step,
): { readonly by: string; readonly span: Span; readonly words: readonly ShellWord[] }[] {
  if (!MENTION.test(step.run?.value ?? '')) return [];
  return commandsOf(step).flatMap((command) => {
    const code = codeOf(command);
    return code === undefined ? [] : [{ ...code, span: command.span }];
  });
}

function codeOf(command: ShellCommand): { readonly by: string; readonly words: readonly ShellWord[] } | undefined {
  const { program, args, pipeline } = command;
  if (program === 'eval') return { by: 'eval', words: args };
  const option = CODE_OPTION[program];
  const at = option === undefined ? -1 : args.findIndex(({ value }) => option.test(value));
  const code = args[at + 1];
  if (at !== -1 && code !== undefined) return { by: `${program} ${args[at]?.value ?? ''}`, words: [code] };
  const before = pipeline[pipeline.indexOf(command) - 1];
  const reads = SHELLS.has(program) && args.every(({ value }) => /^-(?:s|[eux]+)?$/.test(value));
  if (reads && before !== undefined && (before.program === 'echo' || before.program === 'printf')) {
    return { by: program, words: before.args };
  }
  return undefined;
}

export function taintsOfWord(word: ShellWord, step: Step, repository: Repository): Taint[] {
  return sourcesOfWord(word, step).flatMap((source): readonly Taint[] => {
    if (source.kind === 'expression' || (source.kind === 'variable' && isListed(source.name, step))) return [];
    return taintsOfSource(source, step, repository);
  });
}

function isListed(name: string, step: Step): boolean {
  return /^\w+$/.test(name) && new RegExp(`\\bcase\\s+["']?\\$\\{?${name}\\b`).test(step.run?.value ?? '');
}

const MAX_LINE = 2_000;

interface LineProfile {
  readonly call: RegExp;
  readonly variable: RegExp;
}

const POWERSHELL: LineProfile = {
  call: /\b(?:iex|invoke-expression)\b/i,
  variable: /\$\{?env:(\w+)/gi,
};
const PYTHON: LineProfile = {
  call: /\bos\.(?:system|popen)\(|\bshell\s*=\s*True\b|(?<![.\w])(?:eval|exec)\(/,
  variable: /environ(?:\.get\(|\[)\s*['"](\w+)|getenv\(\s*['"](\w+)/g,
};
const JAVASCRIPT: LineProfile = {
  call: /(?<![.\w])(?:eval|execSync)\(|\bnew\s+Function\(|child_process['")]*\.exec(?:Sync)?\(/,
  variable: /process\.env\.(\w+)|process\.env\[['"](\w+)/g,
};
const PAYLOAD = /\bcontext\.payload((?:\??\.\w+)+)/g;

/**
 * Checks other languages line by line, since they are not parsed: a line has to call an evaluator and read a variable.
 */
function lineEvaluations(script: Text, profile: LineProfile, step: Step, repository: Repository): EvalSink[] {
  if (!profile.call.test(script.value)) return [];
  const found: EvalSink[] = [];
  let start = 0;
  for (const line of script.value.split('\n')) {
    const by = line.length > MAX_LINE ? undefined : profile.call.exec(line)?.[0];
    if (by !== undefined) {
      const names = [...line.matchAll(profile.variable)].map(([, first, second]) => first ?? second ?? '');
      const paths = profile === JAVASCRIPT ? [...line.matchAll(PAYLOAD)].map(([, path = '']) => path) : [];
      const taints = [
        ...names.flatMap((name) => taintsOfVariable(name, step, repository)),
        ...paths.flatMap((path) =>
          taintsOfPath(
            ['github', 'event', ...path.toLowerCase().replaceAll('?', '').slice(1).split('.')],
            step,
            repository,
          ),
        ),
      ];
      const from = start + line.length - line.trimStart().length;
      const to = start + line.trimEnd().length;
      const span = { start: offsetInScalar(script.node, from), end: offsetInScalar(script.node, to - 1) + 1 };
      if (taints.length > 0) found.push({ by: by.replace(/\($/, ''), span, taints });
    }
    start += line.length + 1;
  }
  return found;
}
