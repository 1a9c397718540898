import { z } from 'zod';
import { Uuid } from '#lib/db/shapes/common.ts';
import { PROBLEM_CODES } from '#lib/errors.ts';

export const ProblemBody = z
  .strictObject({
    type: z.string().meta({ description: 'Page that explains the code', format: 'uri-reference' }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.enum(PROBLEM_CODES),
    request_id: z.string(),
    errors: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'Problem' });

const NO_ROW = crypto.randomUUID();

export const PathId = z
  .string()
  .meta({ format: 'uuid' })
  .transform((text) => (Uuid.safeParse(text).success ? text : NO_ROW));

export function wholeUpTo(most: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/, 'not a whole number')
    .transform(Number)
    .refine((number) => number >= 1 && number <= most, `not from 1 to ${most}`);
}

export const OrgQuery = z.object({
  org: Uuid.optional().meta({ description: 'Organization of the caller; defaults to the personal one' }),
});
