import type { Step } from '#lib/workflow/model/model.ts';
import { withStatedVariables } from '#lib/workflow/shell/env-lookup.ts';
import { memoByNode } from '../memo.ts';
import { locationOf } from './locations.ts';

interface Placed {
  readonly folder: string | undefined;
  readonly from: 'checkout' | 'artifact';
}

export function liesIn(operand: string, placed: Placed, step: Step): boolean {
  return firstWith(operand, [placed], step) !== undefined;
}

export function firstWith<Files extends Placed>(
  operand: string,
  placed: readonly Files[],
  step: Step,
): Files | undefined {
  if (placed.length === 0 || !/[\w/]/.test(operand) || /^\/(?:etc|proc|sys|dev)\b/.test(operand)) return undefined;
  const location = locationOf(withStatedVariables(operand, step));
  return placed.find((files) => holds(files, operand, location, step));
}

const wantedOf = memoByNode(({ folder }: Placed) => (folder === undefined ? '' : locationOf(folder)));

function holds(files: Placed, operand: string, location: string | undefined, step: Step): boolean {
  const { folder, from } = files;
  const wanted = wantedOf(files);
  const outside = location === undefined || location.startsWith('/');
  if (wanted === '') return !outside;
  if (wanted === undefined) return mayLieIn(operand, (folder ?? '').trim());
  if (location === undefined) return wanted.startsWith('/<temp>') && operand.startsWith('$');
  if (location === wanted || location.startsWith(`${wanted}/`)) return true;
  return from === 'artifact' && !location.includes('/') && movesInto(step, wanted);
}

function mayLieIn(operand: string, folder: string): boolean {
  const last = folder.split('/').at(-1) ?? '';
  return operand.startsWith('$') || !operand.includes('/') || operand.includes(folder) || operand.includes(last);
}

function movesInto(step: Step, folder: string): boolean {
  if (step.workingDirectory !== undefined || /\b(?:cd|pushd)\b/.test(step.run?.value ?? '')) return true;
  const name = folder.replace(/^\/<\w+>\/?/, '') || folder.slice(2, -1);
  const moves = movesIn(step.parent);
  let first = moves.first.get(name);
  if (first === undefined) {
    const wanted = name.toLowerCase();
    first = moves.scripts.find(({ script }) => script.includes(wanted))?.index ?? Number.POSITIVE_INFINITY;
    moves.first.set(name, first);
  }
  return first <= step.index;
}

const movesIn = memoByNode(({ steps }: Step['parent']) => ({
  scripts: steps.flatMap(({ run, index }) =>
    run !== undefined && /\b(?:mv|cp|rsync|unzip|tar)\b/.test(run.value)
      ? [{ index, script: run.value.toLowerCase() }]
      : [],
  ),
  first: new Map<string, number>(),
}));
