import { storable } from '#lib/combos/evidence.ts';
import type { ActionUse } from '#lib/db/queries/scans.ts';
import { usesOf } from '#lib/workflow/model/action-uses.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';

const MAX_USES = 5_000;
/** Names that GitHub allows, in lengths that the database accepts. */
const OWNER = /^[A-Za-z0-9-]{1,100}$/;
const NAME = /^[A-Za-z0-9._-]{1,100}$/;
const MAX_PATH = 500;
const MAX_REF = 300;
const MAX_FILE = 1_000;

export function actionUsesOf({ workflows, actions }: Repository): ActionUse[] {
  const found: ActionUse[] = [];
  for (const definition of [...workflows, ...actions]) {
    const { source } = definition;
    if (source.path.length > MAX_FILE) continue;
    for (const { uses, reference } of usesOf(definition)) {
      if (found.length === MAX_USES) return found;
      if (reference?.kind !== 'repository') continue;
      const { owner, repo: name, path, ref } = reference;
      if (!OWNER.test(owner) || !NAME.test(name) || path.length > MAX_PATH || ref.length > MAX_REF) continue;
      const { line } = source.position(uses.span.start);
      found.push({ owner, name, path: storable(path), ref: storable(ref), file: storable(source.path), line });
    }
  }
  return found;
}
