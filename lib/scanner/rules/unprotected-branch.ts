import { placeOf, publishingJobs } from '#lib/analysis/publishing/publishing-jobs.ts';
import { isSoleMaintainer, liveBranch } from '#lib/facts/active-branch.ts';
import { knownSettings } from '#lib/facts/facts.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { joinList } from '#lib/workflow/text/join-list.ts';
import { defineRule, type Report, type RuleContext } from '../engine/rule.ts';
import { BUILD, GUARDED_BRANCH, OPEN_BRANCH, OWN, PUBLISH, SHARED } from '../testing/settings-examples.ts';

type Message = 'direct' | 'publishes' | 'idle';

export const unprotectedBranch = defineRule({
  id: 'unprotected-branch',
  meta: {
    title: 'Default branch accepts direct pushes',
    why: 'Without a rule that requires pull requests, anyone with write access can push commits straight to the default branch. Nobody sees a change before it is built, released or run by others.',
    attack:
      'An attacker who takes over one account or token with write access pushes code, or a modified workflow that has access to secrets, to the default branch in one step.',
    recommendation:
      'Create a ruleset for the default branch that requires a pull request before merging and blocks force pushes and deletion.',
    limits:
      'Only the default branch is checked. Push rules that are neither rulesets nor branch protection, such as pre-receive hooks, are not visible.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-1',
    surface: 'repo-settings',
    rulesets: ['owasp', 'slsa-source-l3'],
    needs: ['settings'],
    settings: ['repository', 'branch'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets/about-rulesets',
      'https://slsa.dev/spec/v1.2/source-requirements',
    ],
    messages: {
      direct: '{{branch}} does not require pull requests: anyone with write access can push to it directly.',
      publishes:
        'Anyone with write access can push to {{branch}} directly, and workflows publish from this repository: {{jobs}}.',
      idle: 'Anyone with write access can push to {{branch}} directly: its rulesets exist but are not active ({{rulesets}}).',
    },
  },
  examples: {
    bad: [
      { yaml: BUILD, facts: knownSettings({ repository: SHARED, branch: OPEN_BRANCH }), settings: ['direct'] },
      { yaml: PUBLISH, facts: knownSettings({ repository: OWN, branch: OPEN_BRANCH }), settings: ['publishes'] },
      {
        yaml: BUILD,
        facts: knownSettings({ repository: SHARED, branch: { ...OPEN_BRANCH, idleRulesets: ['trial'] } }),
        settings: ['idle'],
      },
    ],
    good: [
      { yaml: PUBLISH, facts: knownSettings({ repository: SHARED, branch: GUARDED_BRANCH }) },
      { yaml: BUILD, facts: knownSettings({ repository: { ...SHARED, archived: true }, branch: OPEN_BRANCH }) },
      { yaml: BUILD, facts: knownSettings({ repository: SHARED, branch: null }) },
      { yaml: BUILD, facts: knownSettings({ repository: SHARED, branch: { ...OPEN_BRANCH, locked: true } }) },
    ],
  },
  check: { repository: check },
});

function* check(repository: Repository, { facts }: RuleContext): Generator<Report<Message>> {
  const live = liveBranch(facts);
  if (live === undefined || live.branch.pullRequest || live.branch.locked) return;
  const { name, idleRulesets } = live.branch;
  const publishing = publishingJobs(repository);
  yield {
    message: publishing.length > 0 ? 'publishes' : idleRulesets.length > 0 ? 'idle' : 'direct',
    data: {
      branch: name,
      jobs: joinList(publishing.map(({ job }) => placeOf(job))),
      rulesets: joinList(idleRulesets),
    },
    at: { setting: 'branch' },
    severity: isSoleMaintainer(live.repository) && publishing.length === 0 ? 'LOW' : 'MEDIUM',
    attributes: { branch: name, publishes: publishing.length > 0 },
  };
}
