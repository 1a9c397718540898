import { autoMergeStep } from '#lib/analysis/reachability/auto-merge-steps.ts';
import { known, knownSettings } from '#lib/facts/facts.ts';
import { sourceOf, stepsOf } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';

type Message = 'allowed' | 'approves';

const MAY_APPROVE = { default: 'read', canApprovePullRequests: true } as const;

export const actionsCanApprovePrs = defineRule({
  id: 'actions-can-approve-prs',
  meta: {
    title: 'Workflows may create and approve pull requests',
    why: 'With this setting the token of a workflow counts as a reviewer. Whoever can run a workflow can then give a change the approval that a second person was to give.',
    attack:
      'A contributor with write access, or whoever took their account, pushes a branch whose workflow approves the branch’s own pull request, and merges it alone.',
    recommendation:
      'Turn off “Allow GitHub Actions to create and approve pull requests”. Let workflows that have to open pull requests use a GitHub App of their own.',
    limits:
      'The setting covers opening and approving alike. Whether a review is required at all, or one of a code owner, is not considered here.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-5',
    surface: 'repo-settings',
    rulesets: ['owasp', 'slsa-source-l4'],
    needs: ['settings'],
    settings: ['workflowToken'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/repositories/managing-your-repositorys-settings-and-features/enabling-features-for-your-repository/managing-github-actions-settings-for-a-repository#preventing-github-actions-from-creating-or-approving-pull-requests',
      'https://docs.github.com/organizations/managing-organization-settings/disabling-or-limiting-github-actions-for-your-organization',
    ],
    messages: {
      allowed: 'The token of a workflow may open and approve pull requests.',
      approves: 'The token of a workflow may approve pull requests, and {{file}} does.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          jobs: { build: { runs-on: ubuntu-latest, steps: [{ run: make }] } }
        `,
        facts: knownSettings({ workflowToken: MAY_APPROVE }),
        settings: ['allowed'],
      },
      {
        yaml: yaml`
          on: pull_request_target
          jobs:
            approve:
              runs-on: ubuntu-latest
              steps: [{ run: gh pr review --approve "$URL" }]
        `,
        facts: knownSettings({ workflowToken: MAY_APPROVE }),
        settings: ['approves'],
      },
    ],
    good: [
      {
        yaml: yaml`
          on: pull_request_target
          jobs:
            approve:
              runs-on: ubuntu-latest
              steps: [{ run: gh pr review --approve "$URL" }]
        `,
        facts: knownSettings({ workflowToken: { ...MAY_APPROVE, canApprovePullRequests: false } }),
      },
    ],
  },
  check: { repository: check },
});

function* check(repository: Repository, { facts }: RuleContext): Generator<Report<Message>> {
  if (known(facts, 'workflowToken')?.canApprovePullRequests !== true) return;
  const approving = repository.workflows
    .flatMap((workflow) => [...stepsOf(workflow)])
    .find((step) => autoMergeStep(step)?.kind === 'approval');
  yield {
    message: approving === undefined ? 'allowed' : 'approves',
    data: { file: approving === undefined ? '' : sourceOf(approving).path },
    at: { setting: 'can_approve_pull_request_reviews' },
  };
}
