import { z } from 'zod';
import { ActionDetail, ActionPage, ActionSort, RankedAction } from '#lib/db/shapes/actions.ts';
import { Count, Uuid } from '#lib/db/shapes/common.ts';
import { defineOperation } from '../route/operation.ts';

const Whole = z.string().regex(/^\d{1,9}$/, 'not a whole number');

const DirectoryQuery = z.object({
  q: z.string().max(100).optional().meta({ description: 'Part of a name or description' }),
  sort: ActionSort.optional().meta({ description: '`score` by default' }),
  order: z.enum(['asc', 'desc']).optional().meta({ description: '`asc` by default' }),
  page: Whole.transform(Number)
    .refine((page) => page >= 1 && page <= 1_000_000, 'not a page from 1')
    .optional(),
  per_page: Whole.transform(Number)
    .refine((size) => size >= 1 && size <= 100, 'not from 1 to 100')
    .optional()
    .meta({ description: '30 by default' }),
});

export const listActions = defineOperation({
  id: 'listActions',
  verb: 'GET',
  path: '/api/public/actions',
  summary: 'List scored actions',
  description: 'Each action is listed with the version that was scored last.',
  access: 'public',
  query: DirectoryQuery,
  reply: ActionPage.extend({ page: Count, per_page: Count }).meta({ id: 'ActionDirectory' }),
  replyDescription: 'One page; equal values are ordered by name.',
  errors: ['validation-failed', 'not-configured'],
});

const ActionPath = z.object({ owner: z.string(), name: z.string() });

export const getAction = defineOperation({
  id: 'getAction',
  verb: 'GET',
  path: '/api/public/actions/{owner}/{name}',
  summary: 'Get the risk score of an action',
  description: 'Owner and name are case-insensitive. Former names work too.',
  access: 'public',
  params: ActionPath,
  reply: ActionDetail,
  replyDescription: 'The newest evaluation with every signal, and the history.',
  errors: ['not-found', 'not-configured'],
});

export const rankActions = defineOperation({
  id: 'rankActions',
  verb: 'GET',
  path: '/api/actions/ranking',
  summary: 'Rank actions by risk',
  description: 'With `org`, only actions that repositories of that organization use.',
  access: 'user',
  query: z.object({
    org: Uuid.optional().meta({ description: 'An organization of the caller; without it, all scored actions' }),
    limit: Whole.transform(Number)
      .refine((limit) => limit >= 1 && limit <= 500, 'not from 1 to 500')
      .optional()
      .meta({ description: '100 by default' }),
  }),
  reply: z.array(RankedAction),
  replyDescription: 'Lowest score first.',
  errors: ['validation-failed', 'not-found'],
});
