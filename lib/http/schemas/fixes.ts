import { z } from 'zod';
import { CampaignRuleset } from '#lib/db/shapes/campaigns.ts';
import { defineOperation } from '../route/operation.ts';
import { PathId } from './common.ts';
import { RuleId } from './rules.ts';

const MAX_PATH_LENGTH = 1_000;
const MAX_RULES = 500;

const FixPreviewRequest = z
  .strictObject({
    file: z.string().min(1).max(MAX_PATH_LENGTH).optional().meta({ description: 'Only this file' }),
    rule_ids: z.array(RuleId).min(1).max(MAX_RULES).optional().meta({ description: 'Only fixes of these rules' }),
    ruleset: CampaignRuleset.default('all'),
    include_review: z.boolean().default(false).meta({
      description: 'Also fixes that can change what a legitimate run does. Pull requests never contain them.',
    }),
  })
  .meta({ id: 'FixPreviewRequest' });

const Line = z.int().positive();

const FixPreview = z
  .strictObject({
    commit_sha: z.string().nullable().meta({ description: 'Null for an empty repository' }),
    files: z
      .array(
        z.strictObject({
          file: z.string(),
          changed: z.boolean(),
          diff: z.string().meta({ description: 'Unified diff with three lines of context; empty if nothing changes' }),
          fixes: z.array(z.strictObject({ rule_id: z.string(), line: Line, description: z.string() })),
          refused: z.array(z.strictObject({ rule_id: z.string(), line: Line, reason: z.string() })),
        }),
      )
      .meta({ description: 'Files with findings of the chosen rules. Lines are those before the fixes.' }),
  })
  .meta({ id: 'FixPreview' });

export const previewFixes = defineOperation({
  id: 'previewFixes',
  verb: 'POST',
  path: '/api/repositories/{repo_id}/fix-preview',
  summary: 'Show what a fix pull request would change',
  description:
    'Fixes the files at the head of the default branch as a remediation does, and returns the differences. Findings of disabled rules and triaged findings stay. Nothing is stored or written.',
  access: 'user',
  params: z.object({ repo_id: PathId }),
  body: FixPreviewRequest,
  reply: FixPreview,
  replyDescription: 'The fixes, file by file.',
  errors: ['invalid-json', 'validation-failed', 'not-found', 'scm-unreachable', 'not-configured', 'timed-out'],
});
