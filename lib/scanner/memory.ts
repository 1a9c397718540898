import type { Facts } from './facts.ts';
import type { Report, Rule } from './rule.ts';

/**
 * What checks reported of single files without looking at the whole repository. Given to the scan of a repository and to
 * that of the same with another text in a file (`replaceText`), the second costs what changed and what hangs on it. The
 * result is the same as without.
 */
export class ScanMemory {
  #facts: Facts | undefined;
  #reports = new WeakMap<object, Map<Rule, readonly Report[]>>();

  /** Forgets everything when the facts are others. */
  knowing(facts: Facts): this {
    if (facts !== this.#facts) this.#reports = new WeakMap();
    this.#facts = facts;
    return this;
  }

  get(subject: object, rule: Rule): readonly Report[] | undefined {
    return this.#reports.get(subject)?.get(rule);
  }

  set(subject: object, rule: Rule, reports: readonly Report[]): void {
    const known = this.#reports.get(subject) ?? new Map<Rule, readonly Report[]>();
    this.#reports.set(subject, known.set(rule, reports));
  }
}
