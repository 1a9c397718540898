import { z } from 'zod';
import { Count, NotAssessed, Uuid } from '#lib/db/shapes/common.ts';
import { Finding } from '#lib/db/shapes/scans.ts';
import { defineOperation } from '../route/operation.ts';
import { OrgQuery, PathId } from './common.ts';

const ComboSeverity = z.enum(['CRITICAL', 'HIGH', 'MEDIUM']);

const Combo = z
  .strictObject({
    id: z.string().meta({ description: 'The kind of combination; pages about each are below `/combinations`' }),
    title: z.string(),
    severity: ComboSeverity,
    scope: z.enum(['job', 'file', 'repo']),
    file: z.string().nullable().meta({ description: 'Null when several files or a setting take part' }),
    impact: z.string(),
    break_chain: z.string().meta({ description: 'What ends the path' }),
    break_chain_rule: z.string().meta({ description: 'The rule whose findings are gone then' }),
    stages: z.array(
      z.strictObject({
        order: Count,
        title: z.string(),
        description: z.string(),
        rule_id: z.string().nullable().meta({ description: 'Null for what the attacker does' }),
      }),
    ),
    components: z.array(z.strictObject({ rule_id: z.string(), finding: Finding })),
    mitigated_by: z.array(z.string()).meta({ description: 'Why it is less severe here than its kind' }),
    contains_accepted_risk: z.boolean().meta({ description: 'Some finding of it is accepted or snoozed' }),
  })
  .meta({ id: 'ToxicCombination' });

const Combos = z.array(Combo).meta({ description: 'By severity, id and file' });

const CoverageEntry = z
  .strictObject({
    id: z.string(),
    title: z.string(),
    severity: ComboSeverity,
    searched_repos: Count.meta({ description: 'Repositories in which some way of it was looked for in full' }),
    blinded_repos: Count.meta({ description: 'Scanned repositories in which none was' }),
    partial_repos: Count.meta({
      description: 'Of the searched ones, those in which another way of it was not looked for',
    }),
    matched_repos: Count,
    blinded_by: z.array(NotAssessed).meta({ description: 'Why, those of partial ones too' }),
  })
  .meta({ id: 'CoverageEntry' });

const COVERAGE =
  'Every combination there is. One that was searched for everywhere, nowhere in part, and has no match is not present; zeros mean that nobody looked.';

const FixFirst = z
  .array(
    z.strictObject({
      fingerprint: z.string(),
      rule_id: z.string(),
      repo_id: Uuid,
      file: z.string().nullable(),
      line: Finding.shape.line,
      breaks: Count.meta({ description: 'How many paths end with it' }),
    }),
  )
  .meta({ description: 'Findings whose fixes together end all of these paths, the most useful first' });

const TOTALS = { critical_count: Count, high_count: Count };

export const listAttackPaths = defineOperation({
  id: 'listAttackPaths',
  verb: 'GET',
  path: '/api/attack-paths',
  summary: 'The attack paths of every repository of an organization',
  description:
    'What the findings of each repository’s last scan add up to, under the rule settings and the triage of now: a rule that is off takes its findings out at once, and so do `dismissed` and `false_positive`. Repositories without a path are left out of `repos`, those that left their installation of everything.',
  access: 'user',
  query: OrgQuery,
  reply: z
    .strictObject({
      repos: z
        .array(
          z.strictObject({
            repo_id: Uuid,
            full_name: z.string(),
            html_url: z.string().meta({ format: 'uri' }),
            combos: Combos,
          }),
        )
        .meta({ description: 'By full name' }),
      total_combos: Count,
      ...TOTALS,
      coverage: z.array(CoverageEntry).meta({ description: COVERAGE }),
      fix_first: FixFirst,
    })
    .meta({ id: 'AttackPaths' }),
  replyDescription: 'The paths, where was looked for them, and what to fix first.',
  errors: ['validation-failed', 'forbidden'],
});

export const listRepositoryCombos = defineOperation({
  id: 'listRepositoryCombos',
  verb: 'GET',
  path: '/api/repositories/{repo_id}/combos',
  summary: 'The attack paths of a repository',
  description: 'As the list of all, for one repository. One that left its installation keeps those of its last scan.',
  access: 'user',
  params: z.object({ repo_id: PathId }),
  reply: z
    .strictObject({
      combos: Combos,
      ...TOTALS,
      coverage: z
        .array(CoverageEntry)
        .meta({ description: `${COVERAGE} Empty for a repository that was never scanned.` }),
      fix_first: FixFirst,
    })
    .meta({ id: 'RepositoryCombos' }),
  replyDescription: 'The paths, where was looked for them, and what to fix first.',
  errors: ['not-found'],
});
