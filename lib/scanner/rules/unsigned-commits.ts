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
    title: 'Commits need no signature',
    why: 'The author of a commit is a text that anybody may write. A signature ties the commit to a key, so that one can tell later who made it.',
    attack: 'Somebody with write access commits under another person’s name, and the history blames that person.',
    recommendation:
      'Require signed commits in the ruleset of the default branch, once people and bots have keys. Merges on the code host are signed by it.',
    limits:
      'Advice: the code host’s own log tells who pushed. Requiring signatures stops bots that push unsigned commits, and rebase merges.',
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
    messages: { unsigned: 'Commits reach {{branch}} without a signature.' },
  },
  examples: {
    bad: [{ yaml: BUILD, facts: knownSettings({ repository: SHARED, branch: UNSIGNED }), settings: ['unsigned'] }],
    good: [
      { yaml: BUILD, facts: knownSettings({ repository: SHARED, branch: GUARDED_BRANCH }) },
      // A branch that takes anything has graver findings.
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
