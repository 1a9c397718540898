import { checkoutsIn, isGuarded, outsiderCheckouts } from '#lib/analysis/checkouts/checkouts.ts';
import { taintsIn } from '#lib/analysis/dataflow/taint.ts';
import { memoByRepository } from '#lib/analysis/memo.ts';
import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { opensLittle } from '#lib/analysis/privileges/secret-names.ts';
import { publishesOf } from '#lib/analysis/publishing/publishing-jobs.ts';
import { approvalBefore } from '#lib/analysis/reachability/approvals.ts';
import {
  cacheTextsOf,
  cacheWritingEvent,
  cacheWritingOff,
  mayRestoreCaches,
  savesCache,
  writesSharedCaches,
} from '#lib/analysis/workspace/caches.ts';
import { executionsAfter } from '#lib/analysis/workspace/workspace-execution.ts';
import type { Job, Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';

type Message = 'code' | 'key' | 'older';

export const cacheWriteUntrusted = defineRule({
  id: 'cache-write-untrusted',
  meta: {
    title: 'Untrusted input controls a cache that trusted runs restore',
    why: 'Runs that members, schedules and pushes start on the default branch write caches that every later run of the repository can read. If such a run executes pull request code, or builds a cache key or path from its text, the author of the pull request controls that cache.',
    attack:
      'A maintainer manually starts the benchmark of a pull request. Its build script stores a tampered compiler under the key that the release looks up, where it persists after the run has ended.',
    recommendation:
      'Set `cache-mode: read` or `cache-mode: none` for the job, or run the pull request’s code in a `pull_request` workflow, whose caches no other run reads. Build keys only from `hashFiles` and `github.sha`.',
    limits:
      'Since June 2026, runs on github.com that outsiders trigger on the default branch can only read caches; for those, the finding matters only on GitHub Enterprise Server. Scripts are not checked for writing caches through the API: any code in the job can. Where no other job with a key, an identity, declared write permissions or something to publish restores a cache, or the job itself releases that code, the severity is LOW.',
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
      code: 'The job {{job}} runs pull request code on {{event}} and can write caches that all runs of the branch read.',
      key: '{{source}} is part of a cache’s {{input}} on {{event}}: its author chooses which cache trusted runs restore.',
      older:
        'The job {{job}} runs an outsider’s code on {{event}} and saves a cache, which only servers without github.com’s read-only rule allow.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on:
            workflow_dispatch: { inputs: { pr: { required: true } } }
          jobs:
            # expect: code MEDIUM
            benchmark:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                  with: { ref: "refs/pull/\${{ inputs.pr }}/merge" }
                - uses: actions/cache@v4
                  with: { path: target, key: target }
                - run: make bench
            deploy:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/cache@v4
                  with: { path: target, key: target }
                - run: make deploy
                  env: { DEPLOY_KEY: "\${{ secrets.DEPLOY_KEY }}" }
        `,
      },
      {
        yaml: yaml`
          on:
            workflow_dispatch: { inputs: { pr: { required: true } } }
          permissions: { contents: read }
          jobs:
            # expect: code LOW
            benchmark:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                  with: { ref: "refs/pull/\${{ inputs.pr }}/merge" }
                - uses: actions/cache@v4
                  with: { path: target, key: target }
                - run: make bench
                  env: { BENCHMARK_KEY: "\${{ secrets.BENCHMARK_KEY }}" }
            test:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/cache@v4
                  with: { path: target, key: target }
                - run: make test
                  env: { CODECOV_TOKEN: "\${{ secrets.CODECOV_TOKEN }}" }
            deploy:
              runs-on: ubuntu-latest
              steps:
                - run: make deploy
                  env: { DEPLOY_KEY: "\${{ secrets.DEPLOY_KEY }}" }
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
      {
        yaml: yaml`
          on:
            workflow_dispatch:
            push:
            repository_dispatch: { types: [test-command] }
          jobs:
            # expect: code LOW
            test:
              runs-on: ubuntu-latest
              steps:
                - if: github.event_name != 'repository_dispatch'
                  uses: actions/checkout@v5
                - if: github.event_name == 'repository_dispatch'
                  uses: actions/checkout@v5
                  with: { ref: "refs/pull/\${{ github.event.client_payload.number }}/merge" }
                - run: npm ci
        `,
      },
      {
        yaml: yaml`
          on:
            workflow_dispatch: { inputs: { pr: { required: true } } }
          jobs:
            # expect: code LOW
            hotfix:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                  with: { ref: "refs/pull/\${{ inputs.pr }}/merge" }
                - uses: actions/cache@v4
                  with: { path: target, key: target }
                - run: npm ci && npm publish
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: [push, merge_group]
          jobs:
            test:
              if: github.event_name == 'merge_group'
              runs-on: ubuntu-latest
              steps:
                - run: gh pr checkout "$PR" && npm ci
                  env: { PR: "\${{ vars.PULL_REQUEST }}" }
        `,
      },
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
  for (const job of workflow.jobs) {
    if (cacheWritingOff(job)) continue;
    const event = cacheWritingEvent(job, repository);
    if (event !== undefined) {
      const attributes = { started: event.endsWith('_dispatch') ? 'by-hand' : 'alone' };
      const released = publishesOf(job, repository).some(({ kind }) => kind === 'package' || kind === 'release');
      const severity = losesToCaches(repository) && !released ? 'MEDIUM' : 'LOW';
      yield { message: 'code', data: { job: job.id, event }, at: job, span: job.idSpan, severity, attributes };
      continue;
    }
    yield* taintedKeys(job, repository);
    const opened = outsidersEventOf(job, repository);
    if (opened !== undefined) {
      yield { message: 'older', data: { job: job.id, event: opened }, at: job, span: job.idSpan, severity: 'INFO' };
    }
  }
}

const losesToCaches = memoByRepository((repository) => {
  const jobs = repository.workflows.flatMap((workflow) => workflow.jobs);
  return (
    repository.partial || jobs.some((job) => mayRestoreCaches(job, repository) && holdsMoreThanWriters(job, repository))
  );
});

function holdsMoreThanWriters(job: Job, repository: Repository): boolean {
  const { secrets, grantsWrite, mintsOidc } = credentialsOf(job);
  const holds = grantsWrite || mintsOidc || secrets.some((name) => !opensLittle(name));
  return (holds || publishesOf(job, repository).length > 0) && cacheWritingEvent(job, repository) === undefined;
}

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
        // The contributor's code was merged already; what remains is pointing one run at another's cache.
        severity: 'LOW',
      };
      break;
    }
  }
}

function outsidersEventOf(job: Job, repository: Repository): string | undefined {
  if (!savesCache(job, repository)) return undefined;
  return outsiderCheckouts(job, repository).find(
    (checkout) =>
      !isGuarded(checkout) &&
      executionsAfter(checkout, checkoutsIn(job, checkout, repository)).some(({ runs }) => runs === 'certain') &&
      approvalBefore(job, checkout, repository) === undefined,
  )?.event;
}
