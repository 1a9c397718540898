import type { Links } from '#lib/report/links.ts';
import type { TerminalOptions } from '#lib/report/terminal-options.ts';
import { replaceFile } from './replace-file.ts';

export interface Terminal {
  readonly stdin?: AsyncIterable<Uint8Array> & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly color: boolean;
  readonly version: string;
  readonly links?: Links;
  readonly program?: URL;
  /** Digest of the program; results are kept between runs only with one. */
  readonly engine?: string;
}

const DEFAULT_WIDTH = 100;

export function widthOf({ stdout }: Terminal): number {
  return stdout.columns ?? DEFAULT_WIDTH;
}

export function textOptions(terminal: Terminal, verbose: boolean): TerminalOptions {
  const { color, links = 'none' } = terminal;
  return { color, width: widthOf(terminal), verbose, links };
}

export async function writingTo(
  file: string | undefined,
  terminal: Terminal,
  run: (terminal: Terminal) => Promise<number>,
): Promise<number> {
  if (file === undefined) return run(terminal);
  const parts: string[] = [];
  const write = (text: string): boolean => {
    parts.push(text);
    return true;
  };
  const stdout = { write, isTTY: false } as NodeJS.WriteStream;
  const { links = 'none' } = terminal;
  const code = await run({ ...terminal, stdout, color: false, links: links === 'terminal' ? 'none' : links });
  replaceFile(file, parts.join(''));
  return code;
}
