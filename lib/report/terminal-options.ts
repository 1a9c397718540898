import type { Links } from './links.ts';

export interface TerminalOptions {
  readonly color: boolean;
  readonly width: number;
  readonly verbose: boolean;
  readonly links?: Links;
  /** True to list INFO like LOW; otherwise it is a number. */
  readonly listInfo?: boolean;
}
