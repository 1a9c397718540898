import { z } from 'zod';
import type { Shape } from './shape.ts';

export const Uuid = z.guid().meta({ format: 'uuid' });

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

export type NotAssessed = Shape<typeof NotAssessed>;
