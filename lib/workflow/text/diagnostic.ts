import type { Span } from './source.ts';

export interface Diagnostic {
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly span?: Span;
}
