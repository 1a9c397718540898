import * as actions from '#lib/db/queries/actions.ts';
import type { ActionDetail, RankedAction } from '#lib/db/shapes/actions.ts';
import { AppError } from '#lib/errors.ts';
import { isRepositoryName } from '#lib/hosts/code-host/repository-name.ts';
import type { Services } from '../context.ts';

export interface DirectoryRequest {
  readonly q?: string | undefined;
  readonly sort?: actions.ActionListing['sort'] | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
  readonly page?: number | undefined;
  readonly per_page?: number | undefined;
}

export async function listActions(services: Services, request: DirectoryRequest) {
  const { q = '', sort = 'score', order = 'asc', page = 1, per_page = 30 } = request;
  const listing = {
    query: q.trim(),
    bands: [],
    sort,
    descending: order === 'desc',
    limit: per_page,
    offset: (page - 1) * per_page,
  };
  const { actions: rows, bands } = await actions.list(services.adminDb(), listing);
  const total = Object.values(bands).reduce((sum, number) => sum + number, 0);
  return { actions: rows.map(({ provisional: _provisional, ...row }) => row), total, page, per_page };
}

export async function readAction(services: Services, owner: string, name: string): Promise<ActionDetail> {
  const found = isRepositoryName({ owner, name }) ? await actions.read(services.adminDb(), owner, name) : null;
  if (found === null) throw new AppError('not-found', 'This action is not in the directory.');
  return found;
}

/** Ranks scored actions, lowest score first. With an organization, only those that its repositories use. */
export async function rankActions(
  services: Services,
  user: { readonly id: string },
  { org, limit = 100 }: { readonly org?: string | undefined; readonly limit?: number | undefined },
): Promise<readonly RankedAction[]> {
  return actions.rank(services.adminDb(), user.id, org ?? null, limit);
}
