import type { Diagnostic } from './diagnostic.ts';
import { MAX_FILE_BYTES } from './limits.ts';

/**
 * Decodes a file's bytes, or says why it is not read: too large, not UTF-8, or holding NUL. A byte order mark stays,
 * so that offsets count from the file's first character.
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
  return text.includes('\0') ? refuse('The file holds NUL characters.') : { text };
}

function refuse(message: string): { text: undefined; problem: Diagnostic } {
  return { text: undefined, problem: { severity: 'error', message } };
}
