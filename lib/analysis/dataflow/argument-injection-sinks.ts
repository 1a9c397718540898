import type { Step } from '#lib/workflow/model/model.ts';
import { commandsOf, type ShellCommand, type ShellWord } from '#lib/workflow/shell/shell.ts';
import { ownValue } from '#lib/workflow/text/own-value.ts';

export interface ArgumentInjectionSink {
  readonly command: ShellCommand;
  readonly word: ShellWord;
  /** `option`: it may start with a dash. `program`: the tool runs it. `request`: it names the host of a request. */
  readonly risk: 'option' | 'program' | 'request';
  readonly runs: boolean;
}

const FILLED_IN = /\$(?!\{\{)/;

const MENTION = /\b(?:git|curl|wget|tar|rsync|ssh|scp|find|npm|npx|pnpm|yarn|pip3?|docker|make|sed|awk|gawk|jq)\b/;

const MAX_COMMANDS = 200;

const OPTION_TOOLS: Readonly<Record<string, { readonly runs: boolean; readonly verbs?: RegExp }>> = {
  curl: { runs: false },
  docker: { runs: true, verbs: /^(?:run|create|build|exec)$/ },
  find: { runs: true },
  git: {
    runs: true,
    verbs:
      /^(?:archive|blame|checkout|cherry-pick|clone|diff|fetch|format-patch|grep|log|ls-remote|merge|pull|push|rebase|reset|rev-list|show|switch)$/,
  },
  make: { runs: true },
  npm: { runs: true, verbs: /^(?:ci|exec|i|install|run|x)$/ },
  npx: { runs: true },
  pip: { runs: true, verbs: /^install$/ },
  pip3: { runs: true, verbs: /^install$/ },
  pnpm: { runs: true, verbs: /^(?:add|dlx|exec|install|run)$/ },
  rsync: { runs: true },
  scp: { runs: true },
  ssh: { runs: true },
  tar: { runs: true },
  wget: { runs: false },
  yarn: { runs: true, verbs: /^(?:add|dlx|install|run)$/ },
};

const PROGRAM_TOOLS: Readonly<Record<string, { readonly runs: boolean; readonly valued: RegExp }>> = {
  awk: { runs: true, valued: /^-[vF]$/ },
  gawk: { runs: true, valued: /^-[vF]$/ },
  jq: { runs: false, valued: /^--(?:arg|argjson|slurpfile|rawfile)$/ },
  sed: { runs: true, valued: /^-[fl]$/ },
};

export function argumentInjectionSinks(step: Step): ArgumentInjectionSink[] {
  const script = step.run?.value ?? '';
  if (!FILLED_IN.test(script) || !MENTION.test(script)) return [];
  return commandsOf(step)
    .slice(0, MAX_COMMANDS)
    .flatMap((command) => {
      const known = Object.hasOwn(OPTION_TOOLS, command.program) || Object.hasOwn(PROGRAM_TOOLS, command.program);
      if (!known || command.args.every(({ variables }) => variables.length === 0)) return [];
      return [...programWords(command), ...requestWords(command), ...optionWords(command)];
    });
}

function* programWords(command: ShellCommand): Generator<ArgumentInjectionSink> {
  const tool = ownValue(PROGRAM_TOOLS, command.program);
  if (tool === undefined) return;
  const values = command.args.map(({ value }) => value);
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] as string;
    if (tool.valued.test(value)) at += value.startsWith('--') ? 2 : 1;
    else if (value === '-e' || value === '--expression' || value === '--') continue;
    else if (!value.startsWith('-')) {
      const word = command.args[at] as ShellWord;
      if (word.variables.length > 0) yield { command, word, risk: 'program', runs: tool.runs };
      return;
    }
  }
}

function* requestWords(command: ShellCommand): Generator<ArgumentInjectionSink> {
  if (command.program !== 'curl' && command.program !== 'wget') return;
  for (const [index, word] of command.args.entries()) {
    if (word.variables.length === 0 || isOptionValue(command, index)) continue;
    const host = /^https?:\/\/[^/]*[$]/i.test(word.value) || /^\$\{?\w+\}?$/.test(word.value);
    if (host) yield { command, word, risk: 'request', runs: false };
  }
}

function* optionWords(command: ShellCommand): Generator<ArgumentInjectionSink> {
  const tool = ownValue(OPTION_TOOLS, command.program);
  if (tool === undefined) return;
  const verbAt = command.args.findIndex(({ value }) => !value.startsWith('-'));
  const verb = command.args[verbAt];
  if (tool.verbs !== undefined && (verb === undefined || !tool.verbs.test(verb.value))) return;
  const end = command.args.findIndex(({ value }) => value === '--');
  const from = tool.verbs === undefined ? 0 : verbAt + 1;
  for (const [index, word] of command.args.entries()) {
    if (index < from || (end !== -1 && index > end) || word.variables.length === 0) continue;
    const bare = isBare(word);
    const leads = word.value.startsWith('$') && !isOptionValue(command, index);
    if (bare || leads) yield { command, word, risk: 'option', runs: tool.runs };
  }
}

const STANDS_ALONE =
  /^--(?:all|bare|compressed|exit-code|fail|force|hard|include|location|mixed|name-only|name-status|no-[\w-]+|oneline|prune|quiet|rebase|recursive|show-error|silent|soft|stat|tags|verbose)$|^-[LSakqsuvxz]+$|=/;

function isOptionValue({ args }: ShellCommand, index: number): boolean {
  const before = args[index - 1]?.value ?? '';
  return before.startsWith('-') && before !== '--' && !STANDS_ALONE.test(before);
}

function isBare({ text, variables }: ShellWord): boolean {
  return !/["'`(]/.test(text) && variables.length > 0;
}
