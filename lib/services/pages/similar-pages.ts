import { combos } from '#lib/combos/combos/index.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { likeness } from '#lib/workflow/patterns/name-similarity.ts';
import type { Services } from '../context.ts';
import { listActionNames } from './action-directory.ts';

export interface SimilarPage {
  readonly path: string;
  readonly label: string;
}

const MOST = 5;
const MAX_TYPED = 200;
const ALIKE = 0.45;
const SAME_PART = 0.1;

/** Returns the public pages whose addresses are most like one that leads nowhere. `more` are pages of `app`. */
export async function findSimilarPages(
  services: Services,
  path: string,
  more: readonly SimilarPage[],
): Promise<readonly SimilarPage[]> {
  const [part = '', ...rest] = segmentsOf(path);
  const wanted = rest.length === 0 ? part : rest.join('/');
  if (wanted === '') return [];
  const pages = [
    ...more,
    ...rules.map(({ id, meta }) => ({ path: `/rules/${id}`, label: meta.title })),
    ...combos.map(({ id, title }) => ({ path: `/attack-paths/${id}`, label: title })),
    ...(await actionsLike(services, wanted)),
  ];
  return pages
    .map((page) => {
      const [ownPart = '', ...own] = segmentsOf(page.path);
      const score = likeness(own.length === 0 ? ownPart : own.join('/'), wanted);
      return { page, score: score < ALIKE ? 0 : score + (ownPart === part ? SAME_PART : 0) };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST)
    .map(({ page }) => page);
}

function segmentsOf(path: string): readonly string[] {
  return path.toLowerCase().slice(0, MAX_TYPED).split('/').filter(Boolean);
}

/** Only names that begin alike are compared: there are tens of thousands. */
async function actionsLike(services: Services, wanted: string): Promise<readonly SimilarPage[]> {
  if (services.env.database === null || !wanted.includes('/')) return [];
  const [owner = '', name = ''] = wanted.split('/');
  const beginsLike = (full: string, typed: string) => full.toLowerCase().startsWith(typed.slice(0, 3));
  const names = await listActionNames(services).catch(() => []);
  return names
    .filter((action) => beginsLike(action.owner, owner) && beginsLike(action.name, name))
    .map((action) => ({ path: `/actions/${action.owner}/${action.name}`, label: `${action.owner}/${action.name}` }));
}
