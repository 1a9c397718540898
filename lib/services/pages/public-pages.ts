import { combos } from '#lib/combos/combos/index.ts';
import { PROBLEM_CODES } from '#lib/errors.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import type { Services } from '../context.ts';
import { listActionNames } from './action-directory.ts';

interface PublicPage {
  readonly path: string;
  readonly changedAt?: string;
}

const FIXED = ['/', '/harden', '/rules', '/attack-paths', '/actions', '/actions/methodology', '/docs/api', '/problems'];

/** Returns the pages for search engines, without shared reports and actions that have no score. */
export async function listPublicPages(services: Services): Promise<readonly PublicPage[]> {
  const scored = services.env.database === null ? [] : await listActionNames(services);
  return [
    ...FIXED.filter((path) => path !== '/actions' || services.env.database !== null).map((path) => ({ path })),
    ...rules.map(({ id }) => ({ path: `/rules/${id}` })),
    ...combos.map(({ id }) => ({ path: `/attack-paths/${id}` })),
    ...PROBLEM_CODES.map((code) => ({ path: `/problems/${code}` })),
    ...scored.map(({ owner, name, scored_at }) => ({ path: `/actions/${owner}/${name}`, changedAt: scored_at })),
  ];
}
