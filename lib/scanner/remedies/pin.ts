import { editWithin } from '#lib/workflow/edits/edit.ts';
import type { Uses } from '#lib/workflow/model/model.ts';
import { parseVersion, tagInComment } from '#lib/workflow/model/versions.ts';
import type { Fix } from '../engine/rule.ts';

/**
 * Replaces a part of the text of a `uses`, counted in its value; undefined when the value does not stand in the file as
 * it is.
 */
export function editUses(
  { text }: Uses,
  part: { readonly start: number; readonly end: number },
  replacement: string,
  safety: Fix['safety'],
): Fix | undefined {
  const edit = editWithin(text, part.start, part.end, replacement);
  return edit && { safety, edits: [edit] };
}

/** Replaces the ref by a commit, and has the version beside it: {@link commentedWith}. */
export function pinTo(uses: Uses, commit: string, version: string, safety: Fix['safety']): Fix | undefined {
  const { reference } = uses;
  if (reference?.kind !== 'repository') return undefined;
  const { ref, refStart } = reference;
  return commentedWith(uses, { start: refStart, end: refStart + ref.length }, commit, version, safety);
}

/**
 * Replaces a part of the text of a `uses`. A comment beside it that names a version, or the ref, names this one afterwards;
 * without a comment there is one, and any other comment stays.
 */
export function commentedWith(
  uses: Uses,
  part: { readonly start: number; readonly end: number },
  replacement: string,
  version: string,
  safety: Fix['safety'],
): Fix | undefined {
  const { reference, text, comment } = uses;
  if (reference?.kind !== 'repository') return undefined;
  const { ref } = reference;
  const fix = editUses(uses, part, replacement, safety);
  if (fix === undefined) return undefined;
  const rest = /^[^\n\r]*/.exec(text.node.origin.slice(text.span.end))?.[0] ?? '';
  if (rest.trim() === '') {
    return {
      safety,
      edits: [...fix.edits, { span: { start: text.span.end, end: text.span.end }, text: ` # ${version}` }],
    };
  }
  const [, alone] = /^[ \t]+#[ \t]*(\S+)[ \t]*$/.exec(rest) ?? [];
  const outdated = alone === ref ? ref : parseVersion(version) === undefined ? undefined : tagInComment(comment);
  const index = outdated === undefined || !rest.includes('#') ? -1 : rest.indexOf(outdated, rest.indexOf('#'));
  if (outdated === undefined || index === -1) return fix;
  const start = text.span.end + index;
  return { safety, edits: [...fix.edits, { span: { start, end: start + outdated.length }, text: version }] };
}
