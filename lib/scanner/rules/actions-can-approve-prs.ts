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
    title: 'Workflows can create and approve pull requests',
    why: 'With this setting on, a workflow’s token counts as a reviewer. Anyone who can run a workflow can then supply the approval that was meant to come from a second person.',
    attack:
      'A contributor with write access, or an attacker who took over their account, pushes a branch whose workflow approves the branch’s own pull request, and merges it without a human review.',
    recommendation:
      'Turn off “Allow GitHub Actions to create and approve pull requests”. If a workflow has to open pull requests, give it a dedicated GitHub App.',
    limits:
      'One setting covers both creating and approving pull requests. Whether the branch requires reviews or code owner approval is not considered.',
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
      allowed: 'Workflow tokens can create and approve pull requests.',
      approves: 'Workflow tokens can approve pull requests, and {{file}} does so.',
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
    .find((step) => autoMergeStep(step, repository)?.kind === 'approval');
  yield {
    message: approving === undefined ? 'allowed' : 'approves',
    data: { file: approving === undefined ? '' : sourceOf(approving).path },
    at: { setting: 'can_approve_pull_request_reviews' },
  };
}
