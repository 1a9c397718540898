import type { Step } from '#lib/workflow/model/model.ts';
import { ScriptIndex } from '#lib/workflow/shell/assignments.ts';
import { commandsOf, type ShellCommand, type ShellWord } from '#lib/workflow/shell/shell.ts';
import type { Span } from '#lib/workflow/text/source.ts';

export interface EvaluatedAnswer {
  readonly by: string;
  readonly span: Span;
  readonly asked: ShellCommand;
  readonly through: ShellCommand | undefined;
}

const MENTIONS = /\beval\b|<<<|\b(?:ba|z|da|k)?sh\b|\bsource\b/;
const SHELLS: ReadonlySet<string> = new Set(['bash', 'sh', 'zsh', 'dash', 'ksh']);
const MAX_ANSWERS = 20;
const MAX_DEPTH = 4;

export function evaluatedAnswers(step: Step): EvaluatedAnswer[] {
  const script = step.run?.value ?? '';
  if (!/\b(?:curl|wget)\b/.test(script) || !MENTIONS.test(script)) return [];
  const functions = fetchingFunctions(step);
  const found: EvaluatedAnswer[] = [];
  for (const command of commandsOf(step)) {
    for (const word of codeIn(command)) {
      const name = wholeVariable(word);
      const asked = name === undefined ? undefined : answerIn(name, step, functions, 0);
      if (asked === undefined) continue;
      const by = command.program === '.' ? 'source' : command.program;
      found.push({ by, span: command.span, asked, through: functions.get(asked.program) });
      if (found.length >= MAX_ANSWERS) return found;
    }
  }
  return found;
}

function codeIn(command: ShellCommand): readonly ShellWord[] {
  const { program, args, redirects, pipeline } = command;
  if (program === 'eval') return args;
  const shell = SHELLS.has(program);
  if (!shell && program !== 'source' && program !== '.') return [];
  const at = shell ? args.findIndex(({ value }) => /^-[a-z]*c$/.test(value)) : -1;
  const given = at === -1 ? undefined : args[at + 1];
  if (given !== undefined) return [given];
  const readsInput = shell ? args.every(({ value }) => value.startsWith('-')) : args[0]?.value === '/dev/stdin';
  if (!readsInput) return [];
  const before = pipeline[pipeline.indexOf(command) - 1];
  const printed = before?.program === 'echo' || before?.program === 'printf' ? before.args : [];
  return [...redirects.flatMap(({ body }) => body ?? []), ...printed];
}

function wholeVariable({ text, variables }: ShellWord): string | undefined {
  const [name, ...others] = variables;
  if (name === undefined || others.length > 0) return undefined;
  const bare = text
    .trim()
    .replace(/^(["'])(.*)\1$/s, '$2')
    .trim();
  return bare === `$${name}` || bare === `\${${name}}` ? name : undefined;
}

function answerIn(
  name: string,
  step: Step,
  functions: ReadonlyMap<string, ShellCommand>,
  depth: number,
): ShellCommand | undefined {
  const script = ScriptIndex.of(step);
  for (const value of script.assignmentsOf(name)) {
    for (const command of script.substitutionsIn(value.span)) {
      if (command.program === 'curl' || command.program === 'wget') return command;
      if (functions.has(command.program)) return command;
    }
    const other = depth < MAX_DEPTH ? wholeVariable(value) : undefined;
    const found = other === undefined || other === name ? undefined : answerIn(other, step, functions, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

const FUNCTION =
  /(?:^|[\n;])[ \t]{0,40}(?:function[ \t]+)?([a-zA-Z_]\w{0,60})[ \t]{0,10}\(\)[ \t\n]{0,40}\{([^}]{0,1000})\}/g;

export function fetchingFunctions(step: Step): ReadonlyMap<string, ShellCommand> {
  const found = new Map<string, ShellCommand>();
  if (!/\(\)|\bfunction\b/.test(step.run?.value ?? '')) return found;
  const fetches = commandsOf(step).filter(({ program }) => program === 'curl' || program === 'wget');
  for (const [, name = '', body = ''] of (step.run?.value ?? '').matchAll(FUNCTION)) {
    const fetch = fetches.find(({ text }) => body.includes(text.trim()));
    if (fetch !== undefined) found.set(name, fetch);
  }
  return found;
}
