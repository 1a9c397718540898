import { type OutsiderEvent, outsiderEvents } from '#lib/analysis/reachability/outsider-reach.ts';
import { known, knownSettings } from '#lib/facts/facts.ts';
import type { Job } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';

type Message = 'outsider' | 'inherited' | 'unused';

const SETTING = 'default_workflow_permissions';

const WRITE = { default: 'write', canApprovePullRequests: false } as const;

export const defaultWorkflowTokenWrite = defineRule({
  id: 'default-workflow-token-write',
  meta: {
    title: 'Workflow token has write access by default',
    why: 'A job without a `permissions` block gets the repository’s default. If the default is write, each of its steps, and each action it uses, can push code, publish releases and change issues.',
    attack:
      'An attacker who gets code into any such job, through a script injection or a compromised action, writes to the repository with the job’s token.',
    recommendation:
      'Give the jobs that have to write a `permissions` block, then set the default to read in the repository’s or organization’s Actions settings.',
    limits:
      'Called workflows of other repositories are not analysed. A policy that an organization enforces shows only in the effective setting.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-5',
    surface: 'repo-settings',
    rulesets: ['owasp'],
    needs: ['settings'],
    settings: ['workflowToken'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/concepts/security/github_token',
      'https://docs.github.com/repositories/managing-your-repositorys-settings-and-features/enabling-features-for-your-repository/managing-github-actions-settings-for-a-repository#setting-the-permissions-of-the-github_token-for-your-repository',
    ],
    messages: {
      outsider:
        'The token has write access by default. It is inherited by {{count}} without a permissions block, including {{job}}, which anyone can start through {{event}}.',
      inherited:
        'The token has write access by default. It is inherited by {{count}} without a permissions block: {{jobs}}.',
      unused:
        'The token has write access by default. Every job has its own permissions today, but the next one may not.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: issue_comment
          jobs:
            reply:
              runs-on: ubuntu-latest
              steps: [{ run: make reply }]
        `,
        facts: knownSettings({ workflowToken: WRITE }),
        settings: ['outsider'],
      },
      {
        yaml: yaml`
          on: [push, pull_request]
          jobs:
            build:
              runs-on: ubuntu-latest
              steps: [{ run: make }]
            test:
              permissions: { contents: read }
              runs-on: ubuntu-latest
              steps: [{ run: make test }]
        `,
        facts: knownSettings({ workflowToken: WRITE }),
        settings: ['inherited'],
      },
      {
        yaml: yaml`
          on: push
          permissions: {}
          jobs:
            build:
              runs-on: ubuntu-latest
              steps: [{ run: make }]
        `,
        facts: knownSettings({ workflowToken: WRITE }),
        settings: ['unused'],
      },
    ],
    good: [
      {
        yaml: yaml`
          on: issue_comment
          jobs:
            reply:
              runs-on: ubuntu-latest
              steps: [{ run: make reply }]
        `,
        facts: knownSettings({ workflowToken: { ...WRITE, default: 'read' } }),
      },
    ],
  },
  check: { repository: check },
});

function* check(repository: Repository, { facts }: RuleContext): Generator<Report<Message>> {
  if (known(facts, 'workflowToken')?.default !== 'write') return;
  const jobs = repository.workflows.flatMap((workflow) => workflow.jobs).filter((job) => inherits(job, repository));
  const exposed = firstExposed(jobs, repository);
  yield {
    message: exposed !== undefined ? 'outsider' : jobs.length > 0 ? 'inherited' : 'unused',
    data: {
      count: jobs.length === 1 ? 'one job' : `${jobs.length} jobs`,
      jobs: jobs.slice(0, 5).map(nameOf).join(', '),
      job: exposed === undefined ? '' : nameOf(exposed.job),
      event: exposed?.event.event ?? '',
    },
    at: { setting: SETTING },
    severity: exposed !== undefined ? 'HIGH' : jobs.length > 0 ? 'MEDIUM' : 'LOW',
    attributes: { jobs: jobs.slice(0, 100).map(nameOf) },
  };
}

function inherits(job: Job, repository: Repository): boolean {
  if (job.permissions !== undefined || job.workflow.permissions !== undefined) return false;
  const { triggers } = job.workflow;
  if (!triggers.every(({ event }) => event === 'workflow_call')) return true;
  return repository
    .callersOf(job.workflow)
    .some((caller) => caller.permissions === undefined && caller.workflow.permissions === undefined);
}

function firstExposed(
  jobs: readonly Job[],
  repository: Repository,
): { readonly job: Job; readonly event: OutsiderEvent } | undefined {
  for (const job of jobs) {
    const event = outsiderEvents(job, repository).find(({ reach }) => reach === 'outsider-privileged');
    if (event !== undefined) return { job, event };
  }
  return undefined;
}

function nameOf(job: Job): string {
  return `${job.workflow.source.path.replace(/^\.github\/workflows\//, '')}:${job.id}`;
}
