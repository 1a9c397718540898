import { bringsOutsidersCode } from '#lib/analysis/checkouts/checkouts.ts';
import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { approvalBefore, isLabelled } from '#lib/analysis/reachability/approvals.ts';
import { autoMergeStep, isVerifiedBefore, leavesUnmerged } from '#lib/analysis/reachability/auto-merge-steps.ts';
import { holds } from '#lib/analysis/reachability/conditions.ts';
import {
  endsInFailure,
  mayRun,
  type OutsiderEvent,
  outsiderEvents,
  scenariosOf,
} from '#lib/analysis/reachability/outsider-reach.ts';
import { skippedFor } from '#lib/analysis/reachability/permission-lookups.ts';
import { replaceRange } from '#lib/workflow/edits/scalars.ts';
import { conditionOf, type Expression } from '#lib/workflow/expressions/expression.ts';
import { type IdentityTest, identityTestsIn } from '#lib/workflow/expressions/identity.ts';
import type { Job, Step, Text } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Fix, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';

type Message = 'actor' | 'author';

const AUTHOR = 'github.event.pull_request.user.login';

export const botConditions = defineRule({
  id: 'bot-conditions',
  meta: {
    title: 'Condition trusts an actor name that outsiders can spoof',
    why: '`github.actor` is the account that triggered the last event, not the author of the pull request. An outsider can make a bot push to a branch of their own fork, and a commit’s author is whatever its creator typed.',
    attack:
      'An attacker opens a pull request from a fork and gets a bot to update that branch. The condition then mistakes the run for the bot’s own and lets the attacker’s change through.',
    recommendation:
      'Check who wrote the content: `github.event.pull_request.user.login`, or `github.event.workflow_run.actor.login`, together with `github.event.pull_request.head.repo.full_name == github.repository`.',
    limits:
      'Only conditions of jobs and steps are checked, not comparisons in scripts or values. A condition that skips work for a bot is not reported, unless the work is to end the job: spoofing the bot only skips that work.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-4',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/workflows-and-actions/contexts#github-context',
      'https://www.synacktiv.com/publications/github-actions-exploitation-dependabot',
    ],
    messages: {
      actor:
        'On {{event}}, this condition trusts {{name}}, but {{path}} is whoever acted last, not the author of the pull request.',
      author: 'On {{event}}, this condition trusts {{path}}, which anyone can forge in a commit.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: pull_request_target
          jobs:
            label:
              # expect: actor
              if: github.actor == 'dependabot[bot]'
              runs-on: ubuntu-latest
              steps:
                - run: make label
            steps:
              runs-on: ubuntu-latest
              steps:
                # expect: actor
                - if: github.repository == 'acme/app' && github.actor == 'renovate[bot]'
                  run: make label
        `,
        fixed: yaml`
          on: pull_request_target
          jobs:
            label:
              # expect: actor
              if: github.event.pull_request.user.login == 'dependabot[bot]'
              runs-on: ubuntu-latest
              steps:
                - run: make label
            steps:
              runs-on: ubuntu-latest
              steps:
                # expect: actor
                - if: github.repository == 'acme/app' && github.event.pull_request.user.login == 'renovate[bot]'
                  run: make label
        `,
      },
      {
        yaml: yaml`
          on: [pull_request_target, push]
          permissions: { contents: write }
          jobs:
            build:
              # expect: actor
              if: github.event_name == 'push' || contains(fromJSON('["acme-bot", "renovate[bot]"]'), github.triggering_actor)
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: make
        `,
      },
      {
        yaml: yaml`
          on: { workflow_run: { workflows: [CI] } }
          jobs:
            build:
              # expect: author
              if: github.event.workflow_run.head_commit.author.name == 'Release Robot'
              runs-on: ubuntu-latest
              steps:
                - run: make release
        `,
      },
      {
        yaml: yaml`
          on: { pull_request_target: { types: [opened, synchronize] } }
          permissions: { contents: write }
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - id: who
                  run: echo "may=$(gh api "repos/$GITHUB_REPOSITORY/collaborators/$GITHUB_ACTOR/permission" -q .permission)" >> "$GITHUB_OUTPUT"
                # expect: actor MEDIUM
                - if: github.actor != 'helper[bot]' && steps.who.outputs.may != 'write'
                  run: exit 1
                - run: make
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: { pull_request_target: { types: [opened, synchronize] } }
          permissions: { contents: write }
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - if: github.event.pull_request.user.login != 'helper[bot]'
                  run: exit 1
                - if: github.actor != 'helper[bot]'
                  run: echo "A person"
        `,
      },
      {
        yaml: yaml`
          on: [pull_request_target, issue_comment, push]
          jobs:
            author:
              if: github.event.pull_request.user.login == 'dependabot[bot]'
              runs-on: ubuntu-latest
              steps: [{ run: "true" }]
            joined:
              if: github.actor == 'dependabot[bot]' && github.event.pull_request.user.login == 'dependabot[bot]'
              runs-on: ubuntu-latest
              steps: [{ run: "true" }]
            own:
              if: github.actor == 'dependabot[bot]' && github.event.pull_request.head.repo.full_name == github.repository
              runs-on: ubuntu-latest
              steps: [{ run: "true" }]
            skips:
              if: github.triggering_actor != 'dependabot[bot]' && !(github.actor == 'renovate[bot]' && github.event_name == 'push')
              runs-on: ubuntu-latest
              steps: [{ run: "true" }]
            either:
              if: github.actor == 'dependabot[bot]' || github.event.pull_request.draft == false
              runs-on: ubuntu-latest
              steps: [{ run: "true" }]
            pushed:
              if: github.event_name == 'push' && github.actor == 'dependabot[bot]'
              runs-on: ubuntu-latest
              steps: [{ run: "true" }]
            commented:
              if: github.event_name == 'issue_comment' && github.actor == 'acme[bot]'
              runs-on: ubuntu-latest
              steps: [{ run: "true" }]
            member:
              if: github.actor == 'alice'
              runs-on: ubuntu-latest
              steps: [{ run: "true" }]
        `,
      },
      {
        yaml: yaml`
          on: { pull_request_target: { types: [opened] } }
          jobs:
            greet:
              if: github.actor == 'dependabot[bot]'
              runs-on: ubuntu-latest
              steps: [{ run: "true" }]
        `,
      },
    ],
  },
  check: { job: check, callJob: check },
});

function* check(job: Job, context: RuleContext): Generator<Report<Message>> {
  yield* judge(job, context);
  for (const step of job.steps) yield* judge(step, context);
}

function* judge(node: Job | Step, context: RuleContext): Generator<Report<Message>> {
  const { condition } = node;
  if (condition === undefined || !/actor|sender|author|committer/i.test(condition.value)) return;
  const expression = conditionOf(condition);
  const tests = expression.node === undefined ? [] : identityTestsIn(expression.node);
  const skipped = node.kind === 'step' && endsInFailure(node) ? skippedFor(node) : undefined;
  const test = skipped ?? tests.find(({ negated }) => !negated);
  const events =
    test === undefined
      ? []
      : skipped === undefined
        ? eventsDecidedBy(condition, node, context)
        : outsiderEvents(node, context.repository).filter(({ event }) => ARRANGEABLE.has(event));
  const privileged = events.find(({ reach }) => reach === 'outsider-privileged');
  const event = privileged ?? events[0];
  if (test === undefined || event === undefined) return;
  yield {
    message: test.kind === 'bot' ? 'actor' : 'author',
    data: { event: event.event, path: test.path, name: test.name },
    at: node,
    span: expression.span,
    severity: privileged === undefined ? 'LOW' : severityOf(test, node, privileged, context.repository),
    fix: fixOf(condition, expression, tests, node),
    attributes: { event: event.event, trigger_trust: 'outsider' },
  };
}

function eventsDecidedBy(condition: Text, node: Job | Step, { repository }: RuleContext): OutsiderEvent[] {
  return outsiderEvents(node, repository).filter(
    (candidate) =>
      ARRANGEABLE.has(candidate.event) &&
      scenariosOf(candidate).some(
        (scenario) =>
          // The actor who opens a pull request is its author; only later events have another actor.
          scenario.action !== 'opened' &&
          mayRun(node, { ...scenario, identity: 'asked' }) &&
          holds(condition, { ...scenario, identity: 'other' }) === false,
      ),
  );
}

const ARRANGEABLE: ReadonlySet<string> = new Set(['pull_request', 'pull_request_target', 'workflow_run']);

function severityOf(test: IdentityTest, node: Job | Step, event: OutsiderEvent, repository: Repository): Severity {
  const job = node.kind === 'job' ? node : node.parent.kind === 'job' ? node.parent : undefined;
  if (job === undefined || isVerifiedBefore(node, repository)) return 'LOW';
  // A machine user obeys its owner; anyone can make an app act.
  const arranged = test.kind === 'git-author' || /\[bot\]$|^\d+$/.test(test.name);
  const steps = node.kind === 'job' ? job.steps : [node];
  const wanted = steps.some((step) => actsOnChange(step, job, repository)) || bringsOutsidersCode(steps, repository);
  const labelled = isLabelled(approvalBefore(node, event, repository));
  if (arranged && wanted && credentialsOf(job).any) return labelled ? 'MEDIUM' : 'HIGH';
  return labelled ? 'LOW' : 'MEDIUM';
}

function actsOnChange(step: Step, { steps }: Job, repository: Repository): boolean {
  const act = autoMergeStep(step, repository);
  if (act === undefined || leavesUnmerged(act, repository)) return false;
  return act.kind !== 'push' || bringsOutsidersCode(steps.slice(0, step.index + 1), repository);
}

function fixOf(
  condition: Text,
  expression: Expression,
  tests: readonly IdentityTest[],
  node: Job | Step,
): Fix | undefined {
  const workflow = node.kind === 'job' ? node.workflow : node.parent.kind === 'job' ? node.parent.workflow : undefined;
  const events = workflow?.triggers.map(({ event }) => event) ?? [];
  if (condition.node.shared || !events.every((event) => event === 'pull_request' || event === 'pull_request_target')) {
    return undefined;
  }
  const places = [
    ...condition.value.slice(expression.range.start, expression.range.end).matchAll(/\bgithub\.actor\b/g),
  ];
  if (places.length === 0 || places.length !== tests.length || tests.some(({ path }) => path !== 'github.actor')) {
    return undefined;
  }
  const edits = places.flatMap(({ index, 0: text }) => {
    const at = expression.range.start + index;
    return replaceRange(condition, at, at + text.length, AUTHOR) ?? [];
  });
  return { safety: events.length === 1 ? 'safe' : 'review', edits };
}
