import { memoByRepository } from '#lib/analysis/memo.ts';
import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import {
  areOnDemand,
  areSingleUse,
  isOnDemand,
  notHosted,
  type Placement,
  placementFor,
  placementsIn,
} from '#lib/analysis/privileges/runners.ts';
import { publishesIn } from '#lib/analysis/publishing/publish.ts';
import type { Scenario } from '#lib/analysis/reachability/conditions.ts';
import {
  memberScenarios,
  type OutsiderEvent,
  outsiderEvents,
  scenariosOf,
} from '#lib/analysis/reachability/outsider-reach.ts';
import { NO_INPUTS } from '#lib/analysis/reachability/passed-inputs.ts';
import type { Job, Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';

type Message = 'outsiders' | 'members' | 'likely';

export const runnerSharedAcrossTrust = defineRule({
  id: 'runner-shared-across-trust',
  meta: {
    title: 'Release job shares self-hosted runners with less trusted jobs',
    why: 'A self-hosted runner usually keeps its disk and processes between jobs. Jobs that request the same labels share the same machines, so whatever one of them leaves behind is still there when the release runs.',
    attack:
      'A pull request’s test leaves a process on the runner. It waits until the release job arrives on the same machine, then reads its secrets from memory or tampers with its build.',
    recommendation:
      'Give releases dedicated runners: a separate label, in a runner group that only the release workflow can use. Better still, use ephemeral runners.',
    limits:
      'Only labels are visible: whether runner groups separate the machines, and whether a machine is ephemeral, are settings. Computed labels are compared where the inputs that choose them are written in this repository. A label other than `self-hosted` may name GitHub-hosted machines, which share nothing.',
    severity: 'MEDIUM',
    confidence: 'medium',
    category: 'CICD-SEC-5',
    surface: 'workflow',
    rulesets: ['owasp', 'slsa-build-l3'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/security/secure-use#hardening-for-self-hosted-runners',
      'https://docs.github.com/actions/concepts/runners/runner-groups',
      'https://slsa.dev/spec/v1.2/build-requirements',
    ],
    messages: {
      outsiders:
        'The job {{job}} {{holds}} on {{labels}}, where the job {{other}} of {{file}} runs outsiders’ code ({{event}}).',
      members:
        'The job {{job}} {{holds}} on {{labels}}, where the job {{other}} of {{file}} runs code from any branch ({{event}}).',
      likely:
        'The job {{job}} {{holds}} on {{labels}}, where the job {{other}} of {{file}} runs less trusted code ({{event}}), if these runners are self-hosted.',
    },
  },
  examples: {
    bad: [
      {
        yaml: {
          '.github/workflows/release.yml': yaml`
            on: { push: { tags: ['v*'] } }
            jobs:
              publish:
                # expect: outsiders
                runs-on: [self-hosted, linux]
                steps:
                  - run: npm publish
                    env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
          `,
          '.github/workflows/test.yml': yaml`
            on: pull_request
            jobs:
              test:
                runs-on: self-hosted
                steps: [{ run: make test }]
          `,
        },
      },
      {
        yaml: yaml`
          on:
            push:
            pull_request:
          jobs:
            build:
              if: github.event.pull_request.head.repo.full_name == github.repository || github.event_name == 'push'
              runs-on: [self-hosted, linux, x64]
              steps: [{ run: make }]
            deploy:
              if: github.ref == 'refs/heads/main'
              environment: production
              # expect: members
              runs-on: [self-hosted, linux, x64]
              steps:
                - run: make deploy
                  env: { KEY: "\${{ secrets.DEPLOY_KEY }}" }
        `,
      },
      {
        yaml: yaml`
          on: [push, pull_request]
          jobs:
            test:
              runs-on: big-box
              steps: [{ run: make }]
            image:
              if: github.ref == 'refs/heads/main'
              # expect: likely
              runs-on: big-box
              steps:
                - run: docker push acme/app
                  env: { TOKEN: "\${{ secrets.REGISTRY_TOKEN }}" }
        `,
      },
      {
        yaml: {
          '.github/workflows/deploy.yml': yaml`
            on: { workflow_call: { inputs: { own: { type: boolean, default: false } }, secrets: { KEY: { required: true } } } }
            jobs:
              deploy:
                environment: production
                # expect: outsiders
                runs-on: \${{ inputs.own && 'self-hosted' || 'ubuntu-latest' }}
                steps:
                  - run: make deploy
                    env: { KEY: "\${{ secrets.KEY }}" }
          `,
          '.github/workflows/build.yml': yaml`
            on: { workflow_call: { inputs: { own: { type: boolean, default: false } } } }
            jobs:
              build:
                runs-on: \${{ inputs.own == true && 'self-hosted' || 'ubuntu-latest' }}
                steps: [{ uses: actions/checkout@v7 }, { run: make }]
          `,
          '.github/workflows/pull.yml': yaml`
            on: pull_request
            jobs:
              build: { uses: ./.github/workflows/build.yml, with: { own: true } }
          `,
          '.github/workflows/push.yml': yaml`
            on: { push: { branches: [main] } }
            jobs:
              build: { uses: ./.github/workflows/build.yml, with: { own: true } }
              deploy: { uses: ./.github/workflows/deploy.yml, with: { own: true }, secrets: inherit }
          `,
        },
      },
    ],
    good: [
      {
        yaml: {
          '.github/workflows/deploy.yml': yaml`
            on: { workflow_call: { inputs: { own: { type: boolean, default: false } }, secrets: { KEY: { required: true } } } }
            jobs:
              deploy:
                environment: production
                runs-on: \${{ inputs.own && 'self-hosted' || 'ubuntu-latest' }}
                steps:
                  - run: make deploy
                    env: { KEY: "\${{ secrets.KEY }}" }
          `,
          '.github/workflows/build.yml': yaml`
            on: { workflow_call: { inputs: { own: { type: boolean, default: false } } } }
            jobs:
              build:
                runs-on: \${{ inputs.own == true && 'self-hosted' || 'ubuntu-latest' }}
                steps: [{ uses: actions/checkout@v7 }, { run: make }]
          `,
          '.github/workflows/pull.yml': yaml`
            on: pull_request
            jobs:
              build: { uses: ./.github/workflows/build.yml }
          `,
          '.github/workflows/push.yml': yaml`
            on: { push: { branches: [main] } }
            jobs:
              build: { uses: ./.github/workflows/build.yml, with: { own: true } }
              deploy: { uses: ./.github/workflows/deploy.yml, with: { own: true }, secrets: inherit }
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/deploy.yml': yaml`
            on: { workflow_call: { inputs: { own: { type: boolean, default: false } }, secrets: { KEY: { required: true } } } }
            jobs:
              deploy:
                environment: production
                runs-on: \${{ inputs.own && 'self-hosted' || 'ubuntu-latest' }}
                steps:
                  - run: make deploy
                    env: { KEY: "\${{ secrets.KEY }}" }
          `,
          '.github/workflows/build.yml': yaml`
            on: { workflow_call: { inputs: { own: { type: boolean, default: false } } } }
            jobs:
              build:
                runs-on: \${{ inputs.own == true && 'self-hosted' || 'ubuntu-latest' }}
                steps: [{ uses: actions/checkout@v7 }, { run: make }]
          `,
          '.github/workflows/pull.yml': yaml`
            on: pull_request
            jobs:
              build: { uses: ./.github/workflows/build.yml, with: { own: true } }
          `,
          '.github/workflows/push.yml': yaml`
            on: { push: { branches: [main] } }
            jobs:
              build: { uses: ./.github/workflows/build.yml, with: { own: true } }
              deploy: { uses: ./.github/workflows/deploy.yml, secrets: inherit }
          `,
        },
      },
      {
        yaml: yaml`
          on: [push, pull_request]
          jobs:
            test:
              runs-on: [self-hosted, test]
              steps: [{ run: make }]
            hosted:
              runs-on: ubuntu-latest
              steps: [{ run: make }]
            publish:
              if: github.ref == 'refs/heads/main'
              runs-on: [self-hosted, release]
              steps:
                - run: npm publish
                  env: { TOKEN: "\${{ secrets.NPM_TOKEN }}" }
            image:
              if: github.ref == 'refs/heads/main'
              runs-on: ubuntu-latest
              steps:
                - run: docker push acme/app
                  env: { TOKEN: "\${{ secrets.REGISTRY_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: [push, pull_request]
          jobs:
            test:
              runs-on: [self-hosted, ephemeral]
              steps: [{ run: make }]
            publish:
              if: github.ref == 'refs/heads/main'
              runs-on: [self-hosted, ephemeral]
              steps:
                - run: npm publish
                  env: { TOKEN: "\${{ secrets.NPM_TOKEN }}" }
        `,
      },
    ],
  },
  check: { workflow: check },
});

interface Tenant {
  readonly job: Job;
  readonly labels: readonly string[];
}

interface LessTrusted extends Tenant {
  readonly by: 'outsiders' | 'members';
  readonly event: string;
}

function* check(workflow: Workflow, { repository }: RuleContext): Generator<Report<Message>> {
  for (const job of workflow.jobs) {
    if (job.runsOn === undefined) continue;
    const holds = whatItHolds(job);
    if (holds === undefined || outsiderEvents(job, repository).length > 0) continue;
    const shared = firstShared(job, repository);
    if (shared === undefined) continue;
    const { labels, other, certain } = shared;
    yield {
      message: certain ? other.by : 'likely',
      data: {
        job: job.id,
        holds,
        labels: labels.join(', '),
        other: other.job.id,
        file: other.job.workflow === workflow ? 'this workflow' : other.job.workflow.source.path,
        event: other.event,
      },
      at: job,
      span: job.runsOn.span,
      severity: certain && other.by === 'outsiders' && !isOnDemand(job) && !areOnDemand(labels) ? 'MEDIUM' : 'LOW',
      confidence: certain ? 'medium' : 'low',
      attributes: { labels, trigger_trust: other.by },
    };
  }
}

interface Shared {
  readonly labels: readonly string[];
  readonly other: LessTrusted;
  readonly certain: boolean;
}

function firstShared(job: Job, repository: Repository): Shared | undefined {
  const machines = ownMachines(placementsIn(job, repository));
  const others = lessTrusted(repository).filter((each) => each.job !== job);
  const found = machines.flatMap(({ kind, labels }): Shared[] => {
    const other = others.find((each) => mayShare(each.labels, labels));
    return other === undefined ? [] : [{ labels, other, certain: kind === 'self-hosted' }];
  });
  const certain = found.filter((each) => each.certain);
  return certain.find(({ other }) => other.by === 'outsiders') ?? certain[0] ?? found[0];
}

function ownMachines(placements: readonly Placement[]): Placement[] {
  return placements.flatMap(({ kind, labels }) =>
    (kind !== 'self-hosted' && kind !== 'own-label') || areSingleUse(labels)
      ? []
      : [{ kind, labels: notHosted(labels) }],
  );
}

function whatItHolds(job: Job): string | undefined {
  const { secrets, mintsOidc, grantsWrite } = credentialsOf(job);
  const publish = job.steps.flatMap(publishesIn)[0];
  const credential = secrets.length > 0 || mintsOidc;
  if (publish !== undefined && (credential || grantsWrite)) return `publishes (${publish.name})`;
  return job.environment !== undefined && credential ? 'uses an environment’s secrets' : undefined;
}

const MAX_COMPARED = 200;
const MAX_LABELS = 16;

const lessTrusted = memoByRepository((repository): readonly LessTrusted[] => {
  const jobs = repository.workflows.flatMap((workflow) => workflow.jobs);
  const all = jobs.flatMap((job) => ofJob(job, repository));
  const sorted = [...all.filter(({ by }) => by === 'outsiders'), ...all.filter(({ by }) => by === 'members')];
  return sorted.slice(0, MAX_COMPARED);
});

function ofJob(job: Job, repository: Repository): LessTrusted[] {
  if (job.runsOn === undefined || job.environment !== undefined) return [];
  const on = (scenarios: readonly Scenario[]): Placement[] => ownMachines([placementFor(job, scenarios, repository)]);
  const outsiders = outsiderEvents(job, repository)
    .filter(runsTheirCode)
    .flatMap((each) => on(scenariosOf(each)).map(({ labels }) => tenant(job, labels, 'outsiders', each.event)));
  if (outsiders.length > 0) return distinct(outsiders);
  const open = job.workflow.triggers.find(
    ({ event, branches, tags }) =>
      event === 'pull_request' || (event === 'push' && branches === undefined && tags === undefined),
  );
  if (open === undefined || /\bgithub\.ref\b|ref_name|default_branch/.test(job.condition?.value ?? '')) return [];
  const byMembers = memberScenarios(open).map((scenario) => ({ ...scenario, inputs: NO_INPUTS }));
  return on(byMembers).map(({ labels }) => tenant(job, labels, 'members', open.event));
}

function tenant(job: Job, labels: readonly string[], by: LessTrusted['by'], event: string): LessTrusted {
  return { job, labels, by, event };
}

function distinct(tenants: readonly LessTrusted[]): LessTrusted[] {
  return [...new Map(tenants.map((each) => [each.labels.join(' '), each])).values()];
}

function runsTheirCode({ reach }: OutsiderEvent): boolean {
  return reach === 'outsider-unprivileged';
}

function mayShare(a: readonly string[], b: readonly string[]): boolean {
  if (a.length === 0 || b.length === 0 || a.length > MAX_LABELS || b.length > MAX_LABELS) return false;
  return a.every((label) => b.includes(label)) || b.every((label) => a.includes(label));
}
