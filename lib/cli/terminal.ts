import type { Links } from '#lib/report/links.ts';
import type { TerminalOptions } from '#lib/report/terminal-options.ts';

export interface Terminal {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly color: boolean;
  readonly version: string;
  readonly links?: Links;
  readonly program?: URL;
}

const DEFAULT_WIDTH = 100;

export function widthOf({ stdout }: Terminal): number {
  return stdout.columns ?? DEFAULT_WIDTH;
}

export function textOptions(terminal: Terminal, verbose: boolean): TerminalOptions {
  const { color, links = 'none' } = terminal;
  return { color, width: widthOf(terminal), verbose, links };
}
