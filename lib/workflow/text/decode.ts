import type { Diagnostic } from './diagnostic.ts';
import { MAX_FILE_BYTES } from './limits.ts';

/**
 * Decodes a file, or returns why it cannot be read: too large, not UTF-8, or containing NUL. Keeps a byte order mark,
 * so that offsets count from the first character.
 */
export function decodeFile(
  bytes: Uint8Array,
): { readonly text: string } | { readonly text: undefined; readonly problem: Diagnostic } {
  if (bytes.byteLength > MAX_FILE_BYTES) {
    return refuse(`The file has ${bytes.byteLength} bytes; at most ${MAX_FILE_BYTES} are read.`);
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return refuse('The file is not valid UTF-8.');
  }
  return text.includes('\0') ? refuse('The file contains NUL characters.') : { text };
}

function refuse(message: string): { text: undefined; problem: Diagnostic } {
  return { text: undefined, problem: { severity: 'error', message } };
}
