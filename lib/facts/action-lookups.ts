import type { Fix } from '#lib/scanner/engine/rule.ts';
import { replaceVerbatim } from '#lib/workflow/edits/scalars.ts';
import { type RepositoryReference, usesOf } from '#lib/workflow/model/action-uses.ts';
import type { Definition, Job, Step, Uses } from '#lib/workflow/model/model.ts';
import { parseVersion, tagInComment } from '#lib/workflow/model/versions.ts';
import type { Repository } from '#lib/workflow/repository.ts';
import type { ActionFacts, Facts, NetworkFacts } from './facts.ts';

/** A use of another repository's action or workflow. */
export interface RepositoryUse {
  readonly uses: Uses;
  readonly at: Step | Job;
  readonly reference: RepositoryReference;
}

export function* repositoryUsesOf(definition: Definition): Generator<RepositoryUse> {
  for (const { uses, at } of usesOf(definition)) {
    const { reference } = uses;
    if (reference?.kind === 'repository') yield { uses, at, reference };
  }
}

/** The uses whose repository the network's facts tell of. */
export function* knownUsesOf(
  definition: Definition,
  facts: Facts,
): Generator<RepositoryUse & { readonly known: ActionFacts }> {
  const network = networkOf(facts);
  if (network === undefined) return;
  for (const use of repositoryUsesOf(definition)) {
    const known = network.actions.get(use.reference.slug);
    if (known !== undefined) yield { ...use, known };
  }
}

/** The same over a repository, the first use of each action at each ref: what is said of it is said once. */
export function* distinctUsesIn(
  { workflows, actions }: Repository,
  facts: Facts,
): Generator<RepositoryUse & { readonly known: ActionFacts }> {
  const seen = new Set<string>();
  for (const definition of [...workflows, ...actions]) {
    for (const use of knownUsesOf(definition, facts)) {
      const { slug, path, ref } = use.reference;
      const key = JSON.stringify([slug, path, ref]);
      if (!seen.has(key)) yield use;
      seen.add(key);
    }
  }
}

export function networkOf({ network }: Facts): NetworkFacts | undefined {
  return 'value' in network ? network.value : undefined;
}

/** `owner/repo`, with the path below it, as it is written. */
export function nameOf({ owner, repo, path }: RepositoryReference): string {
  return [owner, repo, ...(path === '' ? [] : [path])].join('/');
}

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
  const edit = replaceVerbatim(text, part.start, part.end, replacement);
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
