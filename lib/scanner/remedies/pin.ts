import { replaceVerbatim, setComment } from '#lib/workflow/edits/scalars.ts';
import type { Uses } from '#lib/workflow/model/model.ts';
import { parseVersion, tagInComment } from '#lib/workflow/model/versions.ts';
import type { Fix } from '../engine/rule.ts';

export function editUses(
  { text }: Uses,
  part: { readonly start: number; readonly end: number },
  replacement: string,
  safety: Fix['safety'],
): Fix | undefined {
  const edit = replaceVerbatim(text, part.start, part.end, replacement);
  return edit && { safety, edits: [edit] };
}

export function pinTo(uses: Uses, commit: string, version: string, safety: Fix['safety']): Fix | undefined {
  const { reference } = uses;
  if (reference?.kind !== 'repository') return undefined;
  const { ref, refStart } = reference;
  return commentedWith(uses, { start: refStart, end: refStart + ref.length }, commit, version, safety);
}

/** Replaces a range of a `uses` value; updates a comment that names a version or the ref, adds a missing one, and keeps any other. */
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
  const known = parseVersion(version) === undefined ? undefined : tagInComment(comment);
  const outdated = comment === ref ? ref : known;
  const edit = comment !== undefined && outdated === undefined ? undefined : setComment(text, version, outdated);
  return edit === undefined ? fix : { safety, edits: [...fix.edits, edit] };
}
