import { agentsAt } from '#lib/analysis/agents/catalog.ts';
import { runsWorkspaceCode } from '#lib/analysis/privileges/foreign-code.ts';
import { runnerKind, soleLabels } from '#lib/analysis/privileges/runners.ts';
import { privilegedOutsiderEvents } from '#lib/analysis/reachability/outsider-reach.ts';
import type { TextEdit } from '#lib/workflow/edits/edit.ts';
import { setKey } from '#lib/workflow/edits/keys.ts';
import type { Job, Workflow } from '#lib/workflow/model/model.ts';
import { entryOf } from '#lib/workflow/yaml/parse.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';
import { jobNames } from '../shared/job-names.ts';

type Message = 'missing' | 'held' | 'started';

const SUGGESTED_MINUTES = 60;

export const missingTimeout = defineRule({
  id: 'missing-timeout',
  meta: {
    title: 'Job has no timeout',
    why: 'A job that hangs runs for six hours. Until then it occupies a runner, costs minutes and may block other jobs.',
    attack: 'An attacker who can start the job repeatedly keeps the runners busy and uses up the paid minutes.',
    recommendation: 'Set `timeout-minutes` on the job to about twice its usual duration.',
    limits:
      'The job’s usual duration is not known; the fix inserts 60 minutes as a starting point. Jobs on `ubuntu-slim` are not reported, because GitHub ends them after 15 minutes. Jobs that outsiders start count as lasting only if they run a program of the workspace, a local action or an agent.',
    severity: 'INFO',
    confidence: 'high',
    category: 'CICD-SEC-7',
    surface: 'workflow',
    rulesets: [],
    pedantic: ['missing'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idtimeout-minutes',
      'https://docs.github.com/actions/reference/limits',
    ],
    messages: {
      missing: 'No timeout for {{jobs}}: a hanging step occupies a runner for up to six hours.',
      held: 'No timeout for {{jobs}}: a hanging step occupies a self-hosted runner for up to six hours.',
      started: 'No timeout for {{jobs}}, which anyone can start through {{event}}.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          jobs:
            # expect: missing
            build:
              runs-on: ubuntu-latest
              steps:
                - run: make
                  timeout-minutes: 5
                - run: make test
            # expect: held
            deploy:
              runs-on: [self-hosted]
              name: Deploy
              steps: [{ run: make deploy }]
            lint:
              runs-on: ubuntu-latest
              steps: [{ run: make lint }]
        `,
        fixed: yaml`
          on: push
          jobs:
            # expect: missing
            build:
              runs-on: ubuntu-latest
              timeout-minutes: 60
              steps:
                - run: make
                  timeout-minutes: 5
                - run: make test
            # expect: held
            deploy:
              runs-on: [self-hosted]
              timeout-minutes: 60
              name: Deploy
              steps: [{ run: make deploy }]
            lint:
              runs-on: ubuntu-latest
              timeout-minutes: 60
              steps: [{ run: make lint }]
        `,
      },
      {
        yaml: yaml`
          on: issues
          jobs:
            # expect: started
            triage: { runs-on: ubuntu-latest, steps: [{ run: make triage }] }
        `,
      },
      {
        yaml: yaml`
          on: pull_request_target
          jobs:
            # expect: missing INFO
            label:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                - uses: acme/labeler@v6
            answer:
              runs-on: ubuntu-latest
              steps:
                - run: gh pr comment "$NUMBER" --body "$(cat .github/welcome.md)"
                - uses: actions/github-script@v8
                  with: { script: "await github.rest.issues.addLabels({ ...context.repo, labels: ['new'] })" }
            # expect: started LOW
            label-and-check:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/labeler@v6
                - run: ./check.sh
            agent:
              runs-on: ubuntu-latest
              steps: [{ uses: anthropics/claude-code-action@v1 }]
            local:
              runs-on: ubuntu-latest
              steps: [{ uses: ./.github/actions/check }]
            either:
              runs-on: \${{ matrix.os }}
              strategy: { matrix: { os: [ubuntu-slim, ubuntu-latest] } }
              steps: [{ run: ./check.sh }]
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          jobs:
            job:
              timeout-minutes: 10
              runs-on: ubuntu-latest
              steps: [{ run: make }]
            computed:
              timeout-minutes: \${{ matrix.minutes }}
              runs-on: ubuntu-latest
              steps: [{ run: make }]
            steps:
              runs-on: ubuntu-latest
              steps:
                - { run: make, timeout-minutes: 5 }
                - { uses: actions/checkout@v5, timeout-minutes: 5 }
            called:
              uses: ./.github/workflows/build.yml
            slim:
              runs-on: ubuntu-slim
              steps: [{ run: make }]
        `,
      },
    ],
  },
  check: { workflow: check },
});

const MAX_NAMED = 5;

function* check(workflow: Workflow, { repository }: RuleContext): Generator<Report<Message>> {
  const groups = new Map<Message, { readonly event: string; readonly jobs: [Job, ...Job[]] }>();
  for (const job of workflow.jobs) {
    if (job.uses !== undefined || job.steps.length === 0 || isLimited(job)) continue;
    const held = runnerKind(job) === 'self-hosted';
    const lasts = job.steps.some((step) => runsWorkspaceCode(step) || agentsAt(step, repository).length > 0);
    // A fork’s `pull_request` can change the timeout anyway; an event that runs the base’s workflow cannot.
    const event = held || !lasts ? undefined : privilegedOutsiderEvents(job, repository)[0]?.event;
    const message = held ? 'held' : event === undefined ? 'missing' : 'started';
    const group = groups.get(message);
    if (group === undefined) groups.set(message, { event: event ?? '', jobs: [job] });
    else group.jobs.push(job);
  }
  for (const [message, { event, jobs }] of groups) {
    const edits = jobs.flatMap(limit);
    const ids = jobs.map(({ id }) => id);
    yield {
      message,
      data: { jobs: jobNames(ids, MAX_NAMED), event },
      at: workflow,
      span: jobs[0].idSpan,
      // Keeps the finding’s identity when jobs change.
      anchor: message,
      severity: message === 'missing' ? 'INFO' : 'LOW',
      fix: edits.length === 0 ? undefined : { safety: 'review', edits },
      attributes: { jobs: ids.slice(0, 100) },
    };
  }
}

function isLimited(job: Job): boolean {
  if (entryOf(job.mapping, 'timeout-minutes') !== undefined) return true;
  if (soleLabels(job)?.every((label) => label === 'ubuntu-slim') === true) return true;
  return job.steps.every(({ mapping }) => entryOf(mapping, 'timeout-minutes') !== undefined);
}

function limit({ mapping }: Job): TextEdit[] {
  if (mapping.flow || entryOf(mapping, 'runs-on')?.value.shared === true) return [];
  return [setKey(mapping, 'timeout-minutes', String(SUGGESTED_MINUTES), { after: 'runs-on' }) ?? []].flat();
}
