export function lineBreakOf(text: string): '\r\n' | '\n' {
  return /\r\n/.test(text.slice(0, 4_096)) ? '\r\n' : '\n';
}

export function lineStartAt(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

export function restOfLine(text: string, offset: number): string {
  return /^[^\r\n]*/.exec(text.slice(offset))?.[0] ?? '';
}

export function columnAt(text: string, offset: number): number {
  return offset - lineStartAt(text, offset);
}

export function indentAt(text: string, offset: number): string {
  return /^ */.exec(text.slice(lineStartAt(text, offset)))?.[0] ?? '';
}
