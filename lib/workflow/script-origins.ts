import type { CommandFileWrite, WrittenWord } from './command-files.ts';
import { PULL_REQUEST_EVENTS } from './events.ts';
import { outsiderEvents } from './guards.ts';
import type { Step } from './model.ts';
import type { Repository } from './repository.ts';
import { commandsOf, type ShellCommand } from './shell.ts';
import { environmentValue, type Taint, taintsIn, taintsOf } from './taint.ts';
import { type UntrustedFiles, untrustedFilesBefore } from './untrusted-files.ts';

/** Text from outside that reaches a place of a script. */
export interface Origin {
  /** What a message calls it. */
  readonly source: string;
  readonly kind: 'event' | 'file' | 'query';
  readonly writer: Taint['writer'];
  readonly reach: Taint['reach'];
  /** Whether a line break of its writer's choice can be in it where it arrives. */
  readonly multiline: boolean;
  readonly certain: boolean;
}

const MAX_DEPTH = 6;
/** Words looked at for one command: variables that are set from each other many times over must not multiply. */
const MAX_TRACED_WORDS = 500;

/** What a write to a command file can carry from outside, the worst first. */
export function originsOfWrite(write: CommandFileWrite, step: Step, repository: Repository): Origin[] {
  const tracer = new OriginTracer(step, repository);
  const flattened = flattens(write.pipeline);
  const last = write.pipeline.at(-1);
  // Of a program that is not known to print its arguments nothing can be said.
  const printed = last === undefined || TEXT_TOOLS.has(last.program) ? write.words : [];
  const own = printed.flatMap((word) => {
    const narrow = !/["']/.test(word.text) && write.pipeline.length > 0;
    const origins = tracer.ofWord(word, 0);
    return narrow ? origins.map(onOneLine) : origins;
  });
  const origins = [...own, ...tracer.ofPipeline(write.pipeline, 0)];
  const kept = flattened === 'clean' ? [] : flattened === 'line' ? origins.map(onOneLine) : origins;
  return kept.sort((a, b) => weight(b) - weight(a));
}

/** What the words, the input and the upstream pipeline of a command can carry from outside, the worst first. */
export function originsOfCommand(command: ShellCommand, step: Step, repository: Repository): Origin[] {
  const tracer = new OriginTracer(step, repository);
  const words = [...command.args, ...command.redirects.flatMap(({ body }) => body ?? [])];
  const upstream = command.pipeline.slice(0, command.pipeline.indexOf(command) + 1);
  const origins = [...words.flatMap((word) => tracer.ofWord(word, 0)), ...tracer.ofPipeline(upstream, 0)];
  return origins.sort((a, b) => weight(b) - weight(a));
}

function weight({ writer, reach, multiline, certain }: Origin): number {
  const person = writer === 'outsider' ? 8 : writer === 'contributor' ? 4 : 0;
  return person + (reach === 'outsider-privileged' ? 2 : 0) + (multiline ? 1 : 0) + (certain ? 0.5 : 0);
}

function onOneLine(origin: Origin): Origin {
  return { ...origin, multiline: false };
}

/** Fields that hold line breaks; titles, names and refs cannot. */
const MULTI_LINE_FIELD = /(?:^|\.)(?:body|body\.from|message|patch|diff_hunk|description)$|client_payload|^inputs\./;
/** A repository's description and a label's have one line. */
const ONE_LINE_FIELD = /(?:label|repo|repository|forkee|milestone)\.description$/;

export function isMultiline(taint: Taint): boolean {
  const whole = taint.source.includes(' ') && /\bbody$/.test(taint.source);
  return (
    taint.text === 'free' && (whole || (MULTI_LINE_FIELD.test(taint.source) && !ONE_LINE_FIELD.test(taint.source)))
  );
}

const TEXT_TOOLS: ReadonlySet<string> = new Set(
  'awk base64 cat cut egrep fold grep head jq paste perl printf echo python python3 rev ruby sed sort tail tac tr uniq xargs yq'.split(
    ' ',
  ),
);

/** Reads of a file's content, the operands of which are files. */
const FILE_READERS: ReadonlySet<string> = new Set(
  'awk base64 cat cut egrep grep head jq paste sed sort tail tac tr uniq xargs yq'.split(' '),
);

/** `$(< file)` */
const READ_WHOLE = /\$\(\s{0,5}<\s{0,5}(\S{1,200}?)\s{0,5}\)/;

class OriginTracer {
  readonly #step: Step;
  readonly #repository: Repository;
  readonly #commands: readonly ShellCommand[];
  readonly #followed = new Set<string>();
  #traced = 0;

  constructor(step: Step, repository: Repository) {
    this.#step = step;
    this.#repository = repository;
    this.#commands = commandsOf(step);
  }

  ofWord(word: WrittenWord, depth: number): Origin[] {
    this.#traced += 1;
    if (depth > MAX_DEPTH || this.#traced > MAX_TRACED_WORDS) return [];
    const origins: Origin[] = [];
    const inner = this.#substitutionsIn(word);
    const innerWords = inner.flatMap(({ args, redirects, assignments }) => [
      ...args,
      ...redirects.flatMap(({ body }) => body ?? []),
      ...assignments.map(({ value }) => value),
    ]);
    const innerNames = new Set(innerWords.flatMap(({ variables }) => variables));
    const innerExpressions = new Set(innerWords.flatMap(({ expressions }) => expressions));
    for (const expression of word.expressions) {
      if (expression.node === undefined || innerExpressions.has(expression)) continue;
      origins.push(...taintsOf(expression.node, this.#step, this.#repository).map(fromTaint));
    }
    for (const name of word.variables) if (!innerNames.has(name)) origins.push(...this.#ofVariable(name, depth + 1));
    for (const command of inner) {
      if (command === command.pipeline.at(-1)) origins.push(...this.#ofOutput(command.pipeline, depth + 1));
    }
    const [, file] = READ_WHOLE.exec(word.text) ?? [];
    if (file !== undefined) origins.push(...this.#ofFile(file));
    return origins;
  }

  /** What the commands of a pipeline print, its own words left out when they are written by name. */
  ofPipeline(pipeline: readonly ShellCommand[], depth: number): Origin[] {
    const last = pipeline.at(-1);
    return pipeline.flatMap((command) => [
      ...(command === last ? [] : this.#ofWords(command, depth)),
      ...this.#ofCommand(command),
    ]);
  }

  #ofOutput(pipeline: readonly ShellCommand[], depth: number): Origin[] {
    const kind = flattens(pipeline);
    if (kind === 'clean' || depth > MAX_DEPTH) return [];
    const origins = pipeline.flatMap((command) => [...this.#ofWords(command, depth), ...this.#ofCommand(command)]);
    return kind === 'line' ? origins.map(onOneLine) : origins;
  }

  #ofWords(command: ShellCommand, depth: number): Origin[] {
    if (!TEXT_TOOLS.has(command.program)) return [];
    const bodies = command.redirects.flatMap(({ body }) => body ?? []);
    return [...command.args, ...bodies].flatMap((word) => this.ofWord(word, depth + 1));
  }

  #substitutionsIn(word: WrittenWord): ShellCommand[] {
    return this.#commands.filter(
      ({ within, span }) => within !== undefined && span.start > word.span.start && span.end < word.span.end,
    );
  }

  #ofVariable(name: string, depth: number): Origin[] {
    if (this.#followed.has(name) || depth > MAX_DEPTH || isChecked(name, this.#step)) return [];
    this.#followed.add(name);
    const assigned = this.#commands.flatMap(({ assignments }) => assignments.filter((one) => one.name === name));
    const origins =
      assigned.length > 0
        ? assigned.flatMap(({ value }) => this.ofWord(value, depth + 1))
        : this.#ofEnvironment(name).map(fromTaint);
    this.#followed.delete(name);
    return origins;
  }

  #ofEnvironment(name: string): Taint[] {
    if (name === 'GITHUB_HEAD_REF') {
      return outsiderEvents(this.#step, this.#repository)
        .filter(({ event }) => PULL_REQUEST_EVENTS.has(event))
        .map(({ event, reach }) => ({
          source: '$GITHUB_HEAD_REF',
          text: 'ref',
          writer: 'outsider',
          reach,
          event,
          via: [],
        }));
    }
    const value = environmentValue(name, this.#step);
    return value === undefined ? [] : taintsIn(value.text, value.at, this.#repository);
  }

  /** What a command fetches by itself: a file's content, or a lookup of something an outsider wrote. */
  #ofCommand(command: ShellCommand): Origin[] {
    const origins: Origin[] = [];
    if (FILE_READERS.has(command.program)) {
      const operands = command.args.slice(HAS_FILTER.has(command.program) ? 1 : 0);
      for (const { value } of operands) if (!value.startsWith('-')) origins.push(...this.#ofFile(value));
    }
    for (const { operator, target } of command.redirects) {
      if (operator === '<' && target !== undefined) origins.push(...this.#ofFile(target.value));
    }
    const query = queried(command);
    if (query === undefined) return origins;
    const privileged = outsiderEvents(this.#step, this.#repository).some(
      ({ reach }) => reach === 'outsider-privileged',
    );
    if (privileged)
      origins.push({ ...query, kind: 'query', writer: 'outsider', reach: 'outsider-privileged', certain: true });
    return origins;
  }

  #ofFile(operand: string): Origin[] {
    const files = untrustedFilesBefore(this.#step, this.#repository).filter((found) => liesIn(operand, found));
    return files.slice(0, 1).map(({ from, certain }) => ({
      source: from === 'artifact' ? `the artifact’s file ${operand}` : `the pull request’s file ${operand}`,
      kind: 'file' as const,
      writer: 'outsider' as const,
      reach: 'outsider-privileged' as const,
      multiline: true,
      certain,
    }));
  }
}

/** Programs whose first operand is no file. */
const HAS_FILTER: ReadonlySet<string> = new Set(['awk', 'egrep', 'grep', 'jq', 'sed', 'tr', 'yq', 'xargs']);

/** Whether an operand can name a file of the given ones. What lies elsewhere for certain is left out. */
export function liesIn(operand: string, { folder, from }: Pick<UntrustedFiles, 'folder' | 'from'>): boolean {
  if (!/[\w/]/.test(operand) || /^(?:\/etc|\/proc|\/sys|\/dev|~)/.test(operand)) return false;
  const path = operand.replace(/^\.\//, '');
  if (folder === undefined || folder === '') return !path.startsWith('/') && !path.startsWith('$');
  const wanted = folder.replace(/^\.\//, '');
  if (path.startsWith(wanted)) return true;
  if (wanted.includes('${{')) {
    const last = wanted.split('/').at(-1) as string;
    return last.includes('}}') ? /RUNNER_TEMP|runner\.temp/.test(path) : path.includes(last) || path.startsWith('$');
  }
  // A step may change into the folder first.
  return from === 'artifact' && !path.includes('/');
}

function fromTaint(taint: Taint): Origin {
  return {
    source: [...taint.via, taint.source].at(-1) as string,
    kind: 'event',
    writer: taint.writer,
    reach: taint.reach,
    multiline: isMultiline(taint),
    certain: true,
  };
}

/** `[[ "$NAME" =~ ^[0-9]+$ ]]`: the script compares the whole value with a pattern. */
export function isChecked(name: string, step: Step): boolean {
  const script = step.run?.value ?? '';
  if (!/^\w+$/.test(name)) return false;
  return script.includes('=~') && new RegExp(`\\$\\{?${name}\\}?["']?\\s+=~\\s+["']?\\^\\S*\\$`).test(script);
}

/**
 * What a pipeline leaves of line breaks in the text it passes on: `clean` keeps only digits, hashes, numbers or JSON
 * text; `line` joins lines or takes one.
 */
function flattens(pipeline: readonly ShellCommand[]): 'clean' | 'line' | undefined {
  let result: 'clean' | 'line' | undefined;
  for (const { program, args, text } of pipeline) {
    const words = args.map(({ value }) => value);
    if (/^(?:wc|sha\d*sum|md5sum|cksum|shasum|test)$/.test(program)) return 'clean';
    if (program === 'grep' && /^-\w*o/.test(words.join(' ')) && NARROW_PATTERN.test(text)) return 'clean';
    if (program === 'tr' && words.some((word) => /^-\w*[cC]/.test(word)) && words.some((word) => /^-\w*d/.test(word))) {
      return 'clean';
    }
    if (program === 'sed' && /s.\[\^[^\]]{0,100}\].{1,3}[gG]?/.test(text)) return 'clean';
    if (
      program === 'tr' &&
      /\\n|\\r|\[:(?:space|cntrl):\]/.test(words[0] === '-d' ? (words[1] ?? '') : (words[0] ?? ''))
    ) {
      result = 'line';
    }
    if (program === 'head' && /^-(?:n\s*)?1$|^-n 1$/.test(words.join(' '))) result = 'line';
    if (program === 'tail' && /^-(?:n\s*)?1$|^-n 1$/.test(words.join(' '))) result = 'line';
    if (program === 'paste' && words.some((word) => /^-\w*s/.test(word))) result = 'line';
    if (program === 'xargs' || (program === 'base64' && /-w\s*0/.test(text))) result = 'line';
    if (program === 'jq' && !/(?:^|\s)(?:-\w*[rj]|--raw-output|--join-output)/.test(words.join(' '))) {
      result = 'line';
    }
    if (program === 'jq' && /@(?:json|base64|uri)\b|\btojson\b|\blength\b/.test(text)) result = 'line';
  }
  return result;
}

/** `-o` with a pattern that matches digits, letters and separators only, never `=` or a line break. */
const NARROW_PATTERN = /['"][^'"=]{0,80}(?:\[[\w\-.\\]{1,80}\]|\\d)[+*{]?[^'"=.]{0,80}['"]/;

/** Lookups that print what an outsider wrote, with the fields they choose. */
function queried(command: ShellCommand): { readonly source: string; readonly multiline: boolean } | undefined {
  const words = command.args.map(({ value }) => value);
  const text = words.join(' ');
  if (command.program !== 'gh') return undefined;
  const filter = optionOf(words, '--jq', '-q', '--template', '-t');
  if (words[0] === 'pr' && words[1] === 'diff') return { source: 'the output of gh pr diff', multiline: true };
  const about =
    (words[0] === 'pr' || words[0] === 'issue') && (words[1] === 'view' || words[1] === 'list')
      ? `gh ${words[0]} ${words[1]}`
      : words[0] === 'api' && /\/(?:pulls|issues|comments|commits)\b/.test(text)
        ? 'gh api'
        : undefined;
  // Without a filter the output is JSON, in which line breaks are escaped.
  if (about === undefined || filter === undefined) return undefined;
  const source = `the output of ${about}`;
  if (/\blength\b|@json|@base64|tojson|\btest\(|\bany\b|\ball\b/.test(filter)) return undefined;
  if (/\.(?:body|message|patch|messageBody|bodyText)\b/.test(filter)) return { source, multiline: true };
  if (/\.(?:filename|path)\b/.test(filter)) return { source, multiline: true };
  return /\.(?:title|headRefName|head\.ref|label)\b/.test(filter) ? { source, multiline: false } : undefined;
}

function optionOf(words: readonly string[], ...names: readonly string[]): string | undefined {
  const index = words.findIndex((word) => names.some((name) => word === name || word.startsWith(`${name}=`)));
  if (index === -1) return undefined;
  const word = words[index] as string;
  return word.startsWith('--') && word.includes('=') ? word.slice(word.indexOf('=') + 1) : words[index + 1];
}
