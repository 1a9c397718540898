import type { Step } from '#lib/workflow/model/model.ts';
import { withStatedVariables } from '#lib/workflow/shell/env-lookup.ts';
import { locationOf } from './locations.ts';

/** True if a path that a step names can be one of the untrusted files. */
export function liesIn(
  operand: string,
  { folder, from }: { readonly folder: string | undefined; readonly from: 'checkout' | 'artifact' },
  step: Step,
): boolean {
  if (!/[\w/]/.test(operand) || /^\/(?:etc|proc|sys|dev)\b/.test(operand)) return false;
  const location = locationOf(withStatedVariables(operand, step));
  const wanted = folder === undefined ? '' : locationOf(folder);
  const outside = location === undefined || location.startsWith('/');
  if (wanted === '') return !outside;
  if (wanted === undefined) return mayLieIn(operand, (folder ?? '').trim());
  // A variable of the script may hold the folder.
  if (location === undefined) return wanted.startsWith('/<temp>') && operand.startsWith('$');
  if (location === wanted || location.startsWith(`${wanted}/`)) return true;
  return from === 'artifact' && !location.includes('/') && movesInto(step, wanted);
}

/** For a folder whose path is computed. */
function mayLieIn(operand: string, folder: string): boolean {
  const last = folder.split('/').at(-1) ?? '';
  return operand.startsWith('$') || !operand.includes('/') || operand.includes(folder) || operand.includes(last);
}

/** True if a step works in a folder, or an earlier one took files out of it. */
function movesInto(step: Step, folder: string): boolean {
  if (step.workingDirectory !== undefined || /\b(?:cd|pushd)\b/.test(step.run?.value ?? '')) return true;
  const name = folder.replace(/^\/<\w+>\/?/, '') || folder.slice(2, -1);
  return step.parent.steps.slice(0, step.index + 1).some(({ run }) => {
    const script = run?.value ?? '';
    return /\b(?:mv|cp|rsync|unzip|tar)\b/.test(script) && script.toLowerCase().includes(name.toLowerCase());
  });
}
