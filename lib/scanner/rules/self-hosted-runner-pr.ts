import { runsNoFiles } from '#lib/analysis/agents/config.ts';
import { isNoOp } from '#lib/analysis/privileges/no-op-steps.ts';
import {
  areOnDemand,
  areSingleUse,
  isOnDemand,
  isOnOwnRunner,
  mayBeRented,
  notHosted,
  placementFor,
  runnerKindFor,
  runnerKindIn,
} from '#lib/analysis/privileges/runners.ts';
import { approvalBefore, isGated, isLabelled } from '#lib/analysis/reachability/approvals.ts';
import { type OutsiderEvent, outsiderEvents, scenariosOf } from '#lib/analysis/reachability/outsider-reach.ts';
import { inputOf, runsAction } from '#lib/workflow/model/action-uses.ts';
import type { Job, Step, Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';

type Message = 'code' | 'data' | 'likely';

export const selfHostedRunnerPr = defineRule({
  id: 'self-hosted-runner-pr',
  meta: {
    title: 'Self-hosted runner accessible to outsiders',
    why: 'A self-hosted runner is a machine that later jobs reuse and that is often inside a private network. A pull request’s run executes the code of that pull request, so its author gets a shell there.',
    attack:
      'The attacker first gets a harmless change merged, so that later runs need no approval, then opens a pull request whose build installs a backdoor on the runner; it reads the secrets of every later job. PyTorch and TensorFlow were compromised this way.',
    recommendation:
      'Keep self-hosted runners away from public repositories, or make them ephemeral, restrict their group to selected workflows, and require approval for all outside contributors. Run pull requests from forks on GitHub-hosted runners: choose the label by `github.event.pull_request.head.repo.full_name == github.repository`.',
    limits:
      'A job whose condition excludes forks is not reported, although a pull request can change the workflow itself: only approval and runner groups prevent that. Whether the repository is public and whether the machine is ephemeral is not in the file; labels such as `on-demand`, or those that choose a cloud and a size, make it likely and lower the severity. A label that neither says `self-hosted` nor stands beside it in another job may name a larger GitHub-hosted runner, and is LOW if it names a cloud, cores, memory or ARM; so is a run that someone must label first. Of computed labels only those that callers pass as plain text or JSON are checked, and of groups none.',
    severity: 'HIGH',
    confidence: 'high',
    category: 'CICD-SEC-7',
    surface: 'workflow',
    rulesets: ['owasp', 'slsa-build-l3'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/security/secure-use#hardening-for-self-hosted-runners',
      'https://johnstawinski.com/2024/01/11/playing-with-fire-how-we-executed-a-critical-supply-chain-attack-on-pytorch/',
    ],
    messages: {
      code: 'Code from anyone’s pull request runs on the self-hosted runner {{labels}} ({{event}}).',
      data: 'Anyone can start this job on the self-hosted runner {{labels}} through {{event}}, although it runs only the repository’s own code.',
      likely: 'Code from anyone’s pull request runs on {{labels}}, which may be a self-hosted runner ({{event}}).',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: [push, pull_request]
          jobs:
            test:
              # expect: code
              runs-on: [self-hosted, linux, x64]
              steps:
                - uses: actions/checkout@v5
                - run: make test
        `,
      },
      {
        yaml: yaml`
          on: [pull_request, issue_comment]
          jobs:
            own:
              # expect: likely MEDIUM
              runs-on: build-farm
              steps: [{ run: make }]
            cloud:
              # expect: likely LOW
              runs-on: linux.4xlarge
              steps: [{ run: make }]
            cores:
              # expect: likely LOW
              runs-on: large_runner_16core_64gb
              steps: [{ run: make }]
            machine-type:
              # expect: likely LOW
              runs-on: linux-x86-n2-16
              steps: [{ run: make }]
            arm:
              # expect: likely LOW
              runs-on: acme-runner-arm64
              steps: [{ run: make }]
            rack:
              # expect: likely MEDIUM
              runs-on: lab-ubuntu-22.04-medium
              steps: [{ run: make }]
            one-of-both:
              strategy: { matrix: { on: [acme-runner-arm64, lab] } }
              # expect: likely MEDIUM
              runs-on: \${{ matrix.on }}
              steps: [{ run: make }]
            matrix:
              strategy: { matrix: { os: [ubuntu-latest, self-hosted] } }
              # expect: code
              runs-on: \${{ matrix.os }}
              steps: [{ run: make }]
            reply:
              if: github.event_name == 'issue_comment'
              # expect: data
              runs-on: self-hosted
              steps: [{ run: make reply }]
        `,
      },
      {
        yaml: yaml`
          on:
            pull_request:
            schedule: [{ cron: '0 3 * * *' }]
            workflow_dispatch:
              inputs: { hosted: { type: boolean } }
          jobs:
            by-event:
              # expect: code
              runs-on: \${{ github.event_name == 'pull_request' && 'self-hosted' || 'ubuntu-24.04' }}
              steps: [{ run: make }]
            by-variable:
              # expect: code
              runs-on: \${{ vars.LARGE && 'self-hosted' || 'ubuntu-24.04' }}
              steps: [{ run: make }]
            by-input:
              # expect: code
              runs-on: \${{ inputs.hosted && 'ubuntu-24.04' || 'self-hosted' }}
              steps: [{ run: make }]
            by-matrix:
              strategy:
                matrix:
                  arch: [arm, intel]
                  os: [{ on: { arm: [Linux, ARM64], intel: ubuntu-latest } }]
              # expect: code
              runs-on: \${{ matrix.os.on[matrix.arch] }}
              steps: [{ run: make }]
        `,
      },
      {
        yaml: yaml`
          on: pull_request_target
          jobs:
            build:
              # expect: code
              runs-on: self-hosted
              steps:
                - uses: actions/checkout@v5
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: make
        `,
      },
      {
        yaml: yaml`
          on: issue_comment
          jobs:
            review:
              # expect: data LOW
              runs-on: self-hosted
              steps:
                - uses: actions/checkout@v7
                  with: { ref: "refs/pull/\${{ github.event.issue.number }}/head" }
                - uses: anthropics/claude-code-action@v1
                  with:
                    anthropic_api_key: \${{ secrets.ANTHROPIC_API_KEY }}
                    claude_args: --allowedTools "Read,Grep,Bash(gh pr diff:*)"
            test:
              # expect: code HIGH
              runs-on: self-hosted
              steps:
                - uses: actions/checkout@v7
                  with: { ref: "refs/pull/\${{ github.event.issue.number }}/head" }
                - uses: anthropics/claude-code-action@v1
                  with:
                    anthropic_api_key: \${{ secrets.ANTHROPIC_API_KEY }}
                    claude_args: --allowedTools "Read,Bash(npm test)"
        `,
      },
      {
        yaml: yaml`
          on:
            pull_request:
              types: [labeled]
          jobs:
            gpu:
              # expect: likely LOW
              runs-on: linux-gpu-8
              steps: [{ run: make bench }]
            own:
              # expect: code LOW
              runs-on: [self-hosted, gpu]
              steps: [{ run: make bench }]
            protected:
              environment: lab
              # expect: code LOW
              runs-on: [self-hosted, gpu]
              steps: [{ run: make bench }]
        `,
      },
      {
        yaml: yaml`
          on:
            pull_request:
              types: [opened, labeled, synchronize]
          jobs:
            labelled-once:
              if: contains(github.event.pull_request.labels.*.name, 'bench')
              # expect: code LOW
              runs-on: [self-hosted, gpu]
              steps: [{ run: make bench }]
            protected:
              environment: lab
              # expect: code MEDIUM
              runs-on: [self-hosted, gpu]
              steps: [{ run: make bench }]
            unless-labelled:
              if: "!contains(github.event.pull_request.labels.*.name, 'skip-bench')"
              # expect: code MEDIUM
              runs-on: [self-hosted, gpu]
              steps: [{ run: make bench }]
        `,
      },
      {
        yaml: {
          '.github/workflows/ci.yml': yaml`
            on: pull_request
            jobs: { linux: { uses: ./.github/workflows/linux.yml } }
          `,
          '.github/workflows/linux.yml': yaml`
            on:
              workflow_call:
                inputs:
                  provider: { type: string, default: aws }
                  group: { type: string, default: builders }
            jobs:
              check:
                # expect: code MEDIUM
                runs-on: [self-hosted, Linux, 8c, "\${{ inputs.provider }}"]
                steps: [{ uses: actions/checkout@v7 }, { run: make }]
              build:
                # expect: code HIGH
                runs-on: [self-hosted, Linux, 8c, "\${{ inputs.group }}"]
                steps: [{ uses: actions/checkout@v7 }, { run: make }]
          `,
        },
      },
      {
        yaml: yaml`
          on: pull_request
          jobs:
            arm:
              # expect: code HIGH
              runs-on: [Linux, ARM64]
              steps: [{ uses: actions/checkout@v7 }, { run: make }]
            started-for-a-job:
              # expect: code MEDIUM
              runs-on: [self-hosted, ARM64, Linux, 8c, aws]
              steps: [{ uses: actions/checkout@v7 }, { run: make }]
            started-for-an-own-job:
              # expect: code MEDIUM
              runs-on: [self-hosted, gcp, 16-cores]
              steps: [{ uses: actions/checkout@v7 }, { run: make }]
            size-alone:
              # expect: code HIGH
              runs-on: [self-hosted, linux, large]
              steps: [{ uses: actions/checkout@v7 }, { run: make }]
        `,
      },
      {
        yaml: {
          '.github/workflows/ci.yml': yaml`
            on: [push, pull_request]
            jobs:
              hosted: { uses: ./.github/workflows/test.yml, with: { runs-on: '["ubuntu-24.04"]', os: ubuntu-24.04 } }
              own: { uses: ./.github/workflows/test.yml, with: { runs-on: '["Linux", "self-hosted", "gpu"]', os: self-hosted } }
              approved: { needs: approve, uses: ./.github/workflows/test.yml, with: { runs-on: '["self-hosted"]', os: self-hosted } }
              approve: { environment: lab, runs-on: ubuntu-latest, steps: [{ run: exit 0 }] }
          `,
          '.github/workflows/test.yml': yaml`
            on: { workflow_call: { inputs: { runs-on: { type: string, required: true }, os: { type: string }, size: { type: string, default: '"self-hosted"' } } } }
            jobs:
              json:
                # expect: code HIGH
                runs-on: \${{ fromJSON(inputs.runs-on) }}
                steps: [{ uses: actions/checkout@v7 }, { run: make }]
              plain:
                # expect: code HIGH
                runs-on: \${{ inputs.os }}
                steps: [{ uses: actions/checkout@v7 }, { run: make }]
              among-others:
                # expect: code HIGH
                runs-on: [linux, "\${{ inputs.os }}"]
                steps: [{ uses: actions/checkout@v7 }, { run: make }]
              chosen:
                # expect: code HIGH
                runs-on: \${{ fromJSON(inputs.missing || inputs.size) }}
                steps: [{ uses: actions/checkout@v7 }, { run: make }]
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/ci.yml': yaml`
            on: pull_request
            jobs:
              named:
                # expect: code HIGH
                runs-on: self-hosted-ubuntu
                steps: [{ uses: actions/checkout@v7 }, { run: make }]
              of-a-size:
                # expect: code MEDIUM
                runs-on: self-hosted-linux-amd64-xlarge
                steps: [{ uses: actions/checkout@v7 }, { run: make }]
              known-from-another-job:
                # expect: code HIGH
                runs-on: gpu-lab
                steps: [{ uses: actions/checkout@v7 }, { run: make }]
              unknown:
                # expect: likely MEDIUM
                runs-on: bench-lab
                steps: [{ uses: actions/checkout@v7 }, { run: make }]
          `,
          '.github/workflows/nightly.yml': yaml`
            on: schedule
            jobs:
              gpu:
                runs-on: [self-hosted, linux, gpu-lab]
                steps: [{ uses: actions/checkout@v7 }, { run: make }]
              either:
                strategy: { matrix: { on: [self-hosted, bench-lab] } }
                runs-on: \${{ matrix.on }}
                steps: [{ uses: actions/checkout@v7 }, { run: make }]
          `,
        },
      },
    ],
    good: [
      {
        yaml: {
          '.github/workflows/ci.yml': yaml`
            on: [push, pull_request]
            jobs:
              hosted: { uses: ./.github/workflows/test.yml, with: { runs-on: '["ubuntu-24.04"]' } }
              trusted: { if: github.event_name == 'push', uses: ./.github/workflows/test.yml, with: { runs-on: '["self-hosted"]' } }
              computed: { uses: ./.github/workflows/test.yml, with: { runs-on: "\${{ vars.RUNS_ON || '[\"ubuntu-24.04\"]' }}" } }
          `,
          '.github/workflows/test.yml': yaml`
            on: { workflow_call: { inputs: { runs-on: { type: string, required: true } } } }
            jobs:
              test:
                runs-on: \${{ fromJSON(inputs.runs-on) }}
                steps: [{ uses: actions/checkout@v7 }, { run: make }]
          `,
        },
      },
      {
        yaml: yaml`
          on:
            pull_request:
            schedule: [{ cron: '0 3 * * *' }]
            workflow_call:
              inputs: { large: { type: boolean, default: false } }
          jobs:
            nightly:
              runs-on: \${{ (github.event_name == 'schedule' || inputs.large) && 'self-hosted' || 'ubuntu-24.04' }}
              steps: [{ run: make }]
            pull-requests:
              runs-on: \${{ startsWith(github.event_name, 'pull_request') && 'ubuntu-24.04' || 'self-hosted' }}
              steps: [{ run: make }]
        `,
      },
      {
        yaml: yaml`
          on: pull_request
          jobs:
            larger:
              runs-on: 16-core-ubuntu
              steps: [{ run: make }]
            named-after-its-image:
              runs-on: acme-ubuntu-latest
              steps: [{ run: make }]
            larger-too:
              runs-on: app-ubuntu24-64-core
              steps: [{ run: make }]
        `,
      },
      {
        yaml: yaml`
          on: [push, pull_request, pull_request_target, issue_comment, workflow_dispatch]
          jobs:
            own:
              if: github.event_name == 'push' || github.event.pull_request.head.repo.full_name == github.repository
              runs-on: [self-hosted, linux]
              steps: [{ run: make }]
            flag:
              if: github.event_name == 'pull_request' && !github.event.pull_request.head.repo.fork
              runs-on: self-hosted
              steps: [{ run: make }]
            pushed:
              if: github.event_name == 'push'
              runs-on: self-hosted
              steps: [{ run: make }]
            after:
              needs: pushed
              runs-on: self-hosted
              steps: [{ run: make }]
            hosted:
              runs-on: ubuntu-latest
              steps: [{ run: make }]
            larger:
              runs-on: ubuntu-24.04-16core
              steps: [{ run: make }]
            rented:
              runs-on: depot-ubuntu-24.04-8
              steps: [{ run: make }]
            group:
              runs-on: { group: large }
              steps: [{ run: make }]
        `,
      },
      {
        yaml: yaml`
          on: [push, schedule, workflow_dispatch, merge_group]
          jobs:
            build:
              runs-on: [self-hosted, linux]
              steps: [{ run: make }]
        `,
      },
    ],
  },
  check: { workflow: check },
});

function* check(workflow: Workflow, { repository }: RuleContext): Generator<Report<Message>> {
  for (const job of workflow.jobs) {
    if (job.runsOn === undefined || runnerKindIn(job, repository) === 'hosted') continue;
    const event = worstEvent(job, repository);
    if (event === undefined) continue;
    const { kind, labels: known } = placementFor(job, scenariosOf(event), repository);
    const runsCode = runsOutsidersCode(job, event);
    if (!runsCode && kind === 'own-label') continue;
    const labels = notHosted(known);
    const machine = {
      certain: kind === 'self-hosted',
      singleUse: areSingleUse(known),
      onDemand: isOnDemand(job) || areOnDemand(known),
      rented: kind === 'own-label' && mayBeRented(labels),
    };
    const gate = isLabelled(approvalBefore(job, event, repository))
      ? 'label'
      : isGated(job, event, repository)
        ? 'other'
        : undefined;
    yield {
      message: kind === 'own-label' ? 'likely' : runsCode ? 'code' : 'data',
      data: { labels: labels.join(', '), event: event.event },
      at: job,
      span: job.runsOn.span,
      ...gradeOf(machine, runsCode, gate),
      attributes: {
        labels,
        ephemeral: machine.singleUse,
        event: event.event,
        trigger_trust: 'outsider',
      },
    };
  }
}

function worstEvent(job: Job, repository: Repository): OutsiderEvent | undefined {
  const events = outsiderEvents(job, repository).filter((each) => isOnOwnRunner(job, scenariosOf(each), repository));
  const withCode = events.filter((each) => runsOutsidersCode(job, each));
  const certain = withCode.filter((each) => runnerKindFor(job, scenariosOf(each), repository) === 'self-hosted');
  return certain.find((each) => !isGated(job, each, repository)) ?? certain[0] ?? withCode[0] ?? events[0];
}

interface Machine {
  readonly certain: boolean;
  readonly singleUse: boolean;
  readonly onDemand: boolean;
  readonly rented: boolean;
}

function gradeOf(
  { certain, singleUse, onDemand, rented }: Machine,
  runsCode: boolean,
  gate: 'label' | 'other' | undefined,
): Pick<Report, 'severity' | 'confidence'> {
  if (singleUse || !runsCode) return { severity: 'LOW', confidence: certain ? 'medium' : 'low' };
  if (!certain) return { severity: gate !== undefined || rented ? 'LOW' : 'MEDIUM', confidence: 'low' };
  if (gate !== undefined) return { severity: onDemand || gate === 'label' ? 'LOW' : 'MEDIUM', confidence: 'medium' };
  return onDemand ? { severity: 'MEDIUM', confidence: 'medium' } : { severity: 'HIGH', confidence: 'high' };
}

function runsOutsidersCode(job: Job, { event }: OutsiderEvent): boolean {
  if (event.startsWith('pull_request') && event !== 'pull_request_target') return true;
  const fetch = job.steps.find(isFetch);
  if (fetch === undefined) return false;
  const later = job.steps.slice(fetch.index + 1);
  return !runsAction(fetch, 'actions/checkout') || later.some((step) => !isBystander(step, event));
}

function isFetch(step: Step): boolean {
  const ref = inputOf(step, 'ref')?.value ?? '';
  return (
    /\bhead[._]|refs\/pull\//.test(ref) ||
    /\bgh pr checkout\b|refs\/pull\/|pull\/\S{1,200}\/head/.test(step.run?.value ?? '')
  );
}

function isBystander(step: Step, event: string): boolean {
  return isNoOp(step) || runsAction(step, 'actions/checkout', 'actions/upload-artifact') || runsNoFiles(step, event);
}
