import { liveBranch } from '#lib/facts/active-branch.ts';
import { knownSettings } from '#lib/facts/facts.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, type RuleContext } from '../engine/rule.ts';
import { BUILD, GUARDED_BRANCH, OPEN_BRANCH, SHARED } from '../testing/settings-examples.ts';

type Message = 'unsigned';

const UNSIGNED = { ...GUARDED_BRANCH, signatures: false };

export const unsignedCommits = defineRule({
  id: 'unsigned-commits',
  meta: {
    title: 'Signed commits are not required',
    why: 'Anyone can write any name into a commit’s author field. A signature ties the commit to a key, so that its author can be verified later.',
    attack: 'Someone with write access commits under another person’s name, and the history blames that person.',
    recommendation:
      'Require signed commits in the ruleset of the default branch, once people and bots have keys. GitHub signs merges made in its web interface.',
    limits:
      'Advice only: GitHub’s audit log shows who pushed. Requiring signatures blocks bots that push unsigned commits, and rebase merges.',
    severity: 'INFO',
    confidence: 'high',
    category: 'CICD-SEC-1',
    surface: 'repo-settings',
    rulesets: ['owasp'],
    needs: ['settings'],
    settings: ['repository', 'branch'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets/available-rules-for-rulesets#require-signed-commits',
    ],
    messages: { unsigned: 'Commits to {{branch}} do not need a signature.' },
  },
  examples: {
    bad: [{ yaml: BUILD, facts: knownSettings({ repository: SHARED, branch: UNSIGNED }), settings: ['unsigned'] }],
    good: [
      { yaml: BUILD, facts: knownSettings({ repository: SHARED, branch: GUARDED_BRANCH }) },
      { yaml: BUILD, facts: knownSettings({ repository: SHARED, branch: OPEN_BRANCH }) },
    ],
  },
  check: { repository: check },
});

function* check(_: Repository, { facts }: RuleContext): Generator<Report<Message>> {
  const live = liveBranch(facts);
  if (live?.branch.pullRequest !== true || live.branch.signatures) return;
  yield { message: 'unsigned', data: { branch: live.branch.name }, at: { setting: 'signatures' } };
}
