import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { Category, Severity } from './common.ts';

const CatalogRule = z
  .strictObject({
    id: z.string(),
    category: Category,
    title: z.string(),
    default_severity: Severity,
    surface: z.enum(['workflow', 'repo-settings']),
    description: z.string(),
    doc_url: z.string().meta({ format: 'uri-reference' }),
  })
  .meta({ id: 'CatalogRule' });

export const listRules = defineOperation({
  id: 'listRules',
  verb: 'GET',
  path: '/api/rules',
  summary: 'The catalog of rules',
  access: 'user',
  reply: z.strictObject({ rules: z.array(CatalogRule) }).meta({ id: 'RuleCatalog' }),
  replyDescription: 'Every rule, by its id.',
});
