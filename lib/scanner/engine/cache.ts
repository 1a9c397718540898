import type { Facts } from '#lib/facts/facts.ts';
import type { SourceFile } from '#lib/workflow/text/source.ts';
import type { Finding } from './finding.ts';
import type { Anchor } from './fingerprint.ts';
import type { Report, Rule } from './rule.ts';

/** A report with what fingerprints and suppressions need, and with what was made of it before. */
export interface Located {
  readonly rule: Rule;
  readonly report: Report;
  readonly source: SourceFile | undefined;
  anchor?: Anchor;
  /** Its fingerprint when it is the first of its anchor. */
  first?: string;
  finding?: Finding;
}

/**
 * What checks reported of single files without looking at the whole repository. Given to the scan of a repository and to
 * that of the same with another text in a file (`replaceText`), the second costs what changed and what hangs on it. The
 * result is the same as without.
 */
export class ScanCache {
  #facts: Facts | undefined;
  #located = new WeakMap<object, Map<Rule, readonly Located[]>>();

  /** Forgets everything when the facts are others. */
  forFacts(facts: Facts): this {
    if (facts !== this.#facts) this.#located = new WeakMap();
    this.#facts = facts;
    return this;
  }

  get(subject: object, rule: Rule): readonly Located[] | undefined {
    return this.#located.get(subject)?.get(rule);
  }

  set(subject: object, rule: Rule, located: readonly Located[]): void {
    const known = this.#located.get(subject) ?? new Map<Rule, readonly Located[]>();
    this.#located.set(subject, known.set(rule, located));
  }
}
