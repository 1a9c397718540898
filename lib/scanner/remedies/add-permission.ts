import { writeSigns } from '#lib/analysis/privileges/token-usage.ts';
import type { TextEdit } from '#lib/workflow/edits/edit.ts';
import { indentUnit, insertKeys, mayInsert, setKey } from '#lib/workflow/edits/keys.ts';
import type { Job } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';

/**
 * The edits that give a job's token write access to scopes: into the job's own block, where it has none of them yet.
 * Undefined where there is no such block.
 */
export function addWritePermission({ permissions }: Job, scopes: readonly string[]): TextEdit[] | undefined {
  const node = permissions?.node;
  if (node?.kind !== 'mapping' || node.shared) return undefined;
  // A scope that is there with another level is changed where it stands.
  if ([...node.entries.values()].some(({ merged }) => merged) || scopes.some((scope) => node.entries.has(scope))) {
    return undefined;
  }
  const edit = insertKeys(node, Object.fromEntries(scopes.map((scope) => [scope, 'write'])));
  return edit && [edit];
}

/** A grant to a job, and whether its other rights are what its steps show and not what it has today. */
export interface Grant {
  readonly edits: readonly TextEdit[];
  readonly guessed: boolean;
}

/**
 * {@link addWritePermission}, or a block of the job's own with what it has today: the workflow's rights, or where no block says
 * anything those that its steps show. Undefined where that cannot be written, or does not show.
 */
export function addPermissions(job: Job, scopes: readonly string[], repository: Repository): Grant | undefined {
  const { workflow } = job;
  if (!mayInsert(workflow)) return undefined;
  if (job.permissions !== undefined) {
    const edits = addWritePermission(job, scopes);
    return edits && { edits, guessed: false };
  }
  const inherited = workflow.permissions;
  if (inherited?.all !== undefined) return undefined;
  const levels = new Map<string, string>();
  if (inherited !== undefined) for (const { scope, level } of inherited.scopes) levels.set(scope, level);
  else {
    const signs = writeSigns(job, repository);
    if (signs.unknown) return undefined;
    levels.set('contents', 'read');
    for (const scope of signs.reads) levels.set(scope, 'read');
    for (const scope of signs.scopes) levels.set(scope, 'write');
  }
  for (const scope of scopes) levels.set(scope, 'write');
  const edit = setKey(job.mapping, 'permissions', Object.fromEntries(levels), { unit: indentUnit(workflow) });
  return edit && { edits: [edit], guessed: inherited === undefined };
}
