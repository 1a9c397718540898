import { CHECKOUT_RELEASES } from '#lib/data/curated/checkout-guard.ts';
import { actionOf } from './action-uses.ts';
import type { Step } from './model.ts';

export function majorOf(ref: string): number | undefined {
  const [, major] = /^v?(\d{1,3})(?:\.|$)/.exec(ref.trim()) ?? [];
  return major === undefined ? undefined : Number(major);
}

/** Returns an action's version by its tag, the known tag of its commit, or the version comment. */
export function versionOf(step: Step): string | undefined {
  const action = actionOf(step);
  if (action === undefined) return undefined;
  if (majorOf(action.ref) !== undefined) return action.ref;
  if (action.slug === 'actions/checkout') {
    const known = CHECKOUT_RELEASES.find(({ sha }) => sha === action.ref.toLowerCase());
    if (known !== undefined) return known.tag;
  }
  return /\bv?\d{1,3}(?:\.\d+)*\b/.exec(step.uses?.comment ?? '')?.[0];
}
