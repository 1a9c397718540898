import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { nameOf, repositoryUsesOf } from '#lib/facts/action-lookups.ts';
import type { Facts } from '#lib/facts/facts.ts';
import { type Job, jobOf, type Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';

const at = '2026-11-01T00:00:00Z';
const FACTS: Facts = {
  network: { missing: 'offline' },
  settings: { missing: 'offline' },
  scores: {
    value: new Map([
      ['acme/abandoned', { score: 31, at }],
      ['acme/plain', { score: 50, at }],
      ['acme/recovered', { score: 90, at, refs: new Map([['v1', { score: 12, at }]]) }],
      ['acme/declined', { score: 20, at, refs: new Map([['v1', { score: 88, at }]]) }],
    ]),
  },
};

const LOWEST_BAND = 50;

export const lowScoreAction = defineRule({
  id: 'low-score-action',
  meta: {
    title: 'Action has a low trust score',
    why: 'An action runs with everything its job can access. A low score means that many signals point to weak maintenance or weak protection of the action, such as unreviewed changes, an old runtime, or unfixed advisories.',
    attack:
      'The attacker takes over a poorly protected action, through a maintainer’s account or its own pipeline, and their code runs in every workflow that uses it.',
    recommendation:
      'Check the action’s page for what lowers the score. Switch to another action, or maintain a fork of your own.',
    limits:
      'Needs trust scores. With `--online`, the command line computes those of the newest releases of up to fifteen actions, without their history; the service also has those of versions in use. A score estimates risk; it does not prove a problem.',
    severity: 'LOW',
    confidence: 'low',
    category: 'CICD-SEC-8',
    surface: 'workflow',
    rulesets: ['owasp'],
    needs: ['scores'],
    since: '0.1.0',
    references: [
      'https://owasp.org/www-project-top-10-ci-cd-security-risks/CICD-SEC-08-Ungoverned-Usage-of-3rd-Party-Services',
      'https://docs.github.com/actions/reference/security/secure-use#using-third-party-actions',
    ],
    messages: {
      version: '{{name}} at `{{ref}}` has a trust score of {{score}} out of 100 (as of {{date}}).',
      newest:
        'The newest release of {{name}} has a trust score of {{score}} out of 100 (as of {{date}}). `{{ref}}` has no score of its own.',
    },
  },
  examples: {
    bad: [
      {
        facts: FACTS,
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: newest
                - uses: acme/abandoned@v1
                - uses: acme/abandoned@v1
                # expect: version
                - uses: acme/recovered@v1
        `,
      },
    ],
    good: [
      {
        facts: FACTS,
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: acme/plain@v1
                # Newer releases scored lower.
                - uses: acme/declined@v1
                - uses: acme/recovered@v2
                # Has no score.
                - uses: acme/unknown@v1
        `,
      },
    ],
  },
  check: { repository: check },
});

function* check({ workflows, actions }: Repository, { facts }: RuleContext): Generator<Report<'version' | 'newest'>> {
  const scores = facts.scores !== undefined && 'value' in facts.scores ? facts.scores.value : undefined;
  if (scores === undefined) return;
  const found = new Map<string, { report: Report<'version' | 'newest'>; hasAccess: boolean }>();
  for (const definition of [...workflows, ...actions]) {
    for (const { uses, at: place, reference } of repositoryUsesOf(definition)) {
      const newest = scores.get(reference.slug);
      const version = newest?.refs?.get(reference.ref);
      const judged = version ?? newest;
      if (judged === undefined || judged.score >= LOWEST_BAND) continue;
      const hasAccess = reachesSomething(place);
      const key = version === undefined ? reference.slug : `${reference.slug}@${reference.ref}`;
      const before = found.get(key);
      if (before !== undefined && (before.hasAccess || !hasAccess)) continue;
      const { score, at: judgedAt } = judged;
      found.set(key, {
        hasAccess,
        report: {
          message: version === undefined ? 'newest' : 'version',
          data: { name: nameOf(reference), ref: reference.ref, score: String(score), date: judgedAt.slice(0, 10) },
          at: place,
          span: uses.text.span,
          severity: hasAccess ? 'MEDIUM' : 'LOW',
        },
      });
    }
  }
  for (const { report } of found.values()) yield report;
}

function reachesSomething(at: Step | Job): boolean {
  const job = at.kind === 'job' ? at : jobOf(at);
  return job !== undefined && credentialsOf(job).any;
}
