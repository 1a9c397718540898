import { z } from 'zod';
import { ActionDetail, ActionPage, ActionSort, RankedAction } from '#lib/db/shapes/actions.ts';
import { Count, Uuid } from '#lib/db/shapes/common.ts';
import { defineOperation } from '../route/operation.ts';
import { wholeUpTo } from './common.ts';

const DirectoryQuery = z.object({
  q: z.string().max(100).optional().meta({ description: 'Part of a name or description' }),
  sort: ActionSort.optional().meta({ description: '`score` by default' }),
  order: z.enum(['asc', 'desc']).optional().meta({ description: '`asc` by default' }),
  page: wholeUpTo(1_000_000).optional(),
  per_page: wholeUpTo(100).optional().meta({ description: '30 by default' }),
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

export const requestAction = defineOperation({
  id: 'requestAction',
  verb: 'POST',
  path: '/api/public/actions/{owner}/{name}/request',
  summary: 'Score an action',
  description:
    'Reads and scores the newest release within ten seconds; what did not arrive by then counts as unknown. A score of the last hour is answered as it is. Five requests a minute from one address, thirty from all together.',
  access: 'public',
  params: z.object({ owner: z.string(), name: z.string() }),
  reply: ActionDetail,
  replyDescription: 'The action, scored.',
  also: {
    status: 202,
    reply: z.strictObject({ status: z.literal('pending') }).meta({ id: 'PendingAction' }),
    replyDescription: 'The code host cannot be reached: the action waits for the daily worker.',
  },
  errors: ['validation-failed', 'not-found', 'rate-limited', 'not-configured'],
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
    limit: wholeUpTo(500).optional().meta({ description: '100 by default' }),
  }),
  reply: z.array(RankedAction),
  replyDescription: 'Lowest score first.',
  errors: ['validation-failed', 'forbidden'],
});
