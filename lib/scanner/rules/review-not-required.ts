import { placeOf, publishingJobs } from '#lib/analysis/publishing/publishing-jobs.ts';
import { isSoleMaintainer, liveBranch } from '#lib/facts/active-branch.ts';
import { knownSettings } from '#lib/facts/facts.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { joinList } from '#lib/workflow/text/join-list.ts';
import { defineRule, type Report, type RuleContext } from '../engine/rule.ts';
import { BUILD, GUARDED_BRANCH, OPEN_BRANCH, OWN, PUBLISH, SHARED } from '../testing/settings-examples.ts';

type Message = 'alone' | 'publishes';

const NO_REVIEW = { ...GUARDED_BRANCH, approvals: 0 };

export const reviewNotRequired = defineRule({
  id: 'review-not-required',
  meta: {
    title: 'Pull requests can be merged without approval',
    why: 'Pull requests are required, but approvals are not. Whoever opens one can merge it immediately, so a single account decides what everyone builds and runs.',
    attack: 'The attacker takes over one account with write access, opens a pull request and merges it alone.',
    recommendation: 'Require at least one approving review in the ruleset of the default branch.',
    limits:
      'Only the rule is checked, not how changes were merged in the past. In a repository with a sole maintainer nobody else can approve; there the finding is LOW.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-1',
    surface: 'repo-settings',
    rulesets: ['owasp', 'slsa-source-l4'],
    needs: ['settings'],
    settings: ['repository', 'branch'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets/available-rules-for-rulesets#require-a-pull-request-before-merging',
      'https://slsa.dev/spec/v1.2/source-requirements',
    ],
    messages: {
      alone: 'Pull requests into {{branch}} need no approval: authors can merge their own.',
      publishes:
        'Pull requests into {{branch}} need no approval, and workflows publish from this repository: {{jobs}}.',
    },
  },
  examples: {
    bad: [
      { yaml: BUILD, facts: knownSettings({ repository: SHARED, branch: NO_REVIEW }), settings: ['alone'] },
      { yaml: BUILD, facts: knownSettings({ repository: OWN, branch: NO_REVIEW }), settings: ['alone'] },
      { yaml: PUBLISH, facts: knownSettings({ repository: SHARED, branch: NO_REVIEW }), settings: ['publishes'] },
    ],
    good: [
      { yaml: PUBLISH, facts: knownSettings({ repository: SHARED, branch: GUARDED_BRANCH }) },
      { yaml: BUILD, facts: knownSettings({ repository: SHARED, branch: OPEN_BRANCH }) },
      { yaml: BUILD, facts: knownSettings({ repository: { ...SHARED, archived: true }, branch: NO_REVIEW }) },
      { yaml: BUILD, facts: knownSettings({ repository: SHARED, branch: { ...NO_REVIEW, locked: true } }) },
    ],
  },
  check: { repository: check },
});

function* check(repository: Repository, { facts }: RuleContext): Generator<Report<Message>> {
  const live = liveBranch(facts);
  if (live === undefined || live.branch.locked) return;
  if (!live.branch.pullRequest || live.branch.approvals > 0) return;
  const publishing = publishingJobs(repository);
  yield {
    message: publishing.length > 0 ? 'publishes' : 'alone',
    data: { branch: live.branch.name, jobs: joinList(publishing.map(({ job }) => placeOf(job))) },
    at: { setting: 'branch' },
    severity: isSoleMaintainer(live.repository) ? 'LOW' : 'MEDIUM',
    attributes: { branch: live.branch.name, publishes: publishing.length > 0 },
  };
}
