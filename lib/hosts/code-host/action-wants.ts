import type { Unread } from '#lib/facts/facts.ts';
import type { UsedAction } from '#lib/workflow/model/action-uses.ts';
import { isFullSha } from '#lib/workflow/model/reference.ts';
import type { ActionQuestions } from './action-queries.ts';

const MAX_QUESTIONS = 12;
const MAX_REPOSITORIES = 20;
const MAX_FIELDS = 160;

export interface Wanted extends ActionQuestions {
  readonly slug: string;
  readonly definitions: readonly { readonly key: string; readonly file: string }[];
  readonly dropped: readonly Unread[];
}

export function toQuestions({ owner, repo, slug, references }: UsedAction): Wanted {
  const names = new Set<string>();
  const commits = new Set<string>();
  const definitions: Wanted['definitions'][number][] = [];
  const dropped: Unread[] = [];
  for (const { path, ref, claimed } of references) {
    if (/^[0-9a-f]{40}$/i.test(ref)) commits.add(ref.toLowerCase());
    else if (isName(ref)) names.add(ref);
    if (claimed !== undefined && isName(claimed)) names.add(claimed);
    const key = `${path}@${ref}`;
    if ((!isFullSha(ref) && !isName(ref)) || !isPath(path) || definitions.some((each) => each.key === key)) continue;
    const revision = isFullSha(ref) ? ref.toLowerCase() : ref;
    if (definitions.length >= 2 * MAX_QUESTIONS) {
      dropped.push({ what: 'definitions', name: `${slug}/${key}`, reason: 'rate_limited' });
    } else if (/\.ya?ml$/.test(path)) definitions.push({ key, file: `${revision}:${path}` });
    else {
      const folder = path === '' ? '' : `${path}/`;
      for (const name of ['action.yml', 'action.yaml']) definitions.push({ key, file: `${revision}:${folder}${name}` });
    }
  }
  for (const name of [...names].slice(MAX_QUESTIONS)) {
    dropped.push({ what: 'network', name: `${slug}@${name}`, reason: 'rate_limited' });
  }
  for (const commit of [...commits].slice(MAX_QUESTIONS)) {
    dropped.push({ what: 'commits', name: `${slug}@${commit}`, reason: 'rate_limited' });
  }
  return {
    owner,
    name: repo,
    slug,
    names: [...names].slice(0, MAX_QUESTIONS),
    commits: [...commits].slice(0, MAX_QUESTIONS),
    files: definitions.map(({ file }) => file),
    definitions,
    dropped,
  };
}

function isName(ref: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_./+-]{0,199}$/.test(ref) && !ref.includes('..') && !ref.includes('//');
}

function isPath(path: string): boolean {
  const isName = (name: string): boolean => /^[\w.@+-]+$/.test(name) && !/^\.+$/.test(name);
  return path === '' || (path.length <= 300 && path.split('/').every(isName));
}

export function batchesOf(wanted: readonly Wanted[]): Wanted[][] {
  const batches: Wanted[][] = [];
  let fields = 0;
  for (const each of wanted) {
    const own = 1 + 2 * each.names.length + each.commits.length + each.files.length;
    const last = batches.at(-1);
    if (last === undefined || last.length >= MAX_REPOSITORIES || fields + own > MAX_FIELDS) {
      batches.push([each]);
      fields = own;
    } else {
      last.push(each);
      fields += own;
    }
  }
  return batches;
}
