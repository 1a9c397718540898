import type { createColors } from 'picocolors';
import type { Finding, RelatedPlace } from '#lib/scanner/engine/finding.ts';
import { pathOf, type Rooted } from './report.ts';
import { oneLine, visible } from './visible.ts';
import { wrap } from './wrap.ts';

export type Colors = ReturnType<typeof createColors>;

export interface FrameOptions {
  readonly gutter: number;
  readonly columns: number;
  readonly colors: Colors;
  readonly remarks: string;
}

const MAX_LINE = 400;
const MAX_LINES = 4;
const MAX_SECONDARY = 4;

interface Mark {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly lines: readonly string[];
  readonly note: string | undefined;
}

export function frame(finding: Rooted<Finding>, options: FrameOptions): string[] {
  const { gutter, columns, colors, remarks } = options;
  const at = finding.line === null ? '' : `:${finding.line}:${finding.column ?? 1}`;
  const pad = ' '.repeat(gutter + 2);
  const marks = marksOf(finding);
  const lines = [
    `${pad} ${colors.cyan('╭─')} ${colors.bold(oneLine(pathOf(finding)) + at)} ${remarks}`,
    ...drawn(marks, options),
  ];
  for (const line of wrap(oneLine(finding.description), columns - gutter - 5)) {
    lines.push(`${pad} ${colors.cyan('│')} ${line}`);
  }
  for (const { file, line, note } of elsewhere(finding)) {
    const place = `${oneLine(pathOf({ root: finding.root, file }))}:${line}`;
    lines.push(`${pad} ${colors.cyan('│')} ${colors.dim(`${place} ${oneLine(note)}`)}`);
  }
  lines[lines.length - 1] = (lines.at(-1) ?? '').replace('│', '╰');
  return lines;
}

export function gutterOf(findings: readonly Finding[]): number {
  const last = findings.flatMap((finding) => [finding.endLine ?? 0, ...marksOf(finding).map(({ endLine }) => endLine)]);
  return String(Math.max(0, ...last) + 1).length;
}

function isDrawn(finding: Finding, place: RelatedPlace): boolean {
  return place.file === finding.file && typeof place.snippet === 'string' && finding.snippet !== null;
}

function secondary(finding: Finding): readonly RelatedPlace[] {
  const { related = [], line, column } = finding;
  return related.filter((place) => place.file !== finding.file || place.line !== line || place.column !== column);
}

function elsewhere(finding: Finding): readonly RelatedPlace[] {
  return secondary(finding)
    .filter((place) => !isDrawn(finding, place))
    .slice(0, MAX_SECONDARY);
}

function marksOf(finding: Finding): Mark[] {
  const { line, column, endLine, endColumn, snippet } = finding;
  if (snippet === null || line === null) return [];
  const lines = snippet.split('\n');
  const own = { line, column: column ?? 1, endLine: endLine ?? line, endColumn: endColumn ?? 1, lines };
  const others = secondary(finding)
    .filter((place) => isDrawn(finding, place))
    .slice(0, MAX_SECONDARY)
    .map((place): Mark => ({ ...place, lines: (place.snippet ?? '').split('\n').slice(0, 1) }));
  return [{ ...own, note: undefined }, ...others].sort((a, b) => a.line - b.line || a.column - b.column);
}

function drawn(marks: readonly Mark[], options: FrameOptions): string[] {
  const { gutter, colors } = options;
  const lines: string[] = [];
  const gap = `${' '.repeat(gutter + 2)} ${colors.cyan('┆')}`;
  let last: number | undefined;
  for (const mark of marks) {
    if (last !== undefined && mark.line > last + 1) lines.push(gap);
    const shown = mark.lines.length > MAX_LINES ? 2 : mark.lines.length;
    for (let index = 0; index < shown; index += 1) {
      const [text, underline] = underlined(mark, index, options);
      if (last === undefined || mark.line + index > last) lines.push(text);
      if (underline !== undefined) lines.push(underline);
    }
    if (mark.lines.length > shown) lines.push(gap);
    last = Math.max(last ?? 0, mark.line + mark.lines.length - 1);
  }
  return lines;
}

function underlined(mark: Mark, index: number, { gutter, columns, colors }: FrameOptions): [string, string?] {
  const number = mark.line + index;
  const raw = (mark.lines[index] ?? '').slice(0, MAX_LINE);
  const room = columns - gutter - 8;
  const start = index === 0 ? mark.column - 1 : indentOf(raw);
  const end = number === mark.endLine ? mark.endColumn - 1 : raw.length;
  const from = start > room - 20 ? Math.max(0, start - 20) : 0;
  const text = visible(raw.slice(from)).slice(0, room);
  const before = visible(raw.slice(from, start)).length;
  const length = Math.max(1, Math.min(visible(raw.slice(start, Math.max(end, start))).length, room - before));
  const line = `${colors.dim(String(number).padStart(gutter + 2))} ${colors.cyan('│')} ${from > 0 ? '…' : ''}${text}`;
  if (raw.trim() === '') return [line];
  const space = `${' '.repeat(gutter + 2)} ${colors.cyan('│')} ${' '.repeat(before + (from > 0 ? 1 : 0))}`;
  if (mark.note === undefined) return [line, `${space}${colors.red('^'.repeat(length))}`];
  return [line, `${space}${colors.cyan(`${'-'.repeat(length)} ${oneLine(mark.note)}`)}`];
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
