import type { Acting } from './acting.ts';
import { createBranch, headOf, moveBranch, removeBranch } from './branches.ts';
import type { Repository } from './model.ts';
import { Refused } from './refused.ts';

export interface RefUpdate {
  readonly name: string;
  readonly afterOid: string;
  readonly beforeOid?: string | null;
  readonly force?: boolean | null;
}

const NONE = /^0{40}$/;

/** Creates, moves and deletes branches as `updateRefs` does: all of them, or none if one is not where it should be. */
export async function updateRefs(acting: Acting, repository: Repository, updates: readonly RefUpdate[]): Promise<void> {
  const heads = new Map<string, string | undefined>();
  for (const { name, beforeOid } of updates) {
    const head = await headOf(acting, repository, name.replace(/^refs\/heads\//, ''));
    if (beforeOid != null && (NONE.test(beforeOid) ? undefined : beforeOid) !== head) {
      throw new Refused(422, `Reference ${name} is not at ${beforeOid}`);
    }
    heads.set(name, head);
  }
  for (const { name, afterOid, force } of updates) {
    const head = heads.get(name);
    if (NONE.test(afterOid)) await removeBranch(acting, repository, name);
    else if (head === undefined) await createBranch(acting, repository, name, afterOid);
    else await moveBranch(acting, repository, name, afterOid, force ?? false);
  }
}
