export interface Span {
  readonly start: number;
  readonly end: number;
}

export function firstLineOf({ start, end }: Span, text: string): Span {
  const lineEnd = text.indexOf('\n', start);
  return { start, end: lineEnd === -1 ? end : Math.min(end, lineEnd) };
}

export function textAround({ start, end }: Span, text: string, length: number): { before: string; after: string } {
  return { before: text.slice(Math.max(0, start - length), start), after: text.slice(end, end + length) };
}

/** 1-based line and column; columns count UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface SourceFile {
  readonly path: string;
  readonly text: string;
  position(offset: number): Position;
  offset(position: Position): number;
  line(number: number): string;
  readonly lineCount: number;
}

export function createSource(path: string, text: string): SourceFile {
  const bom = text.startsWith('\uFEFF');
  let starts: number[] | undefined;
  const lineStarts = (): number[] => {
    starts ??= computeLineStarts(text);
    return starts;
  };
  return {
    path,
    text,
    get lineCount() {
      return lineStarts().length;
    },
    position(offset) {
      const all = lineStarts();
      const clamped = Math.max(0, Math.min(offset, text.length));
      let low = 0;
      let high = all.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((all[middle] as number) <= clamped) low = middle;
        else high = middle - 1;
      }
      // A byte order mark does not count as a column.
      const skipped = low === 0 && bom ? 1 : 0;
      return { line: low + 1, column: Math.max(1, clamped - (all[low] as number) + 1 - skipped) };
    },
    offset({ line, column }) {
      const all = lineStarts();
      const start = all[Math.max(0, Math.min(line, all.length) - 1)] as number;
      return Math.max(0, Math.min(start + column - 1 + (line === 1 && bom ? 1 : 0), text.length));
    },
    line(number) {
      const all = lineStarts();
      const start = all[number - 1];
      if (start === undefined) return '';
      let end = all[number] ?? text.length;
      if (end > start && text[end - 1] === '\n') end -= 1;
      if (end > start && text[end - 1] === '\r') end -= 1;
      return text.slice(text[start] === '\uFEFF' ? start + 1 : start, end);
    },
  };
}

function computeLineStarts(text: string): number[] {
  const starts = [0];
  for (let index = text.indexOf('\n'); index !== -1; index = text.indexOf('\n', index + 1)) starts.push(index + 1);
  return starts;
}
