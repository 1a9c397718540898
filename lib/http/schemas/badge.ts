import { z } from 'zod';
import { defineOperation } from '../route/operation.ts';

const BadgeQuery = z.object({
  style: z
    .string()
    .optional()
    .meta({ description: '`flat`, `flat-square`, `plastic` or `for-the-badge`; anything else is `flat`' }),
  label: z.string().optional().meta({ description: 'Text of the left half, at most 60 characters' }),
});

const BadgePath = z.object({ owner: z.string(), repo: z.string() });

const badge = {
  verb: 'GET',
  summary: 'Draw a badge with the latest result',
  description: 'Reads stored public scans only. Always returns an image, also for a repository that was never scanned.',
  access: 'public',
  tolerant: true,
  params: BadgePath,
  query: BadgeQuery,
  reply: z.string(),
  replyDescription: 'The badge.',
  mediaType: 'image/svg+xml',
} as const;

export const getBadge = defineOperation({ ...badge, id: 'getBadge', path: '/api/badge/{owner}/{repo}' });

export const getBadgeSvg = defineOperation({
  ...badge,
  id: 'getBadgeSvg',
  path: '/api/badge/{owner}/{repo}.svg',
  summary: 'Draw a badge with the latest result, at an address that ends in .svg',
});
