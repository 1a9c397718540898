import type { Span } from '../text/source.ts';
import type { ShellCommand, ShellWord } from './shell.ts';

export type CommandFile = 'env' | 'path' | 'output' | 'state';

export type WrittenWord = Pick<ShellWord, 'text' | 'value' | 'variables' | 'expressions' | 'span'> & {
  /** Fields of the event that a program reads from its payload, as lower-case paths. */
  readonly payloads?: readonly (readonly string[])[];
  readonly files?: readonly string[];
};

/**
 * `pipeline` ends with the writing command, and is empty for shells that are not parsed. `randomDelimiter`: an
 * unguessable delimiter encloses the lines, so that a line break cannot end the value.
 */
export interface CommandFileWrite {
  readonly file: CommandFile;
  readonly span: Span;
  readonly words: readonly WrittenWord[];
  readonly pipeline: readonly ShellCommand[];
  readonly randomDelimiter: boolean;
}
