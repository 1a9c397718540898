import { parsePatch, type StructuredPatchHunk, structuredPatch } from 'diff';

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly before: number | null;
  readonly after: number | null;
}

const CONTEXT = 3;
const KINDS = { '+': 'added', '-': 'removed', ' ': 'same' } as const;

export interface PatchLine extends DiffLine {
  readonly text: string;
}

export function diffLines(before: string, after: string): DiffLine[][] {
  const { hunks } = structuredPatch('', '', before, after, undefined, undefined, { context: CONTEXT });
  return hunks.map((hunk) =>
    numbered(hunk).map(({ kind, before: from, after: to }) => ({ kind, before: from, after: to })),
  );
}

export function patchLines(diff: string): PatchLine[][] {
  const start = diff.search(/^@@ /m);
  return start < 0 ? [] : parsePatch(diff.slice(start)).flatMap(({ hunks }) => hunks.map(numbered));
}

function numbered({ oldStart, newStart, lines }: StructuredPatchHunk): PatchLine[] {
  let [old, fresh] = [oldStart, newStart];
  return lines.flatMap((line): PatchLine[] => {
    const sign = line[0] ?? '';
    if (!isSign(sign)) return [];
    const kind = KINDS[sign];
    const text = line.slice(1);
    return [{ kind, before: kind === 'added' ? null : old++, after: kind === 'removed' ? null : fresh++, text }];
  });
}

function isSign(text: string): text is keyof typeof KINDS {
  return text in KINDS;
}
