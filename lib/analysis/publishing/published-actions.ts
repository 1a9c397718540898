import { type Action, type Step } from '#lib/workflow/model/model.ts';
import { memoByNode } from '../memo.ts';

/**
 * True for an action that other repositories use: the one at a repository's root, or one with branding for the
 * marketplace.
 */
export const isPublishedAction = memoByNode(
  ({ source, root, usedBy }: Action): boolean =>
    usedBy === undefined && (!source.path.includes('/') || root.entries.has('branding')),
);

export function isInPublishedAction({ parent }: Step): boolean {
  return parent.kind === 'action' && isPublishedAction(parent);
}
