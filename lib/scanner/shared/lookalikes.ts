import { POPULAR_ACTIONS, TRUSTED_OWNERS } from '#lib/data/curated/popular-actions.ts';
import { confusableSkeleton, isOneEditApart } from '#lib/workflow/patterns/name-similarity.ts';

const POPULAR: ReadonlySet<string> = new Set(POPULAR_ACTIONS);
const POPULAR_OWNERS: ReadonlySet<string> = new Set([
  ...TRUSTED_OWNERS,
  ...POPULAR_ACTIONS.map((name) => name.slice(0, name.indexOf('/'))),
]);
const OWNERS_BY_REPO = new Map<string, string[]>();
for (const popular of POPULAR_ACTIONS) {
  const [owner = '', repo = ''] = popular.split('/');
  OWNERS_BY_REPO.set(repo, [...(OWNERS_BY_REPO.get(repo) ?? []), owner]);
}
const BY_SKELETON: ReadonlyMap<string, string> = new Map(
  POPULAR_ACTIONS.map((name) => [confusableSkeleton(name), name]),
);

/** In shorter names, one character makes a different name. */
const MIN_OWNER_LENGTH = 5;

/**
 * The popular action that another one can be mistaken for, both as lower-case `owner/repo`; undefined if there is none.
 * Owners of a popular action are trusted for their other actions too.
 */
export function lookalikeOf(slug: string): string | undefined {
  const [owner = '', repo = ''] = slug.split('/');
  if (POPULAR.has(slug) || POPULAR_OWNERS.has(owner)) return undefined;
  const near = OWNERS_BY_REPO.get(repo)?.find(
    (popular) => popular.length >= MIN_OWNER_LENGTH && isOneEditApart(owner, popular),
  );
  return near === undefined ? BY_SKELETON.get(confusableSkeleton(slug)) : `${near}/${repo}`;
}
