import * as z from 'zod/mini';
import { CATEGORIES } from '#lib/scanner/engine/categories.ts';
import { SEVERITIES } from '#lib/scanner/engine/finding.ts';
import { RULESETS } from '#lib/scanner/engine/rulesets.ts';
import { REASONS } from './report.ts';

function described<T extends z.core.$ZodType>(shape: T, description: string): T {
  z.globalRegistry.add(shape, { description });
  return shape;
}

const count = z.int().check(z.nonnegative());
const position = z.nullable(z.int().check(z.positive()));
const root = described(
  z.string(),
  'The folder of the repository, relative to the path given; "." for the path itself.',
);
const reason = z.enum(Object.keys(REASONS) as [string, ...string[]]);

const Finding = z.object({
  root,
  rule_id: z.string(),
  severity: z.enum(SEVERITIES as [string, ...string[]]),
  confidence: z.enum(['high', 'medium', 'low']),
  category: z.enum(CATEGORIES as unknown as [string, ...string[]]),
  title: z.string(),
  file: described(z.nullable(z.string()), 'Relative to `root`; null for settings of the repository.'),
  line: position,
  column: position,
  end_line: position,
  end_column: position,
  description: z.string(),
  recommendation: z.string(),
  snippet: described(z.nullable(z.string()), 'The lines of the finding, without credentials.'),
  fingerprint: described(z.string().check(z.regex(/^[0-9a-f]{64}$/)), 'The same after lines moved.'),
  fixable: z.boolean(),
});

const Path = z.looseObject({
  root,
  id: z.string(),
  title: z.string(),
  severity: z.enum(['CRITICAL', 'HIGH', 'MEDIUM']),
  impact: z.string(),
  break_chain: z.string(),
  break_chain_rule: z.string(),
  stages: z.array(
    z.object({ order: count, title: z.string(), description: z.string(), rule_id: z.nullable(z.string()) }),
  ),
  components: z.array(z.object({ rule_id: z.string(), finding: Finding })),
});

/** What `scan --format json` prints. New keys may appear in a release; none goes away or changes before version 1. */
export const ScanReport = z.looseObject({
  version: described(z.string(), 'The version of the program.'),
  ruleset: z.enum(RULESETS as unknown as [string, ...string[]]),
  base: z.optional(described(z.string(), 'With --diff: the commit compared with.')),
  findings: z.array(Finding),
  suppressed: z.array(
    z.object({ root, finding: Finding, by: z.enum(['comment', 'config']), reason: z.nullable(z.string()) }),
  ),
  not_assessed: z.array(z.object({ rule_id: z.string(), reason })),
  diagnostics: z.array(
    z.object({
      root,
      file: z.string(),
      line: position,
      column: position,
      severity: z.enum(['error', 'warning']),
      message: z.string(),
    }),
  ),
  combos: z.optional(described(z.array(Path), 'With --diff: the attack paths that were added.')),
  slsa: z.optional(described(z.array(z.looseObject({ root, track: z.string() })), 'With a SLSA ruleset.')),
  summary: z.object({ files: count, HIGH: count, MEDIUM: count, LOW: count, INFO: count, suppressed: count }),
});
