import { z } from 'zod';
import { Count, NotAssessed, Uuid } from '#lib/db/shapes/common.ts';
import { Finding } from '#lib/db/shapes/scans.ts';
import { defineOperation } from '../route/operation.ts';
import { OrgQuery, PathId, wholeUpTo } from './common.ts';

const ComboSeverity = z.enum(['CRITICAL', 'HIGH', 'MEDIUM']);

const Combo = z
  .strictObject({
    id: z.string().meta({ description: 'Kind of attack path; its page is below `/attack-paths`' }),
    title: z.string(),
    severity: ComboSeverity,
    scope: z.enum(['job', 'file', 'repo']),
    file: z.string().nullable().meta({ description: 'Null if several files or a setting take part' }),
    impact: z.string(),
    break_chain: z.string().meta({ description: 'The change that ends the path' }),
    break_chain_rule: z.string().meta({ description: 'The rule whose findings the change resolves' }),
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
    contains_accepted_risk: z.boolean().meta({ description: 'True if a finding of it is accepted or snoozed' }),
  })
  .meta({ id: 'ToxicCombination' });

const Combos = z.array(Combo).meta({ description: 'Sorted by severity, id and file' });

const CoverageEntry = z
  .strictObject({
    id: z.string(),
    title: z.string(),
    severity: ComboSeverity,
    searched_repos: Count.meta({ description: 'Repositories with a complete or partial search' }),
    blinded_repos: Count.meta({ description: 'Scanned repositories without a search' }),
    partial_repos: Count.meta({
      description: 'Searched repositories in which an alternative was not assessed',
    }),
    matched_repos: Count,
    blinded_by: z.array(NotAssessed).meta({ description: 'Rules that prevented a complete search, with the reason' }),
  })
  .meta({ id: 'CoverageEntry' });

const COVERAGE =
  'Every combination. One that was searched for completely everywhere and has no match is not present; zeros mean that nothing was searched.';

const FixFirst = z
  .array(
    z.strictObject({
      fingerprint: z.string(),
      rule_id: z.string(),
      repo_id: Uuid,
      file: z.string().nullable(),
      line: Finding.shape.line,
      breaks: Count.meta({
        description: 'Number of returned paths that end if it alone is fixed; 0 if others have to be fixed with it',
      }),
    }),
  )
  .meta({
    description: 'Findings whose fixes together end every returned path that a fix can end, most useful first',
  });

const TOTALS = { critical_count: Count, high_count: Count };

export const listAttackPaths = defineOperation({
  id: 'listAttackPaths',
  verb: 'GET',
  path: '/api/attack-paths',
  summary: 'List attack paths of an organization',
  description:
    'Attack paths from the findings of each repository’s last scan, under the current rule settings and triage: disabling a rule, `dismissed` and `false_positive` apply immediately. `repos` omits repositories without a path; repositories that left their installation are excluded everywhere. Paths that a new version or a switched rule changed are computed first: if that takes longer than two seconds, the answer is 503 with `Retry-After` and says of how many repositories they are there, and the next request continues.',
  access: 'user',
  query: OrgQuery.extend({
    limit: wholeUpTo(1_000)
      .optional()
      .meta({ description: 'Returns only so many of the worst paths; totals and coverage stay those of all' }),
  }),
  answersEtags: true,
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
        .meta({ description: 'Sorted by full name' }),
      total_combos: Count,
      ...TOTALS,
      coverage: z.array(CoverageEntry).meta({ description: COVERAGE }),
      fix_first: FixFirst,
    })
    .meta({ id: 'AttackPaths' }),
  replyDescription: 'The paths, their coverage, and what to fix first.',
  errors: ['validation-failed', 'forbidden'],
});

export const listRepositoryCombos = defineOperation({
  id: 'listRepositoryCombos',
  verb: 'GET',
  path: '/api/repositories/{repo_id}/combos',
  summary: 'List attack paths of a repository',
  description:
    'Like the organization’s list, for one repository. A repository that left its installation keeps the paths of its last scan.',
  access: 'user',
  params: z.object({ repo_id: PathId }),
  reply: z
    .strictObject({
      combos: Combos,
      ...TOTALS,
      coverage: z.array(CoverageEntry).meta({ description: `${COVERAGE} Empty for a repository without a scan.` }),
      fix_first: FixFirst,
    })
    .meta({ id: 'RepositoryCombos' }),
  replyDescription: 'The paths, their coverage, and what to fix first.',
  errors: ['not-found'],
});

export type AttackPathList = z.output<(typeof listAttackPaths)['reply']>;
export type RepositoryPaths = z.output<(typeof listRepositoryCombos)['reply']>;
export type AttackPath = AttackPathList['repos'][number]['combos'][number];
export type CoverageEntry = AttackPathList['coverage'][number];
