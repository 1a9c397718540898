import { isSingleUse, runnerKind } from '#lib/analysis/privileges/runners.ts';
import { placeOf } from '#lib/analysis/publishing/publishing-jobs.ts';
import { outsiderEvents } from '#lib/analysis/reachability/outsider-reach.ts';
import { known, knownSettings } from '#lib/facts/facts.ts';
import type { ForkWorkflows } from '#lib/facts/settings.ts';
import type { Job } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';
import { BUILD, SHARED } from '../testing/settings-examples.ts';

type Message = 'machine' | 'newcomers' | 'power' | 'unasked';

const FIRST_TIME: ForkWorkflows = { kind: 'public', approvalFor: 'first-time' };
const PRIVATE: ForkWorkflows = { kind: 'private', run: true, writeTokens: false, secrets: false, approval: true };
const CLOSED = { ...SHARED, visibility: 'private' } as const;

const OWN_MACHINE = yaml`
  on: pull_request
  permissions: {}
  jobs:
    test:
      runs-on: [self-hosted, linux]
      steps: [{ run: make test }]
`;

export const forkPrPolicy = defineRule({
  id: 'fork-pr-policy',
  meta: {
    title: 'Fork pull requests run without enough approval or with too much access',
    why: 'A pull request from a fork runs its author’s code. The approval before such a run is the last review of that code; in private repositories, further settings hand it a write token or secrets.',
    attack:
      'An outsider gets a typo fix merged, no longer counts as a newcomer, and from then on all of their pull requests run at once. Or a reader of a private repository opens a pull request whose run holds the secrets.',
    recommendation:
      'Require approval for all external contributors. In private repositories, disable write tokens and secrets for workflows from forks, and require approval.',
    limits:
      'The approval does not hold back privileged events such as `pull_request_target`, which other rules cover. How carefully people approve is unknown.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-4',
    surface: 'repo-settings',
    rulesets: ['owasp'],
    needs: ['settings'],
    settings: ['repository', 'forkWorkflows'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/repositories/managing-your-repositorys-settings-and-features/enabling-features-for-your-repository/managing-github-actions-settings-for-a-repository#controlling-changes-from-forks-to-workflows-in-public-repositories',
      'https://docs.github.com/repositories/managing-your-repositorys-settings-and-features/enabling-features-for-your-repository/managing-github-actions-settings-for-a-repository#enabling-workflows-for-forks-of-private-repositories',
    ],
    messages: {
      machine:
        'Only {{who}} need approval before their pull requests run, and {{job}} runs them on a self-hosted runner.',
      newcomers: 'Only {{who}} need approval before their pull requests run.',
      power: 'Pull requests from forks run with {{what}}, available to anyone who can read this repository.',
      unasked: 'Pull requests from forks run without approval.',
    },
  },
  examples: {
    bad: [
      {
        yaml: OWN_MACHINE,
        facts: knownSettings({ repository: SHARED, forkWorkflows: FIRST_TIME }),
        settings: ['machine'],
      },
      {
        yaml: BUILD,
        facts: knownSettings({
          repository: SHARED,
          forkWorkflows: { kind: 'public', approvalFor: 'new-to-code-host' },
        }),
        settings: ['newcomers'],
      },
      {
        yaml: BUILD,
        facts: knownSettings({ repository: CLOSED, forkWorkflows: { ...PRIVATE, secrets: true } }),
        settings: ['power'],
      },
      {
        yaml: BUILD,
        facts: knownSettings({ repository: CLOSED, forkWorkflows: { ...PRIVATE, approval: false } }),
        settings: ['unasked'],
      },
    ],
    good: [
      {
        yaml: OWN_MACHINE,
        facts: knownSettings({
          repository: SHARED,
          forkWorkflows: { kind: 'public', approvalFor: 'all-outsiders' },
        }),
      },
      { yaml: BUILD, facts: knownSettings({ repository: SHARED, forkWorkflows: FIRST_TIME }) },
      {
        yaml: yaml`
          on: push
          permissions: {}
          jobs: { build: { runs-on: self-hosted, steps: [{ run: make }] } }
        `,
        facts: knownSettings({ repository: SHARED, forkWorkflows: FIRST_TIME }),
      },
      {
        yaml: BUILD,
        facts: knownSettings({
          repository: CLOSED,
          forkWorkflows: { ...PRIVATE, run: false, secrets: true, approval: false },
        }),
      },
    ],
  },
  check: { repository: check },
});

function* check(repository: Repository, { facts }: RuleContext): Generator<Report<Message>> {
  const policy = known(facts, 'forkWorkflows');
  if (policy === undefined || known(facts, 'repository')?.archived !== false) return;
  const jobs = repository.workflows.flatMap((workflow) => workflow.jobs).filter((job) => runsForks(job, repository));
  if (jobs.length === 0) return;
  const at = { setting: 'fork pull requests' };
  if (policy.kind === 'private') {
    if (!policy.run) return;
    const given = [...(policy.secrets ? ['secrets'] : []), ...(policy.writeTokens ? ['a write token'] : [])];
    if (given.length > 0) yield { message: 'power', data: { what: given.join(' and ') }, at, severity: 'MEDIUM' };
    else if (!policy.approval) yield { message: 'unasked', at, severity: 'LOW' };
    return;
  }
  if (policy.approvalFor === 'all-outsiders') return;
  const machine = jobs.find((job) => runnerKind(job) === 'self-hosted' && !isSingleUse(job));
  const isNew = policy.approvalFor === 'new-to-code-host';
  if (machine === undefined && !isNew) return;
  yield {
    message: machine === undefined ? 'newcomers' : 'machine',
    data: {
      who: isNew ? 'accounts new to GitHub' : 'first-time contributors',
      job: machine === undefined ? '' : placeOf(machine),
    },
    at,
    severity: machine === undefined ? 'LOW' : 'MEDIUM',
    attributes: { selfHosted: machine !== undefined },
  };
}

function runsForks(job: Job, repository: Repository): boolean {
  return outsiderEvents(job, repository).some(({ event }) => event === 'pull_request');
}
