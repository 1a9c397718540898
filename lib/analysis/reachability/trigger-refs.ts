import type { Trigger } from '#lib/workflow/model/model.ts';
import { entryOf } from '#lib/workflow/yaml/parse.ts';
import { memoByNode } from '../memo.ts';

export const ANY_BRANCH: readonly string[] = ['refs/heads/**'];
const ANY_TAG: readonly string[] = ['refs/tags/**'];

const MAX_PATTERNS = 20;
const MAX_PATTERN = 200;

/**
 * Returns patterns, in lower case, of what a push must change or a pull request must be for to start a run; undefined
 * if anything does.
 */
export const refsOf = memoByNode((trigger: Trigger): readonly string[] | undefined => {
  const { event, branches, tags } = trigger;
  const has = (key: string): boolean => entryOf(trigger.settings, key) !== undefined;
  if (event === 'pull_request' || event === 'pull_request_target') return patternsOf('heads', branches);
  if (event !== 'push') return undefined;
  const ofBranches = has('branches') || has('branches-ignore');
  const ofTags = has('tags') || has('tags-ignore');
  if (!ofBranches && !ofTags) return undefined;
  return [
    ...(ofBranches ? (patternsOf('heads', branches) ?? ANY_BRANCH) : []),
    ...(ofTags ? (patternsOf('tags', tags) ?? ANY_TAG) : []),
  ];
});

function patternsOf(kind: 'heads' | 'tags', named: readonly string[] | undefined): readonly string[] | undefined {
  const admitted = named?.filter((pattern) => !pattern.startsWith('!')) ?? [];
  if (admitted.length === 0 || admitted.length > MAX_PATTERNS) return undefined;
  return admitted.map((pattern) => `refs/${kind}/${loosened(pattern.toLowerCase())}`);
}

/** Signs such as `?` count the character before them. */
function loosened(pattern: string): string {
  const sign = pattern.slice(0, MAX_PATTERN + 1).search(/[?+[\\]|\$\{\{/);
  if (sign !== -1) return `${pattern.slice(0, Math.max(0, sign - 1))}**`;
  return pattern.length > MAX_PATTERN ? '**' : pattern.replaceAll('**/', '**');
}

export function isLiteralRef(pattern: string): boolean {
  return !pattern.includes('*');
}

export function literalStart(pattern: string): string {
  return pattern.split('*', 1)[0] ?? '';
}

/** True unless a name, in lower case, begins or ends otherwise than all that the pattern matches. */
export function mayMatch(pattern: string, name: string): boolean {
  if (isLiteralRef(pattern)) return pattern === name;
  return name.startsWith(literalStart(pattern)) && name.endsWith(pattern.slice(pattern.lastIndexOf('*') + 1));
}
