import { liveBranch } from '#lib/facts/active-branch.ts';
import { knownSettings } from '#lib/facts/facts.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, type RuleContext } from '../engine/rule.ts';
import { BUILD, GUARDED_BRANCH, SHARED } from '../testing/settings-examples.ts';

type Message = 'stale' | 'pusher' | 'conversations';

const KEPT = { ...GUARDED_BRANCH, dismissesStaleApprovals: false, lastPushNeedsApproval: false };
const BY_PUSHER = { ...GUARDED_BRANCH, lastPushNeedsApproval: false };

export const weakReviewGate = defineRule({
  id: 'weak-review-gate',
  meta: {
    title: 'Approval can be had without a review of the final code',
    why: 'A review guards what was looked at. Where an approval outlives later pushes, or comes from whoever pushed last, what is merged is not what a second person saw.',
    attack:
      'An attacker with write access opens a harmless pull request, waits for the approval, pushes malicious commits and merges. Or they push to somebody else’s pull request and approve it themselves.',
    recommendation:
      'Turn on “Dismiss stale pull request approvals when new commits are pushed” and “Require approval of the most recent reviewable push”.',
    limits:
      'The number of approvals is not judged beyond one, and neither who may dismiss a review. Whether reviews happen with care shows in no setting.',
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
      'https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/managing-protected-branches/about-protected-branches#require-pull-request-reviews-before-merging',
    ],
    messages: {
      stale: 'An approval of a pull request for {{branch}} stays valid when commits are pushed after it.',
      pusher: 'Whoever pushes to somebody else’s pull request for {{branch}} may approve their own commits.',
      conversations: 'A pull request for {{branch}} merges while remarks of reviewers are open.',
    },
  },
  examples: {
    bad: [
      { yaml: BUILD, facts: knownSettings({ repository: SHARED, branch: KEPT }), settings: ['stale'] },
      { yaml: BUILD, facts: knownSettings({ repository: SHARED, branch: BY_PUSHER }), settings: ['pusher'] },
      {
        yaml: BUILD,
        facts: knownSettings({ repository: SHARED, branch: { ...GUARDED_BRANCH, conversationsResolved: false } }),
        settings: ['conversations'],
      },
    ],
    good: [
      { yaml: BUILD, facts: knownSettings({ repository: SHARED, branch: GUARDED_BRANCH }) },
      // The last push needs an approval of its own, whatever becomes of earlier ones.
      {
        yaml: BUILD,
        facts: knownSettings({ repository: SHARED, branch: { ...GUARDED_BRANCH, dismissesStaleApprovals: false } }),
      },
      { yaml: BUILD, facts: knownSettings({ repository: SHARED, branch: { ...KEPT, approvals: 0 } }) },
      { yaml: BUILD, facts: knownSettings({ repository: { ...SHARED, archived: true }, branch: KEPT }) },
    ],
  },
  check: { repository: check },
});

function* check(_: Repository, { facts }: RuleContext): Generator<Report<Message>> {
  const live = liveBranch(facts);
  if (live === undefined || live.branch.approvals === 0 || live.branch.locked) return;
  const { branch } = live;
  const data = { branch: branch.name };
  if (!branch.lastPushNeedsApproval) {
    const isStale = !branch.dismissesStaleApprovals;
    yield {
      message: isStale ? 'stale' : 'pusher',
      data,
      at: { setting: 'reviews' },
      severity: isStale ? 'MEDIUM' : 'LOW',
    };
  }
  if (!branch.conversationsResolved) {
    yield { message: 'conversations', data, at: { setting: 'conversations' }, severity: 'INFO' };
  }
}
