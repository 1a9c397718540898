/** Returns the line break that a text uses. */
export function lineBreakOf(text: string): '\r\n' | '\n' {
  return /\r\n/.test(text.slice(0, 4_096)) ? '\r\n' : '\n';
}

/** Returns the offset of the first character of an offset's line. */
export function lineStartAt(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** Returns what follows an offset on its line, without the line break. */
export function restOfLine(text: string, offset: number): string {
  return /^[^\r\n]*/.exec(text.slice(offset))?.[0] ?? '';
}

/** Returns how many characters precede an offset on its line: a key after `- ` counts the dash. */
export function columnAt(text: string, offset: number): number {
  return offset - lineStartAt(text, offset);
}

/** Returns the spaces that indent the line of an offset. */
export function indentAt(text: string, offset: number): string {
  return /^ */.exec(text.slice(lineStartAt(text, offset)))?.[0] ?? '';
}
