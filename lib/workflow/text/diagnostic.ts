import type { Span } from './source.ts';

/** What is wrong with a file itself, as opposed to a finding: it never stops a scan. */
export interface Diagnostic {
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** Where; absent when the file could not be read at all. */
  readonly span?: Span;
}
