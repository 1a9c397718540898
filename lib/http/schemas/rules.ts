import { z } from 'zod';
import { Category, Severity } from '#lib/db/shapes/common.ts';
import { isRule } from '#lib/services/rules/catalog.ts';
import { defineOperation } from '../route/operation.ts';

export const RuleId = z
  .string()
  .refine(isRule, 'not a rule of the catalog')
  .meta({ description: 'A rule of the catalog' });

/** A rule id in a path, in the catalog or not; characters that cannot be stored are replaced. */
export const PathSlug = z.string().transform((text) => text.toWellFormed().replaceAll('\0', '\uFFFD'));

export const Surface = z.enum(['workflow', 'repo-settings']);

const CatalogRule = z
  .strictObject({
    id: z.string(),
    category: Category,
    title: z.string(),
    default_severity: Severity,
    surface: Surface,
    description: z.string(),
    doc_url: z.string().meta({ format: 'uri-reference' }),
  })
  .meta({ id: 'CatalogRule' });

export const listRules = defineOperation({
  id: 'listRules',
  verb: 'GET',
  path: '/api/rules',
  summary: 'List all rules',
  access: 'user',
  reply: z.strictObject({ rules: z.array(CatalogRule) }).meta({ id: 'RuleCatalog' }),
  replyDescription: 'Every rule, sorted by id.',
});

export type CatalogRule = z.output<typeof CatalogRule>;
