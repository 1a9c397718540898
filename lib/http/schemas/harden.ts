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
      .meta({ description: 'File name in the diff; `workflow.yml` by default' }),
    categories: z
      .array(Category)
      .max(10)
      .optional()
      .meta({ description: 'Limits fixes to these categories; all if omitted or empty' }),
    include_review: z
      .boolean()
      .optional()
      .meta({ description: 'Also apply fixes that can change how a run behaves; review each' }),
  })
  .meta({ id: 'HardenRequest' });

const Hunk = z
  .strictObject({ old_start: Count, old_lines: Count, new_start: Count, new_lines: Count })
  .meta({ id: 'HardenHunk', description: '1-based line numbers; for an insertion, `old_start` is the line before it' });

const HardenReply = z
  .strictObject({
    hardened: z.string(),
    diff: z.string().meta({
      description: 'Unified diff with three lines of context; `patch -p1` turns the original into `hardened`',
    }),
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
      .meta({ description: 'Findings of the chosen categories that stay, with the reason' }),
    remaining: Counts.meta({ description: 'Findings in the hardened text, in all categories' }),
  })
  .meta({ id: 'HardenReply' });

export const hardenWorkflow = defineOperation({
  id: 'hardenWorkflow',
  verb: 'POST',
  path: '/api/public/harden',
  summary: 'Harden a workflow',
  description:
    'Fixes everything that does not change how a legitimate run behaves. Idempotent; nothing is stored. Shares the rate limit of the public scan: five requests a minute per IP address, thirty for everyone together. With CICD-SEC-3, up to 50 action versions are looked up within ten seconds; fixing may take ten more (504 after that). With `include_review`, up to 20 image digests are also looked up at well-known registries.',
  access: 'public',
  body: HardenRequest,
  // 256 KiB of text, JSON-escaped.
  maxBodyBytes: 2 * 1024 * 1024,
  oversized: 'validation-failed',
  reply: HardenReply,
  replyDescription: 'The hardened text and its changes by category.',
  errors: ['invalid-json', 'validation-failed', 'not-a-workflow', 'rate-limited', 'not-configured', 'timed-out'],
});
