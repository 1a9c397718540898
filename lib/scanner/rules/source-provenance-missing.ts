import { publishingJobs } from '#lib/analysis/publishing/publishing-jobs.ts';
import { liveBranch } from '#lib/facts/active-branch.ts';
import { knownSettings } from '#lib/facts/facts.ts';
import { stepsOf } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';
import { BUILD, GUARDED_BRANCH, OPEN_BRANCH, PUBLISH, SHARED } from '../testing/settings-examples.ts';

type Message = 'unrecorded';

export const sourceProvenanceMissing = defineRule({
  id: 'source-provenance-missing',
  meta: {
    title: 'No source provenance',
    why: 'Branch rules can only be checked by those who can see the settings. Source provenance is a signed record, for each revision, of the rules in force when it was created, which users can verify.',
    attack:
      'The attacker disables a rule for one push and enables it again. Without a record, that revision cannot be told from the others.',
    recommendation:
      'Record source provenance on each push to the default branch, for example with the SLSA source tools.',
    limits:
      'Advice for repositories that publish and whose rules already preserve the branch’s history. Only the SLSA project’s own actions are recognized.',
    severity: 'INFO',
    confidence: 'medium',
    category: 'CICD-SEC-9',
    surface: 'repo-settings',
    rulesets: ['slsa-source-l2'],
    needs: ['settings'],
    settings: ['repository', 'branch'],
    since: '0.1.0',
    references: ['https://slsa.dev/spec/v1.2/source-requirements', 'https://github.com/slsa-framework/source-actions'],
    messages: {
      unrecorded:
        'The rules of {{branch}} preserve its history, but no workflow records source provenance for its revisions.',
    },
  },
  examples: {
    bad: [
      {
        yaml: PUBLISH,
        facts: knownSettings({ repository: SHARED, branch: GUARDED_BRANCH }),
        settings: ['unrecorded'],
      },
    ],
    good: [
      { yaml: PUBLISH, facts: knownSettings({ repository: SHARED, branch: OPEN_BRANCH }) },
      { yaml: BUILD, facts: knownSettings({ repository: SHARED, branch: GUARDED_BRANCH }) },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          permissions: { contents: read }
          jobs:
            record:
              permissions: { contents: write, id-token: write }
              runs-on: ubuntu-latest
              steps: [{ uses: slsa-framework/source-actions/slsa_with_provenance@main }]
            publish:
              runs-on: ubuntu-latest
              steps: [{ run: npm publish }]
        `,
        facts: knownSettings({ repository: SHARED, branch: GUARDED_BRANCH }),
      },
    ],
  },
  check: { repository: check },
});

function* check(repository: Repository, { facts }: RuleContext): Generator<Report<Message>> {
  const live = liveBranch(facts);
  if (live?.branch.pullRequest !== true || live.branch.forcePushes) return;
  if (publishingJobs(repository).length === 0) return;
  const uses = repository.workflows.flatMap((workflow) => [
    ...[...stepsOf(workflow)].map((step) => step.uses),
    ...workflow.jobs.map((job) => job.uses),
  ]);
  const records = uses.some(
    (each) =>
      each?.reference?.kind === 'repository' && /^slsa-framework\/(?:source-|slsa-source)/.test(each.reference.slug),
  );
  if (!records) yield { message: 'unrecorded', data: { branch: live.branch.name }, at: { setting: 'provenance' } };
}
