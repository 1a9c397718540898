import { z } from 'zod';
import { defineOperation } from '../route/operation.ts';

const document = {
  verb: 'GET',
  access: 'public',
  reply: z.record(z.string(), z.unknown()),
  replyDescription: 'An OpenAPI 3.1 document.',
} as const;

export const getPublicDocument = defineOperation({
  ...document,
  id: 'getPublicDocument',
  path: '/openapi.json',
  summary: 'OpenAPI document of the public part',
});

export const getFullDocument = defineOperation({
  ...document,
  id: 'getFullDocument',
  path: '/openapi.full.json',
  summary: 'OpenAPI document of the whole API',
});
