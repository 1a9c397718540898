import { z } from 'zod';
import { Count, Counts } from '#lib/db/shapes/common.ts';
import { defineOperation } from '../route/operation.ts';

const Category = z
  .enum([
    'CICD-SEC-1',
    'CICD-SEC-2',
    'CICD-SEC-3',
    'CICD-SEC-4',
    'CICD-SEC-5',
    'CICD-SEC-6',
    'CICD-SEC-7',
    'CICD-SEC-8',
    'CICD-SEC-9',
    'CICD-SEC-10',
  ])
  .meta({ description: 'OWASP Top 10 CI/CD Security Risks' });

const Line = z.int().positive();

const HardenRequest = z
  .strictObject({
    workflow: z.string().meta({
      description: 'The text of a GitHub Actions workflow, at most 256 KiB of UTF-8',
      examples: ['on: issues\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: make\n'],
    }),
    filename: z
      .string()
      .max(200)
      .regex(/^(?!\/)(?!(?:.*\/)?\.\.(?:\/|$))[A-Za-z0-9._/-]+$/)
      .optional()
      .meta({ description: 'What the difference calls the file; `workflow.yml` when left out' }),
    categories: z
      .array(Category)
      .max(10)
      .optional()
      .meta({ description: 'Only fixes of these; left out or empty, all of them' }),
    include_review: z
      .boolean()
      .optional()
      .meta({ description: 'Also fixes after which a run may behave differently; look at each' }),
  })
  .meta({ id: 'HardenRequest' });

const Hunk = z
  .strictObject({ old_start: Count, old_lines: Count, new_start: Count, new_lines: Count })
  .meta({ id: 'HardenHunk', description: 'Lines from 1; of a pure insertion, `old_start` is the line before it' });

const HardenReply = z
  .strictObject({
    hardened: z.string(),
    diff: z
      .string()
      .meta({ description: 'Unified, three lines of context; `patch -p1` makes `hardened` of the original' }),
    changed: z.boolean(),
    categories: z.array(
      z.strictObject({
        category: Category,
        title: z.string(),
        applied: z.boolean(),
        fixes: z.array(z.strictObject({ rule_id: z.string(), line: Line, description: z.string() })),
        hunks: z.array(Hunk),
      }),
    ),
    unattributed_hunks: z.array(Hunk).meta({ description: 'Changes that no category accounts for; normally empty' }),
    refused: z
      .array(z.strictObject({ rule_id: z.string(), line: Line, reason: z.string() }))
      .meta({ description: 'What was found in the chosen categories and stays, with why' }),
    remaining: Counts.meta({ description: 'Findings in the hardened text, of every category' }),
  })
  .meta({ id: 'HardenReply' });

export const hardenWorkflow = defineOperation({
  id: 'hardenWorkflow',
  verb: 'POST',
  path: '/api/public/harden',
  summary: 'Harden a workflow',
  description:
    'Fixes what can be fixed without changing what a legitimate run does. Nothing is stored. Hardening the result changes nothing. Shares the budget of the public scan: five requests a minute from one address, thirty from all together. Versions of actions are looked up for pinning when CICD-SEC-3 is chosen: at most 50, in ten seconds; fixing may take ten more (504 then). With `include_review` too, digests of at most 20 images are looked up at well-known registries.',
  access: 'public',
  body: HardenRequest,
  // 256 KiB of text, JSON-escaped.
  maxBodyBytes: 2 * 1024 * 1024,
  oversized: 'validation-failed',
  reply: HardenReply,
  replyDescription: 'The hardened text and what was changed for which category.',
  errors: ['invalid-json', 'validation-failed', 'not-a-workflow', 'rate-limited', 'not-configured', 'timed-out'],
});
