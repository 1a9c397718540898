import type { AttackPath } from './match.ts';

/**
 * Those of `after` that `before` does not have. A path is known again by its kind and its job, one of a single step by
 * what would break it there: moved lines and one more finding make no other path, and neither does another severity.
 */
export function newPaths(before: readonly AttackPath[], after: readonly AttackPath[]): AttackPath[] {
  const known = new Set(before.flatMap(marksOf));
  return after.filter((path) => !marksOf(path).some((mark) => known.has(mark)));
}

function marksOf({ comboId, breakChainRule, anchor, cuts: [cut = []] }: AttackPath): string[] {
  const [file, job, step] = anchor.split('\n');
  const place = [comboId, breakChainRule, file ?? '', job ?? ''].join('\n');
  return step === undefined ? [place] : cut.map((fingerprint) => `${place}\n${fingerprint}`);
}
