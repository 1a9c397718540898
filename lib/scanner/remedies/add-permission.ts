import { writeSigns } from '#lib/analysis/privileges/token-usage.ts';
import { lineBreakOf, type TextEdit } from '#lib/workflow/edits/edit.ts';
import { indentUnit, insertAfter, insertFirst, mayInsert } from '#lib/workflow/edits/insert-key.ts';
import type { Job } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import type { YamlMapping } from '#lib/workflow/yaml/parse.ts';

/**
 * The edits that give a job's token write access to scopes: into the job's own block, where it has none of them yet.
 * Undefined where there is no such block.
 */
export function addWritePermission({ permissions, workflow }: Job, scopes: readonly string[]): TextEdit[] | undefined {
  const node = permissions?.node;
  if (node?.kind !== 'mapping' || node.shared) return undefined;
  const entries = [...node.entries.values()].filter(({ merged }) => !merged);
  const [first] = entries;
  // A scope that is there with another level is changed where it stands.
  if (entries.length < node.entries.size || scopes.some((scope) => node.entries.has(scope))) return undefined;
  if (first === undefined || node.flow) return grantInBraces(node, scopes, workflow.source.text);
  const { text } = workflow.source;
  const { start } = first.key.span;
  const indent = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  if (indent.trim() !== '' || indent.length < indentUnit(workflow).length) return undefined;
  const inserted = scopes.map((scope) => `${scope}: write${lineBreakOf(text)}${indent}`).join('');
  return [{ span: { start, end: start }, text: inserted }];
}

function grantInBraces(node: YamlMapping, scopes: readonly string[], text: string): TextEdit[] | undefined {
  const granted = scopes.map((scope) => `${scope}: write`).join(', ');
  const last = [...node.entries.values()].at(-1);
  if (last !== undefined) {
    const edit = insertAfter(node, last, text, [granted], granted);
    return edit && [edit];
  }
  const { start, end } = node.span;
  return node.flow && /^\{\s*\}$/.test(text.slice(start, end))
    ? [{ span: node.span, text: `{ ${granted} }` }]
    : undefined;
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
  const unit = indentUnit(workflow);
  const lines = [...levels].map(([scope, level]) => `${unit}${scope}: ${level}`);
  const edit = insertFirst(job.mapping, workflow.source.text, ['permissions:', ...lines]);
  return edit && { edits: [edit], guessed: inherited === undefined };
}
