import type { WrittenWord } from '#lib/workflow/shell/command-files.ts';
import type { ShellCommand, ShellWord } from '#lib/workflow/shell/shell.ts';

/**
 * Returns the arguments that choose what a filter prints without being printed: the pattern of `grep`, and a value that
 * the program of `jq` or `awk` only compares or looks up.
 */
export function selectingArguments({ program, args }: ShellCommand): ReadonlySet<WrittenWord> {
  return new Set(SELECTING.get(program)?.(args).filter(isOneWord));
}

const SELECTING: ReadonlyMap<string, (args: readonly ShellWord[]) => ShellWord[]> = new Map([
  ['awk', comparedVariables],
  ['egrep', patternsOf],
  ['grep', patternsOf],
  ['jq', comparedArguments],
]);

const PROGRAM_IN_FILE = /^(?:-[a-zA-Z]*f|--(?:from-)?file(?:=|$))/;

function isOneWord({ text, expressions }: ShellWord): boolean {
  return expressions.length === 0 && /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^"'$`\\])*$/s.test(text);
}

const GREP_TAKES_VALUE = /^(?:-[a-zA-Z]*[ABCDdfm]|--(?:after-context|before-context|context|max-count|file|label))$/;

const GIVES_PATTERN = /^(?:-[a-zA-Z]*e.|-[a-zA-Z]*f|--file)/;

export function patternsOf(args: readonly ShellWord[]): ShellWord[] {
  if (args.some(({ value }) => GIVES_PATTERN.test(value))) return [];
  const before = (index: number): string => args[index - 1]?.value ?? '';
  const named = args.filter(
    ({ value }, index) => /^(?:-[a-zA-Z]*e|--regexp)$/.test(before(index)) || value.startsWith('--regexp='),
  );
  if (named.length > 0) return named;
  const first = args.find(
    ({ value }, index) => before(index) === '--' || !(value.startsWith('-') || GREP_TAKES_VALUE.test(before(index))),
  );
  return first === undefined ? [] : [first];
}

const NAME = /^\w{1,60}$/;

const COMPARED =
  /[=!]=\s{0,9}\$\w{1,60}\b|\$\w{1,60}\b(?=\s{0,9}[=!]=)|[\w.\])"]\[\s{0,9}\$\w{1,60}\s{0,9}\]|\b(?:contains|endswith|has|index|startswith|test)\(\s{0,9}\$\w{1,60}\s{0,9}\)/g;

function comparedArguments(args: readonly ShellWord[]): ShellWord[] {
  const texts = args.map(({ value }) => value);
  const isNamed = (index: number): boolean => /^--arg(?:json)?$/.test(texts[index - 2] ?? '');
  const filters = texts.filter((_, index) => !isNamed(index) && !isNamed(index + 1));
  if (filters.some((text) => /[^=!<>]=(?!=)|\$ARGS\b|\$__prog/.test(text) || PROGRAM_IN_FILE.test(text))) return [];
  const printed = new Set(filters.flatMap((text) => text.replace(COMPARED, '').match(/\$\w+/g) ?? []));
  return args.filter((_, index) => {
    const name = texts[index - 1] ?? '';
    return isNamed(index) && NAME.test(name) && !printed.has(`$${name}`);
  });
}

const COMPARED_IN_AWK = /(?:[=!]=|~)\s{0,9}\w{1,60}\b|\b\w{1,60}(?=\s{0,9}[=!]=)|\$\w{1,60}\b/g;

function comparedVariables(args: readonly ShellWord[]): ShellWord[] {
  const texts = args.map(({ value }) => value);
  if (texts.some((text) => PROGRAM_IN_FILE.test(text))) return [];
  const program = texts.find((text, index) => !text.startsWith('-') && !/^-[Fv]$/.test(texts[index - 1] ?? '')) ?? '';
  const printed = new Set(program.replace(COMPARED_IN_AWK, '').match(/\w+/g));
  return args.filter(({ value }, index) => {
    const name = value.slice(0, value.indexOf('='));
    return texts[index - 1] === '-v' && NAME.test(name) && !printed.has(name);
  });
}
