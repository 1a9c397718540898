import type { Checkout } from '#lib/analysis/checkouts/checkouts.ts';
import { jobOf, type Step } from '#lib/workflow/model/model.ts';

export type FactKind = 'agent' | 'download' | 'text';

export function factOf(kind: FactKind, step: Step): string {
  return `${kind} ${jobOf(step)?.id ?? ''} ${step.index}`;
}

export function checkoutFact({ span }: Pick<Checkout, 'span'>): string {
  return `checkout ${span.start}`;
}
