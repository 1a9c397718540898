import type { ShellCommand } from '#lib/workflow/shell/shell.ts';
import { ownValue } from '#lib/workflow/text/own-value.ts';

/**
 * Tells what a pipeline leaves of a text: `clean` is only numbers, hashes or a few plain characters, `line` a single
 * line.
 */
export function flattens(pipeline: readonly ShellCommand[]): 'clean' | 'line' | undefined {
  let line = false;
  for (const command of pipeline) {
    const words = command.args.map(({ value }) => value);
    if (isClean(command, words)) return 'clean';
    line = makesOneLine(command, words) || (line && keepsOneLine(command.program, words));
  }
  return line ? 'line' : undefined;
}

const PLAIN_SET =
  /^(?:\[:(?:alnum|alpha|digit|lower|upper|xdigit):\]|\\[n/.-]|[a-z]-[a-z]|[A-Z]-[A-Z]|\d-\d|[\w.@+:,/ ]){1,60}-?$/;

function isClean({ program, text }: ShellCommand, words: readonly string[]): boolean {
  switch (program) {
    case 'wc':
    case 'md5sum':
    case 'cksum':
    case 'shasum':
    case 'test':
      return true;
    case 'grep':
    case 'egrep':
    case 'fgrep':
      if (words.some((word) => /^(?:-[a-zA-Z]*c|--count$)/.test(word))) return true;
      return program === 'grep' && words.some((word) => /^-\w*o/.test(word)) && isNarrow(words, text);
    case 'tr':
      return keepsOnly(words) && PLAIN_SET.test(words.at(-1) ?? '');
    case 'sed':
      return words.some((word) => STRIPS_OTHERS.test(word));
    case 'jq':
      return words.some((word) => COUNTS.test(word));
    default:
      return /^sha\d+sum$/.test(program);
  }
}

const STRIPS_OTHERS =
  /^s([/|#,])\[\^(?:\[:(?:alnum|alpha|digit|lower|upper|xdigit):\]|\\[n\\/.-]|[a-z]-[a-z]|[A-Z]-[A-Z]|\d-\d|[\w.@+:,/ ]){1,60}-?\](?:\*|\\?\+)?\1[\w-]{0,9}\1g$/;

const COUNTS = /^(?:.*\|)?\s*length\s*$/s;

function keepsOnly(words: readonly string[]): boolean {
  return words.some((word) => /^-\w*[cC]/.test(word)) && words.some((word) => /^-\w*d/.test(word));
}

function makesOneLine({ program, text }: ShellCommand, words: readonly string[]): boolean {
  switch (program) {
    case 'tr':
      return replacesLineBreaks(words);
    case 'paste':
      return words.some((word) => /^-\w*s/.test(word));
    case 'xargs':
      return words.every((word) => /^(?:-r|--no-run-if-empty|echo)$/.test(word));
    case 'base64':
      return /-w\s*0/.test(text);
    case 'jq':
      return printsJson(words);
    default:
      return printsOneLine(program, words);
  }
}

function replacesLineBreaks(words: readonly string[]): boolean {
  const sets = words.filter((word) => !/^-\w/.test(word));
  if (keepsOnly(words)) return !/\\n|\[:(?:space|cntrl):\]/.test(sets[0] ?? '');
  return /\\n|\[:(?:space|cntrl):\]/.test(sets[0] ?? '') && !(sets[1] ?? '').includes('\\n');
}

function printsJson(words: readonly string[]): boolean {
  if (!words.some((word) => /^(?:-\w*[rj]|--raw-output|--join-output)/.test(word))) return true;
  return words.some((word) => {
    const encoded = word.split(/@(?:json|base64|uri)\s{0,9}\)|\btojson\s{0,9}\)/).length - 1;
    const inserted = word.split('\\(').length - 1;
    return inserted > 0 ? encoded === inserted : /(?:@(?:json|base64|uri)|\btojson)\s{0,9}$/.test(word);
  });
}

const PRINTS_ONE_LINE: Readonly<Record<string, RegExp>> = {
  awk: /^(?:F?NR==\d{1,9}(?:\{(?:if\([^{};]{1,200}\))?print(?:\$\w{1,9})?;?(?:exit)?;?\})?|END\{print(?:\$\w{1,9})?;?\}|\/[^/]{1,200}\/\{print(?:\$\w{1,9})?;exit;?\})$/,
  sed: /^(?:\d{1,9}q;d|1q|(?:\d{1,9}|\$)!d)$/,
  'sed -n': /^(?:\d{1,9}|\$)(?:p(?:;\d{1,9}q)?|\{p;?q?;?\})$/,
};

function printsOneLine(program: string, words: readonly string[]): boolean {
  if (program === 'head' || program === 'tail') {
    const [, ...files] = /^(?:-q )?(?:-1|-n ?1|--lines[= ]1)((?: [^- ]\S{0,999})*)$/.exec(words.join(' ')) ?? [];
    return files[0] !== undefined && isOneFile(files[0].trim().split(' '));
  }
  if (/^[ef]?grep$/.test(program)) return findsOneLine(words);
  const quiet = words.some((word) => /^(?:-[Er]?n[Er]?|--quiet|--silent)$/.test(word));
  const lines = ownValue(PRINTS_ONE_LINE, program === 'sed' && quiet ? 'sed -n' : program);
  const [code = '', ...files] = operandsOf(program, words);
  const counted = program === 'awk' && !code.includes('FNR');
  if (lines === undefined || words.some((word) => UNUSUAL.test(word)) || !(counted || isOneFile(files))) return false;
  return lines.test(code.replace(/\s/g, ''));
}

function isOneFile(files: readonly string[]): boolean {
  return files.length === 0 || (files.length === 1 && !/[*?{]/.test(files[0] as string));
}

const UNUSUAL = /^-[fis]|\bO?RS=/;

function operandsOf(program: string, words: readonly string[]): readonly string[] {
  return words.filter(
    (word, index) => !word.startsWith('-') && !(program === 'awk' && /^-[Fv]$/.test(words[index - 1] ?? '')),
  );
}

function findsOneLine(words: readonly string[]): boolean {
  const at = words.findIndex((word) => /^(?:-[a-zA-Z]{0,9}m1?|--max-count(?:=1)?)$/.test(word));
  const apart = words[at]?.endsWith('1') === false;
  if (at === -1 || (apart && words[at + 1] !== '1')) return false;
  const others = words.filter((_, index) => index !== at && !(apart && index === at + 1));
  if (others.some((word) => /^-(?:[a-zA-Z]*[oABCefrRz]|-(?!color|extended|ignore|no-|quiet|text))/.test(word)))
    return false;
  return isOneFile(others.filter((word) => !word.startsWith('-')).slice(1));
}

function keepsOneLine(program: string, words: readonly string[]): boolean {
  switch (program) {
    case 'basename':
    case 'cut':
    case 'dirname':
    case 'head':
    case 'rev':
    case 'sort':
    case 'tail':
    case 'tee':
    case 'uniq':
      return true;
    case 'cat':
      return words.every((word) => word.startsWith('-'));
    case 'egrep':
    case 'fgrep':
    case 'grep':
      return !words.some((word) => /^-(?:\w*o|-only)/.test(word));
    case 'awk': {
      const [code = '', ...files] = operandsOf(program, words);
      return (
        files.length === 0 && !words.some((word) => UNUSUAL.test(word)) && PRINTS_FIELD.test(code.replace(/\s/g, ''))
      );
    }
    case 'sed':
      return words.every((word) => /^-[Eer]$/.test(word) || REPLACES.test(word));
    case 'tr':
      return !/\\n|\\012|\n/.test(words.join(' '));
    default:
      return false;
  }
}

const PRINTS_FIELD = /^\{print(?:\$?\(?\w{1,9}(?:-\d)?\)?)?;?\}$/;

const REPLACES = /^s([/|#,@])(?:(?!\1)(?:\\[^n\n]|[^\\\n]))*\1(?:(?!\1)(?:\\[^n\n]|[^\\\n]))*\1[gI\d]{0,3}$/;

function isNarrow(words: readonly string[], text: string): boolean {
  return FIXED_PATTERN.test(words.find((word) => !word.startsWith('-')) ?? '') || NARROW_PATTERN.test(text);
}

const FIXED_PATTERN = /^\^?[\w/|():-]+\$?$/;

const NARROW_PATTERN = /['"][^'"=]{0,80}(?:\[[\w\-.\\]{1,80}\]|\\d)[+*{]?[^'"=.]{0,80}['"]/;
