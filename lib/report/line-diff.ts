import { structuredPatch } from 'diff';

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly before: number | null;
  readonly after: number | null;
}

const CONTEXT = 3;
const KINDS = { '+': 'added', '-': 'removed', ' ': 'same' } as const;

export function diffLines(before: string, after: string): DiffLine[][] {
  const { hunks } = structuredPatch('', '', before, after, undefined, undefined, { context: CONTEXT });
  return hunks.map(({ oldStart, newStart, lines }) => {
    let [old, fresh] = [oldStart, newStart];
    return lines.flatMap((line): DiffLine[] => {
      const sign = line[0] ?? '';
      if (!isSign(sign)) return [];
      const kind = KINDS[sign];
      return [{ kind, before: kind === 'added' ? null : old++, after: kind === 'removed' ? null : fresh++ }];
    });
  });
}

function isSign(text: string): text is keyof typeof KINDS {
  return text in KINDS;
}
