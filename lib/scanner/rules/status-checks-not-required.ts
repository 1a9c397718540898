import { liveBranch } from '#lib/facts/active-branch.ts';
import { knownSettings } from '#lib/facts/facts.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { joinList } from '#lib/workflow/text/join-list.ts';
import { defineRule, type Report, type RuleContext } from '../engine/rule.ts';
import { BUILD, GUARDED_BRANCH, OPEN_BRANCH, PUBLISH, SHARED } from '../testing/settings-examples.ts';

type Message = 'none' | 'unbound';

export const statusChecksNotRequired = defineRule({
  id: 'status-checks-not-required',
  meta: {
    title: 'Status checks are not required',
    why: 'Tests and scanners run on pull requests, but a pull request can be merged whether they pass or not. A check that is not required can only warn.',
    attack:
      'A change that a security check would block is merged before the check finishes. If any app may report a required check, a token that can write statuses reports it as passed.',
    recommendation:
      'Require the checks of your pull request workflows in the ruleset of the default branch, each from the app that reports it.',
    limits: 'Whether a workflow produces the required checks, and whether branches must be up to date, is not checked.',
    severity: 'LOW',
    confidence: 'high',
    category: 'CICD-SEC-1',
    surface: 'repo-settings',
    rulesets: ['owasp', 'slsa-source-l3'],
    needs: ['settings'],
    settings: ['repository', 'branch'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets/available-rules-for-rulesets#require-status-checks-to-pass-before-merging',
    ],
    messages: {
      none: 'Pull requests into {{branch}} can be merged even if their checks fail.',
      unbound: 'Any app or token can report these required checks of {{branch}} as passed: {{checks}}.',
    },
  },
  examples: {
    bad: [
      {
        yaml: BUILD,
        facts: knownSettings({ repository: SHARED, branch: { ...GUARDED_BRANCH, checks: [] } }),
        settings: ['none'],
      },
      {
        yaml: BUILD,
        facts: knownSettings({
          repository: SHARED,
          branch: { ...GUARDED_BRANCH, checks: [{ name: 'build', bound: false }] },
        }),
        settings: ['unbound'],
      },
    ],
    good: [
      { yaml: BUILD, facts: knownSettings({ repository: SHARED, branch: GUARDED_BRANCH }) },
      { yaml: PUBLISH, facts: knownSettings({ repository: SHARED, branch: { ...GUARDED_BRANCH, checks: [] } }) },
      { yaml: BUILD, facts: knownSettings({ repository: SHARED, branch: OPEN_BRANCH }) },
      {
        yaml: BUILD,
        facts: knownSettings({
          repository: SHARED,
          branch: { ...GUARDED_BRANCH, checks: [], requiredWorkflows: true },
        }),
      },
    ],
  },
  check: { repository: check },
});

function* check(repository: Repository, { facts }: RuleContext): Generator<Report<Message>> {
  const live = liveBranch(facts);
  if (live?.branch.pullRequest !== true || live.branch.requiredWorkflows) return;
  const { name: branch, checks } = live.branch;
  const at = { setting: 'required checks' };
  if (checks.length === 0) {
    const hasChecks = repository.workflows.some(({ triggers }) =>
      triggers.some(({ event }) => event === 'pull_request' || event === 'pull_request_target'),
    );
    if (hasChecks) yield { message: 'none', data: { branch }, at };
    return;
  }
  const unbound = checks.filter(({ bound }) => !bound).map(({ name }) => name);
  if (unbound.length > 0) yield { message: 'unbound', data: { branch, checks: joinList(unbound) }, at };
}
