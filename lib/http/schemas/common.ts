import { z } from 'zod';
import { PROBLEM_CODES } from '#lib/errors.ts';

export const Timestamp = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .meta({ format: 'date-time', description: 'RFC 3339 in UTC with milliseconds' });

export const Severity = z.enum(['HIGH', 'MEDIUM', 'LOW', 'INFO']);

export const Category = z
  .string()
  .regex(/^CICD-SEC-(?:[1-9]|10)$/)
  .meta({ description: 'OWASP Top 10 CI/CD Security Risks' });

export const Count = z
  .int()
  .nonnegative()
  .meta({ examples: [3] });

export const Counts = z.strictObject({ HIGH: Count, MEDIUM: Count, LOW: Count, INFO: Count });

export const NotAssessed = z.strictObject({
  rule_id: z.string(),
  reason: z.enum(['disabled', 'not_run', 'no_permission', 'offline', 'rate_limited', 'rule_error', 'unsupported_host']),
});

/** RFC 9457. */
export const ProblemBody = z
  .strictObject({
    type: z.string().meta({ description: 'A page that explains the code', format: 'uri-reference' }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.enum(PROBLEM_CODES),
    request_id: z.string(),
    errors: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'Problem' });

export const Uuid = z.guid().meta({ format: 'uuid' });

/** The id of no row. */
const NO_ROW = crypto.randomUUID();

/** Names a row in a path. What is no uuid names none, and is answered as an id that nobody has. */
export const PathId = z
  .string()
  .meta({ format: 'uuid' })
  .transform((text) => (Uuid.safeParse(text).success ? text : NO_ROW));

/** Which organization a list or a call is about. */
export const OrgQuery = z.object({
  org: Uuid.optional().meta({ description: 'An organization of the caller; the personal one when left out' }),
});

/** What is open in the last scan of a repository. */
export const OpenCounts = z.strictObject({ high: Count, medium: Count, low: Count, info: Count });
