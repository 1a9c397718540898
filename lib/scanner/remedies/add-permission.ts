import { writeSigns } from '#lib/analysis/privileges/write-signs.ts';
import type { TextEdit } from '#lib/workflow/edits/edit.ts';
import { indentUnit, insertKeys, mayInsert, setKey } from '#lib/workflow/edits/keys.ts';
import type { Job } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';

export function addWritePermission({ permissions }: Job, scopes: readonly string[]): TextEdit[] | undefined {
  const node = permissions?.node;
  if (node?.kind !== 'mapping' || node.shared) return undefined;
  if ([...node.entries.values()].some(({ merged }) => merged) || scopes.some((scope) => node.entries.has(scope))) {
    return undefined;
  }
  const edit = insertKeys(node, Object.fromEntries(scopes.map((scope) => [scope, 'write'])));
  return edit && [edit];
}

export interface Grant {
  readonly edits: readonly TextEdit[];
  readonly guessed: boolean;
}

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
