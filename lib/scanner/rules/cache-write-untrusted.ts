import { taintsIn } from '#lib/analysis/dataflow/taint.ts';
import { approvalBefore } from '#lib/analysis/reachability/approvals.ts';
import {
  cacheTextsOf,
  cacheWritingOff,
  runsPullRequestCode,
  savesCache,
  writesSharedCaches,
} from '#lib/analysis/workspace/caches.ts';
import { checkoutsIn, outsiderCheckouts } from '#lib/analysis/workspace/checkouts.ts';
import { executionsAfter } from '#lib/analysis/workspace/workspace-execution.ts';
import type { Job, Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';

type Message = 'code' | 'key' | 'older';

export const cacheWriteUntrusted = defineRule({
  id: 'cache-write-untrusted',
  meta: {
    title: 'Untrusted code or text decides what trusted runs find in a cache',
    why: 'Runs that members, schedules and pushes start on the default branch write the cache that every later run of the repository may read. When such a run executes a pull request’s code, or builds a cache’s key or path from its text, the pull request’s author fills that cache.',
    attack:
      'A maintainer starts the benchmark of a pull request by hand. Its build script stores a changed compiler under the key that the release looks for, and stays in the repository after the run has ended.',
    recommendation:
      'Give the job `cache-mode: read` or `cache-mode: none`, or run the pull request’s code in a `pull_request` workflow, whose caches nobody else reads. Make keys of `hashFiles` and `github.sha` alone.',
    limits:
      'Since June 2026 github.com lets runs that outsiders start on the default branch only read caches; for those the finding is a remark to servers of one’s own. A script that stores caches by the service’s interface is not told from one that does not: any code of the job can.',
    severity: 'MEDIUM',
    confidence: 'medium',
    category: 'CICD-SEC-9',
    surface: 'workflow',
    rulesets: ['owasp', 'slsa-build-l3'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/workflows-and-actions/dependency-caching#restrictions-for-accessing-a-cache',
      'https://adnanthekhan.com/2024/05/06/the-monsters-in-your-build-cache-github-actions-cache-poisoning/',
    ],
    messages: {
      code: 'The job {{job}} runs a pull request’s code on {{event}}, where it may write caches that all runs of the branch read.',
      key: '{{source}} is part of a cache’s {{input}} on {{event}}: its author chooses which cache trusted runs find.',
      older:
        'The job {{job}} runs an outsider’s code on {{event}} and saves a cache; only servers without github.com’s read-only rule let it.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on:
            workflow_dispatch: { inputs: { pr: { required: true } } }
          jobs:
            # expect: code
            benchmark:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                  with: { ref: "refs/pull/\${{ inputs.pr }}/merge" }
                - uses: actions/cache@v4
                  with: { path: target, key: target }
                - run: make bench
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/cache@v4
                  with:
                    path: target
                    # expect: key
                    key: target-\${{ github.event.head_commit.message }}
        `,
      },
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: read }
          jobs:
            # expect: older
            size:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6.0.1
                  with: { ref: "refs/pull/\${{ github.event.number }}/merge" }
                - uses: actions/cache@v4
                  with: { path: store, key: store }
                - run: npm ci
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on:
            workflow_dispatch: { inputs: { pr: { required: true } } }
          jobs:
            benchmark:
              runs-on: ubuntu-latest
              cache-mode: read
              steps:
                - uses: actions/checkout@v5
                  with: { ref: "refs/pull/\${{ inputs.pr }}/merge" }
                - run: make bench
            look:
              runs-on: ubuntu-latest
              steps:
                - run: gh pr checkout "$PR" && git diff main
                  env: { PR: "\${{ inputs.pr }}" }
        `,
      },
      {
        yaml: yaml`
          on: [push, pull_request]
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                - uses: actions/cache@v4
                  with:
                    path: target
                    key: \${{ runner.os }}-\${{ github.head_ref }}-\${{ hashFiles('Cargo.lock') }}
                - run: make
        `,
      },
    ],
  },
  check: { workflow: check },
});

function* check(workflow: Workflow, { repository }: RuleContext): Generator<Report<Message>> {
  const event = workflow.triggers.find((trigger) => writesSharedCaches(trigger.event))?.event;
  for (const job of workflow.jobs) {
    if (cacheWritingOff(job)) continue;
    if (event !== undefined && runsPullRequestCode(job, repository)) {
      yield { message: 'code', data: { job: job.id, event }, at: job, span: job.idSpan };
      continue;
    }
    yield* taintedKeys(job, repository);
    const opened = outsidersEventOf(job, repository);
    if (opened !== undefined) {
      yield { message: 'older', data: { job: job.id, event: opened }, at: job, span: job.idSpan, severity: 'INFO' };
    }
  }
}

/** A key or path made of what somebody without write access wrote, in a run that writes the branch’s cache. */
function* taintedKeys(job: Job, repository: Repository): Generator<Report<Message>> {
  for (const step of job.steps) {
    for (const { input, text } of cacheTextsOf(step)) {
      const taint = taintsIn(text, step, repository).find(
        ({ writer, event }) => (writer === 'outsider' || writer === 'contributor') && writesSharedCaches(event),
      );
      if (taint === undefined) continue;
      yield {
        message: 'key',
        data: { source: taint.source, input, event: taint.event },
        at: step,
        span: text.span,
        // Its code was merged before: what is left is to point one run at another's cache.
        severity: 'LOW',
      };
      break;
    }
  }
}

/** The event by which an outsider's code runs in a job that saves a cache of the default branch. */
function outsidersEventOf(job: Job, repository: Repository): string | undefined {
  if (!savesCache(job)) return undefined;
  return outsiderCheckouts(job, repository).find(
    (checkout) =>
      checkout.guard !== 'enforced' &&
      executionsAfter(checkout, checkoutsIn(job, checkout, repository)).some(({ runs }) => runs === 'certain') &&
      approvalBefore(job, checkout, repository) === undefined,
  )?.event;
}
