import type { CommitMembership } from '#lib/facts/facts.ts';
import { FoundAction, FoundFile, FoundObject, FoundRef, type Named } from './action-queries.ts';
import type { Wanted } from './action-wants.ts';

const MAX_DEFINITION_BYTES = 100_000;

export interface Learnt {
  readonly fullName: string;
  readonly isPublic: boolean;
  readonly archived: boolean;
  readonly head: string | undefined;
  readonly tags: Map<string, string>;
  readonly branches: Map<string, string>;
  readonly tagObjects: Map<string, string>;
  readonly partial: Set<'tags' | 'branches'>;
  readonly absent: Set<string>;
  readonly asked: Set<string>;
  readonly dates: Map<string, number>;
  readonly tagsSince: number;
  readonly commits: Map<string, CommitMembership>;
  readonly definitions: Map<string, string>;
}

export function lengthOf(definitions: ReadonlyMap<string, string>): number {
  return [...definitions.values()].reduce((sum, { length }) => sum + length, 0);
}

export function learn(wanted: Wanted, found: FoundAction, isOpen: (alias: string) => boolean): Learnt {
  const tags = new Map<string, string>();
  const branches = new Map<string, string>();
  const tagObjects = new Map<string, string>();
  const dates = new Map<string, number>();
  const put = (into: Map<string, string>, named: Named | null): number | undefined => {
    const tip = named === null ? undefined : peel(named);
    if (named === null || tip === undefined) return undefined;
    into.set(named.name, tip.oid);
    if (named.target?.target !== undefined) tagObjects.set(named.target.oid.toLowerCase(), tip.oid);
    if (tip.date !== undefined) dates.set(tip.oid, tip.date);
    return tip.date;
  };
  let tagsSince = Number.POSITIVE_INFINITY;
  for (const named of found.tags?.nodes ?? []) tagsSince = Math.min(tagsSince, put(tags, named) ?? tagsSince);
  for (const named of found.branches?.nodes ?? []) put(branches, named);
  const partial = new Set<'tags' | 'branches'>();
  if (found.tags?.pageInfo.hasNextPage !== false || !isOpen('tags')) partial.add('tags');
  if (found.branches?.pageInfo.hasNextPage !== false || !isOpen('branches')) partial.add('branches');
  const absent = new Set<string>();
  const asked = new Set<string>();
  for (const [index, name] of wanted.names.entries()) {
    const lookUp = (alias: string, into: Map<string, string>, full: string): boolean => {
      const ref = FoundRef.safeParse(found[alias]);
      if (!isOpen(alias) || !ref.success) return false;
      if (ref.data === null) absent.add(full);
      else put(into, { ...ref.data, name });
      return true;
    };
    const both = [lookUp(`t${index}`, tags, `refs/tags/${name}`), lookUp(`b${index}`, branches, `refs/heads/${name}`)];
    if (!both.includes(false)) asked.add(name);
  }
  const tips = new Set([...tags.values(), ...branches.values()]);
  const commits = new Map<string, CommitMembership>();
  for (const [index, commit] of wanted.commits.entries()) {
    const object = FoundObject.safeParse(found[`c${index}`]);
    if (!isOpen(`c${index}`) || !object.success) continue;
    asked.add(commit);
    if (tips.has(commit)) commits.set(commit, 'own');
    else if (object.data?.type !== 'Commit') commits.set(commit, 'missing');
    else dates.set(commit, Date.parse(object.data.committedDate ?? '') || 0);
  }
  const definitions = new Map<string, string>();
  for (const [index, { key, file }] of wanted.definitions.entries()) {
    const content = FoundFile.safeParse(found[`f${index}`]);
    if (!isOpen(`f${index}`) || !content.success) continue;
    asked.add(file);
    const { text, isTruncated, byteSize = 0 } = content.data ?? {};
    if (typeof text === 'string' && isTruncated !== true && byteSize <= MAX_DEFINITION_BYTES) {
      if (!definitions.has(key)) definitions.set(key, text);
    }
  }
  return {
    fullName: found.nameWithOwner,
    isPublic: found.visibility === 'PUBLIC',
    archived: found.isArchived,
    head: found.defaultBranchRef?.target?.oid,
    tags,
    branches,
    tagObjects,
    partial,
    absent,
    asked,
    dates,
    tagsSince,
    commits,
    definitions,
  };
}

function peel({ target }: Named): { readonly oid: string; readonly date: number | undefined } | undefined {
  let at: { oid: string; committedDate?: string | undefined; target?: unknown } | null | undefined = target;
  while (at?.target !== undefined) at = at.target as typeof at;
  if (at === null || at === undefined) return undefined;
  const date = at.committedDate === undefined ? Number.NaN : Date.parse(at.committedDate);
  return { oid: at.oid.toLowerCase(), date: Number.isNaN(date) ? undefined : date };
}
