import type { Step } from '../model/model.ts';
import type { Span } from '../text/source.ts';
import { commandsOf, type ShellCommand, type ShellWord } from './shell.ts';

const indexes = new WeakMap<Step, ScriptIndex>();

/** Indexes assignments, since a hostile script can set a thousand variables from each other. */
export class ScriptIndex {
  readonly #assignments = new Map<string, ShellWord[]>();
  readonly #inner: readonly { readonly command: ShellCommand; readonly order: number }[];
  readonly #script: string;
  readonly #checked = new Map<string, boolean>();

  private constructor(step: Step) {
    this.#script = step.run?.value ?? '';
    const commands = commandsOf(step);
    for (const { assignments } of commands) {
      for (const { name, value } of assignments) {
        const known = this.#assignments.get(name);
        if (known === undefined) this.#assignments.set(name, [value]);
        else known.push(value);
      }
    }
    this.#inner = commands
      .flatMap((command, order) => (command.within === undefined ? [] : [{ command, order }]))
      .sort((a, b) => a.command.span.start - b.command.span.start);
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

  /** True if the script compares the whole value with a pattern: `[[ "$NAME" =~ ^[0-9]+$ ]]`. */
  isChecked(name: string): boolean {
    let checked = this.#checked.get(name);
    if (checked === undefined) {
      checked =
        /^\w+$/.test(name) &&
        this.#script.includes('=~') &&
        new RegExp(`\\$\\{?${name}\\}?["']?\\s+=~\\s+["']?\\^\\S*\\$`).test(this.#script);
      this.#checked.set(name, checked);
    }
    return checked;
  }
}
