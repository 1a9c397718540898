import type { Links } from './links.ts';

export interface TerminalOptions {
  readonly color: boolean;
  readonly width: number;
  readonly verbose: boolean;
  readonly links?: Links;
  readonly listInfo?: boolean;
}
