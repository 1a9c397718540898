import * as actions from '#lib/db/queries/actions.ts';
import type { ActionSort, Band, ListedActions } from '#lib/db/shapes/actions.ts';
import { parseRepositoryName, type RepositoryName } from '#lib/hosts/code-host/repository-name.ts';
import { BANDS } from '#lib/scorer/score.ts';
import type { Services } from '../context.ts';
import { bounded } from './bounded.ts';
import { PageCache } from './page-cache.ts';
import { groupMoves, type ShownMove } from './tag-moves.ts';

export const ALL_BANDS: readonly Band[] = BANDS.map(([band]) => band);
export const PAGE_SIZE = 30;

export interface DirectoryFilter {
  readonly text: string;
  readonly bands: readonly Band[];
  readonly sort: ActionSort;
  readonly descending: boolean;
  readonly page: number;
}

export interface ShownAction {
  readonly owner: string;
  readonly name: string;
  readonly description: string | null;
  readonly score: number;
  readonly band: Band;
  readonly doubtful: boolean;
  readonly stars: number | null;
  readonly archived: boolean;
  readonly scoredAt: string;
}

export interface Directory {
  readonly actions: readonly ShownAction[];
  readonly total: number;
  readonly pages: number;
  readonly counts: Readonly<Partial<Record<Band, number>>>;
}

export interface RecentMove extends ShownMove {
  readonly owner: string;
  readonly name: string;
}

const MAX_DESCRIPTION = 160;
const MOVED_DAYS = 90;
const MAX_MOVES = 500;
const SHOWN_MOVES = 8;
const MAX_NAMES = 40_000;

const directories = new PageCache<Directory>(300);
const recent = new PageCache<readonly RecentMove[]>(1);
const names = new PageCache<Awaited<ReturnType<typeof actions.listNames>>>(1);

export async function browseActions(services: Services, filter: DirectoryFilter): Promise<Directory> {
  const { text, bands, sort, descending, page } = filter;
  const db = services.adminDb();
  return directories.get(db, JSON.stringify([text, bands, sort, descending, page]), async () => {
    const listing = { query: text, bands, sort, descending, limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE };
    return toDirectory(await actions.list(db, listing), bands);
  });
}

/** Returns the release tags that moved in the last 90 days, newest first, at most five minutes old. */
export async function readRecentMoves(services: Services): Promise<readonly RecentMove[]> {
  const db = services.adminDb();
  return recent.get(db, '', async () => {
    const moves = await actions.listTagMoves(db, MOVED_DAYS, MAX_MOVES);
    return groupMoves(moves, ({ owner, name }) => `${owner}/${name}`)
      .slice(0, SHOWN_MOVES)
      .map(({ first: { owner, name }, ...move }) => ({ ...move, owner, name }));
  });
}

export async function listActionNames(services: Services) {
  const db = services.adminDb();
  return names.get(db, '', () => actions.listNames(db, MAX_NAMES));
}

export function actionNamed({ env }: Pick<Services, 'env'>, text: string): RepositoryName | undefined {
  return parseRepositoryName(text, env.scm.webUrl);
}

function toDirectory({ actions: rows, bands: counts }: ListedActions, chosen: readonly Band[]): Directory {
  const counted = chosen.length === 0 ? ALL_BANDS : chosen;
  const total = counted.reduce((sum, band) => sum + (counts[band] ?? 0), 0);
  return {
    actions: rows.map(({ owner, name, description, score, band, provisional, stars, archived, scored_at }) => ({
      owner,
      name,
      description: description === null ? null : bounded(description, MAX_DESCRIPTION),
      score,
      band,
      doubtful: provisional && (band === 'A' || band === 'B'),
      stars,
      archived,
      scoredAt: scored_at,
    })),
    total,
    pages: Math.max(1, Math.ceil(total / PAGE_SIZE)),
    counts,
  };
}

export function canScore({ env }: Pick<Services, 'env'>): boolean {
  return env.database !== null && env.scmPublicToken !== null;
}
