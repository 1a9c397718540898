import { isSoleMaintainer, liveBranch } from '#lib/facts/active-branch.ts';
import { knownSettings } from '#lib/facts/facts.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, type RuleContext } from '../engine/rule.ts';
import { BUILD, GUARDED_BRANCH, OPEN_BRANCH, OWN, SHARED } from '../testing/settings-examples.ts';

type Message = 'rewrite' | 'deletion';

export const branchHistoryMutable = defineRule({
  id: 'branch-history-mutable',
  meta: {
    title: 'Default branch allows force pushes or deletion',
    why: 'A force push replaces commits that were already reviewed and released. The code that people trusted is gone, and so is the record of who changed what.',
    attack:
      'An attacker with write access force-pushes a history that hides a malicious change in an old commit, or removes the commit that shows what they did.',
    recommendation: 'Block force pushes and deletion in the ruleset of the default branch, without bypass actors.',
    limits:
      'Only the default branch is checked, and only its current settings: how long they have been in force is unknown.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-1',
    surface: 'repo-settings',
    rulesets: ['owasp', 'slsa-source-l2'],
    needs: ['settings'],
    settings: ['repository', 'branch'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets/available-rules-for-rulesets#block-force-pushes',
      'https://slsa.dev/spec/v1.2/source-requirements',
    ],
    messages: {
      rewrite: 'Force pushes to {{branch}} are allowed, so its history can be rewritten.',
      deletion:
        'No rule blocks the deletion of {{branch}}: once another branch is the default, anyone with write access can delete it.',
    },
  },
  examples: {
    bad: [
      {
        yaml: BUILD,
        facts: knownSettings({ repository: SHARED, branch: { ...GUARDED_BRANCH, forcePushes: true } }),
        settings: ['rewrite'],
      },
      { yaml: BUILD, facts: knownSettings({ repository: OWN, branch: OPEN_BRANCH }), settings: ['rewrite'] },
      {
        yaml: BUILD,
        facts: knownSettings({ repository: SHARED, branch: { ...GUARDED_BRANCH, deletion: true } }),
        settings: ['deletion'],
      },
    ],
    good: [
      { yaml: BUILD, facts: knownSettings({ repository: SHARED, branch: GUARDED_BRANCH }) },
      { yaml: BUILD, facts: knownSettings({ repository: { ...SHARED, archived: true }, branch: OPEN_BRANCH }) },
      { yaml: BUILD, facts: knownSettings({ repository: SHARED, branch: { ...OPEN_BRANCH, locked: true } }) },
      { yaml: BUILD, facts: knownSettings({ repository: SHARED, branch: null }) },
    ],
  },
  check: { repository: check },
});

function* check(_: Repository, { facts }: RuleContext): Generator<Report<Message>> {
  const live = liveBranch(facts);
  if (live === undefined || live.branch.locked) return;
  const { branch, repository } = live;
  if (!branch.forcePushes && !branch.deletion) return;
  yield {
    message: branch.forcePushes ? 'rewrite' : 'deletion',
    data: { branch: branch.name },
    at: { setting: 'branch' },
    severity: branch.forcePushes && !isSoleMaintainer(repository) ? 'MEDIUM' : 'LOW',
    attributes: { branch: branch.name, forcePushes: branch.forcePushes },
  };
}
