import type { Step } from '../model/model.ts';
import type { Span } from '../text/source.ts';
import { bindingsOf, commandsOf, type ShellBinding, type ShellCommand, type ShellWord, shellOf } from './shell.ts';
import { type TextCheck, textChecksIn } from './text-checks.ts';
import type { Matched } from './whole-pattern.ts';

const indexes = new WeakMap<Step, ScriptIndex>();

/** Indexes assignments, since a hostile script can set a thousand variables from each other. */
export class ScriptIndex {
  readonly #assignments = new Map<string, ShellWord[]>();
  readonly #inner: readonly { readonly command: ShellCommand; readonly order: number }[];
  readonly #script: string;
  readonly #chosen = new Map<string, boolean>();
  readonly #checks = new Map<string, TextCheck[]>();
  readonly #parts = new Map<string, Parts>();

  private constructor(step: Step) {
    this.#script = step.run?.value ?? '';
    if (step.run !== undefined && shellOf(step) === 'posix') {
      for (const check of textChecksIn(step.run, stopsOnErrors(step))) {
        const known = this.#checks.get(check.name);
        if (known === undefined) this.#checks.set(check.name, [check]);
        else known.push(check);
      }
    }
    const commands = commandsOf(step);
    for (const { assignments } of commands) for (const each of assignments) this.#add(each);
    for (const command of commands) for (const each of printedInto(command)) this.#add(each);
    for (const each of bindingsOf(step)) this.#add(each);
    this.#inner = commands
      .flatMap((command, order) => (command.within === undefined ? [] : [{ command, order }]))
      .sort((a, b) => a.command.span.start - b.command.span.start);
  }

  #add({ name, value }: ShellBinding): void {
    const known = this.#assignments.get(name);
    if (known === undefined) this.#assignments.set(name, [value]);
    else known.push(value);
  }

  static of(step: Step): ScriptIndex {
    let index = indexes.get(step);
    if (index === undefined) {
      index = new ScriptIndex(step);
      indexes.set(step, index);
    }
    return index;
  }

  assignmentsOf(name: string): readonly ShellWord[] {
    return this.#assignments.get(name) ?? [];
  }

  substitutionsIn({ start, end }: Span): ShellCommand[] {
    let low = 0;
    let high = this.#inner.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#inner[middle] as { command: ShellCommand }).command.span.start > start) high = middle;
      else low = middle + 1;
    }
    const found: { readonly command: ShellCommand; readonly order: number }[] = [];
    for (let at = low; at < this.#inner.length; at += 1) {
      const each = this.#inner[at] as { readonly command: ShellCommand; readonly order: number };
      if (each.command.span.start >= end) break;
      if (each.command.span.end < end) found.push(each);
    }
    return found.sort((a, b) => a.order - b.order).map(({ command }) => command);
  }

  /**
   * What a variable's text is known to be at a place: `plain` behind `[[ "$NAME" =~ ^[0-9]+$ ]] || exit 1`, or if a
   * `case` takes plain words only or refuses others: `*[!0-9]*) exit 1`.
   */
  checkedAt(name: string, place: number): Matched | undefined {
    if (this.#isChosen(name)) return 'plain';
    if (!this.#checks.has(name)) return undefined;
    let parts = this.#parts.get(name);
    if (parts === undefined) this.#parts.set(name, (parts = this.#partsOf(name)));
    return MATCHED.find((matched) => includes(parts[matched], place));
  }

  isChecked(name: string): boolean {
    return this.#checks.has(name) || this.#isChosen(name);
  }

  /** True if the step fails unless this variable of its environment is plain text. */
  refuses(name: string): boolean {
    if (this.#assignments.has(name)) return false;
    return this.#checks.get(name)?.some(({ refuses, matched }) => refuses && matched === 'plain') === true;
  }

  #isChosen(name: string): boolean {
    let chosen = this.#chosen.get(name);
    if (chosen === undefined) {
      chosen = this.#script.includes('esac') && (isChosen(name, this.#script) || isRefused(name, this.#script));
      this.#chosen.set(name, chosen);
    }
    return chosen;
  }

  #partsOf(name: string): Parts {
    const set = this.assignmentsOf(name)
      .map(({ span }) => span.start)
      .sort((a, b) => a - b);
    const parts: Record<Matched, Span[]> = { plain: [], number: [], line: [] };
    const checks = (this.#checks.get(name) ?? []).toSorted((a, b) => a.start - b.start);
    let next = 0;
    for (const { matched, start, end } of checks) {
      while (next < set.length && (set[next] as number) < start) next += 1;
      const last = parts[matched].at(-1);
      const part = { start, end: Math.min(end, set[next] ?? end) };
      if (last === undefined || last.end < start) parts[matched].push(part);
      else parts[matched][parts[matched].length - 1] = { start: last.start, end: Math.max(last.end, part.end) };
    }
    return parts;
  }
}

const MATCHED = ['plain', 'number', 'line'] as const;

type Parts = Readonly<Record<Matched, readonly Span[]>>;

function includes(parts: readonly Span[], place: number): boolean {
  let low = 0;
  let high = parts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((parts[middle] as Span).start > place) high = middle;
    else low = middle + 1;
  }
  const found = parts[low - 1];
  return found !== undefined && place < found.end;
}

function stopsOnErrors({ shell }: Step): boolean {
  return shell === undefined || !shell.value.includes('{0}') || /\s-\w{0,9}e/.test(shell.value);
}

function printedInto({ program, args }: ShellCommand): ShellBinding[] {
  const name = program === 'printf' && args[0]?.value === '-v' ? args[1]?.value : undefined;
  return name === undefined ? [] : args.slice(2).map((value) => ({ name, value }));
}

function headsOf(name: string): readonly string[] {
  return [`case "$${name}" in`, `case "\${${name}}" in`, `case $${name} in`, `case \${${name}} in`];
}

const OTHER_CHARACTERS =
  /^\*\[[!^](?:[a-z]-[a-z]|[A-Z]-[A-Z]|\d-\d|[\w.@:/]|\[:(?:alnum|alpha|digit|lower|upper|xdigit):\])+-?\]\*$/;

function isRefused(name: string, script: string): boolean {
  return headsOf(name).some((head) => {
    const at = script.indexOf(head);
    if (at === -1) return false;
    const [patterns = '', ...rest] = (script.slice(at + head.length).split(';;')[0] ?? '').split(')');
    const words = patterns
      .trim()
      .replace(/^\(/, '')
      .split('|')
      .map((word) => word.trim());
    return (
      words.every((word) => word === "''" || word === '""' || OTHER_CHARACTERS.test(word)) &&
      words.some((word) => OTHER_CHARACTERS.test(word)) &&
      /\b(?:continue|exit|return)\b/.test(rest.join(')'))
    );
  });
}

const ONE_CHARACTER = /\[(?:[a-z]-[a-z]|[A-Z]-[A-Z]|\d-\d|[\w.@:/])+\]/g;

function isChosen(name: string, script: string): boolean {
  for (const head of headsOf(name)) {
    const at = script.indexOf(head);
    const end = at === -1 ? -1 : script.indexOf('esac', at);
    if (end === -1) continue;
    let ends = false;
    const plain = script
      .slice(at + head.length, end)
      .split(';;')
      .every((clause) => {
        const [patterns = '', ...rest] = clause.split(')');
        const words = patterns.trim();
        if (rest.length === 0) return words === '';
        if (words !== '*') return !/[*?[]/.test(words.replaceAll(ONE_CHARACTER, ''));
        ends = /\b(?:continue|exit|return)\b/.test(rest.join(')'));
        return ends || rest.join('').trim() === '';
      });
    const outside = script.slice(0, at) + script.slice(end);
    return plain && (ends || (!outside.includes(`$${name}`) && !outside.includes(`\${${name}`)));
  }
  return false;
}
