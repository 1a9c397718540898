import { expect, it } from 'vitest';
import type { HardenReply } from '#lib/services/hardening/workflow.ts';
import { changesOf, rowsOf } from './changes.ts';

type Hunk = HardenReply['unattributed_hunks'][number];

const hunk = (old_start: number, old_lines: number, new_start: number, new_lines: number): Hunk => ({
  old_start,
  old_lines,
  new_start,
  new_lines,
});

function reply(hunks: Readonly<Record<string, readonly Hunk[]>>): HardenReply {
  return {
    categories: Object.entries(hunks).map(([category, list]) => ({
      category,
      fixes: list.map(({ old_start: line }, index) => ({ rule_id: `${category}-${index}`, line, description: '' })),
      hunks: list,
    })),
    unattributed_hunks: [],
  } as unknown as HardenReply;
}

it('keeps a replaced line together when another fix inserts a line before its replacement', () => {
  const changes = changesOf(
    reply({ 'CICD-SEC-5': [hunk(6, 1, 6, 0), hunk(6, 0, 8, 1)], 'CICD-SEC-7': [hunk(6, 0, 7, 1)] }),
  );
  expect(changes.map(({ category, old, fresh }) => [category, old, fresh])).toEqual([
    ['CICD-SEC-7', { start: 5, end: 5 }, { start: 6, end: 7 }],
    ['CICD-SEC-5', { start: 5, end: 6 }, { start: 7, end: 8 }],
  ]);
  const shown = rowsOf(changes, 10, { opened: new Map(), paired: false }).flatMap((row) =>
    row.kind === 'line'
      ? [`${row.same ? ' ' : row.fresh === null ? '-' : '+'}${row.old ?? ''}:${row.fresh ?? ''}`]
      : [],
  );
  expect(shown.slice(2, 9)).toEqual([' 5:5', '+:7', '-6:', '+:8', ' 7:9', ' 8:10', ' 9:11']);
});

it('leaves a removal alone that nothing of its category replaces, and insertions elsewhere', () => {
  const changes = changesOf(
    reply({ 'CICD-SEC-5': [hunk(6, 1, 6, 0), hunk(9, 0, 10, 1)], 'CICD-SEC-7': [hunk(6, 0, 7, 1)] }),
  );
  expect(changes.map(({ category, old, fresh }) => [category, old, fresh])).toEqual([
    ['CICD-SEC-5', { start: 5, end: 6 }, { start: 6, end: 6 }],
    ['CICD-SEC-7', { start: 6, end: 6 }, { start: 6, end: 7 }],
    ['CICD-SEC-5', { start: 9, end: 9 }, { start: 9, end: 10 }],
  ]);
});
