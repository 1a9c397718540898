import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import type { Step, Text } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { commandsOf, type ShellCommand, type ShellWord, shellOf } from '#lib/workflow/shell/shell.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { offsetInScalar } from '#lib/workflow/yaml/parse.ts';
import { RepositoryMemo } from '../memo.ts';
import { taintsOfPath, taintsOfSource, taintsOfVariable } from './taint.ts';
import type { Taint } from './taint-order.ts';

import { sourcesOfWord } from './value-sources.ts';

/** A command that runs a text as code, with what others may write into that text. */
export interface EvalSink {
  /** `eval`, `bash -c`: for a message. */
  readonly by: string;
  readonly span: Span;
  readonly taints: readonly Taint[];
}

const evaluationsByStep = new RepositoryMemo<Step, Step, readonly EvalSink[]>();

/**
 * Where a step runs the value of a variable as code. What an expression pastes into the script itself is left out: it
 * is code already.
 */
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

/** Reading a script costs far more than looking for the words. */
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

/** The words that commands of a shell script run as code. */
export function evaluatedWords(
  step: Step,
): { readonly by: string; readonly span: Span; readonly words: readonly ShellWord[] }[] {
  if (!MENTION.test(step.run?.value ?? '')) return [];
  return commandsOf(step).flatMap((command) => {
    const code = codeOf(command);
    return code === undefined ? [] : [{ ...code, span: command.span }];
  });
}

/** The words of a command that it runs as code. */
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

/** What others may write into a word of a script by variable or lookup; values that the script lists or checks are left out. */
export function taintsOfWord(word: ShellWord, step: Step, repository: Repository): Taint[] {
  return sourcesOfWord(word, step).flatMap((source): readonly Taint[] => {
    if (source.kind === 'expression' || (source.kind === 'variable' && isListed(source.name, step))) return [];
    return taintsOfSource(source, step, repository);
  });
}

/** `case "$NAME" in`: only the values that are written out go on, as far as can be told. */
function isListed(name: string, step: Step): boolean {
  return /^\w+$/.test(name) && new RegExp(`\\bcase\\s+["']?\\$\\{?${name}\\b`).test(step.run?.value ?? '');
}

const MAX_LINE = 2_000;

interface LineProfile {
  readonly call: RegExp;
  /** Reads of an environment variable, its name in a group. */
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

/** Other languages are not parsed: a line that calls an evaluator and reads a variable has to do. */
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
