import { lineBreakOf, type TextEdit } from './edit.ts';
import { indentUnit } from './insert.ts';
import type { Job } from './model.ts';

/**
 * The edits that give a job's token write access to scopes: into the job's own block, in block style, where it has none of
 * them yet. Undefined where there is no such block.
 */
export function grantWrite({ permissions, workflow }: Job, scopes: readonly string[]): TextEdit[] | undefined {
  const node = permissions?.node;
  if (node?.kind !== 'mapping' || node.shared || node.flow) return undefined;
  const first = [...node.entries.values()].find(({ merged }) => !merged);
  // A scope that is there with another level is changed where it stands.
  if (first === undefined || scopes.some((scope) => node.entries.has(scope))) return undefined;
  const { text } = workflow.source;
  const { start } = first.key.span;
  const indent = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  if (indent.trim() !== '' || indent.length < indentUnit(workflow).length) return undefined;
  const inserted = scopes.map((scope) => `${scope}: write${lineBreakOf(text)}${indent}`).join('');
  return [{ span: { start, end: start }, text: inserted }];
}
