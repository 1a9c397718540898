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
    ]),
  },
};

/** Below it, an action's band is the lowest. */
const LOWEST_BAND = 50;

export const lowScoreAction = defineRule({
  id: 'low-score-action',
  meta: {
    title: 'Action has a low trust score',
    why: 'An action runs with whatever its job holds. A low score means that many signs speak against its maintenance or its own protection, such as no review, an old runtime, or advisories without a repair.',
    attack:
      'Somebody takes over a weakly kept action, by a maintainer’s account or its own pipeline, and every workflow that uses it runs their code.',
    recommendation:
      'Look at the action’s page for what speaks against it. Use another one, or keep a copy of your own.',
    limits:
      'Needs scores of actions, which the command line does not have. A score says how likely trouble looks, not that there is any.',
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
    messages: { low: '{{name}} has a score of {{score}} of 100 (on {{date}}).' },
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
                # expect: low
                - uses: acme/abandoned@v1
                - uses: acme/abandoned@v1
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
                # Nobody has judged it.
                - uses: acme/unknown@v1
        `,
      },
    ],
  },
  check: { repository: check },
});

/** Once for each action, where it can do most. */
function* check({ workflows, actions }: Repository, { facts }: RuleContext): Generator<Report<'low'>> {
  const scores = facts.scores !== undefined && 'value' in facts.scores ? facts.scores.value : undefined;
  if (scores === undefined) return;
  const found = new Map<string, { report: Report<'low'>; hasAccess: boolean }>();
  for (const definition of [...workflows, ...actions]) {
    for (const { uses, at: place, reference } of repositoryUsesOf(definition)) {
      const judged = scores.get(reference.slug);
      if (judged === undefined || judged.score >= LOWEST_BAND) continue;
      const hasAccess = reachesSomething(place);
      const before = found.get(reference.slug);
      if (before !== undefined && (before.hasAccess || !hasAccess)) continue;
      const { score, at: judgedAt } = judged;
      found.set(reference.slug, {
        hasAccess,
        report: {
          message: 'low',
          data: { name: nameOf(reference), score: String(score), date: judgedAt.slice(0, 10) },
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
