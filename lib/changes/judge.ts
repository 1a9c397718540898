import type { Comparison, Parts } from './compare.ts';
import { findingFails, type Policy, pathFails } from './policy.ts';

/** `broken`: the policy is violated; `found`: something that the policy tolerates; `clean`: nothing. */
export type Verdict = 'broken' | 'found' | 'clean';

export interface Judgement {
  readonly verdict: Verdict;
  readonly counted: Parts;
}

/** Decides about a change; the same for the command line and the check of a pull request. */
export function judge({ added, head }: Pick<Comparison, 'added' | 'head'>, { failOn, newOnly }: Policy): Judgement {
  const counted = newOnly ? added : head;
  const { findings, paths, omitted } = counted;
  const breaks =
    [...findings, ...omitted].some(({ severity }) => findingFails(severity, failOn)) ||
    paths.some(({ severity }) => pathFails(severity, failOn));
  const empty = findings.length + paths.length + omitted.length === 0;
  return { verdict: breaks ? 'broken' : empty ? 'clean' : 'found', counted };
}

const ORDER: readonly Verdict[] = ['broken', 'found', 'clean'];

export function strictest(verdicts: readonly Verdict[]): Verdict {
  return ORDER.find((each) => verdicts.includes(each)) ?? 'clean';
}
