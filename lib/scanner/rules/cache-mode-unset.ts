import { memoByRepository } from '#lib/analysis/memo.ts';
import { runsForeignCode } from '#lib/analysis/privileges/foreign-code.ts';
import { publishesIn } from '#lib/analysis/publishing/publish.ts';
import {
  cacheModeOf,
  cacheReadingOff,
  cacheUseOf,
  cacheUsesIn,
  savesCache,
  writesSharedCaches,
} from '#lib/analysis/workspace/caches.ts';
import { mayInsert, setKey } from '#lib/workflow/edits/keys.ts';
import { runsAction } from '#lib/workflow/model/action-uses.ts';
import type { Job, Step, Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Fix, type Report, type RuleContext, yaml } from '../engine/rule.ts';

type Message = 'writable' | 'unconditional';

export const cacheModeUnset = defineRule({
  id: 'cache-mode-unset',
  meta: {
    title: 'Job without a cache can still write caches',
    why: 'Every job gets a token that can write the repository’s caches, whether it uses them or not. If a release restores a cache, each of those jobs can influence what is released.',
    attack:
      'A compromised dependency in a nightly test that uses no cache stores a tampered cache under the key that the release restores.',
    recommendation:
      'Set `cache-mode: none` for jobs that use no cache and `cache-mode: read` for jobs that only restore one. Save caches only in runs on the branch, with a condition on the saving step.',
    limits:
      'Reported only if a job that publishes restores a cache, once per workflow. An action may use a cache without the workflow saying so: check before you disable it. GitHub Enterprise Server may not support the key yet.',
    severity: 'INFO',
    confidence: 'medium',
    category: 'CICD-SEC-9',
    surface: 'workflow',
    rulesets: ['owasp', 'slsa-build-l3'],
    pedantic: true,
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax',
      'https://docs.github.com/actions/reference/workflows-and-actions/dependency-caching#restrictions-for-accessing-a-cache',
    ],
    messages: {
      writable:
        'In this workflow, {{jobs}} can write the caches that {{release}} restores: third-party code runs there although no cache is saved.',
      unconditional:
        'Pull requests save this cache too. No other run can read it, and it takes up space that other caches need.',
    },
  },
  examples: {
    bad: [
      {
        yaml: {
          '.github/workflows/nightly.yml': yaml`
            on: { schedule: [{ cron: '0 3 * * *' }] }
            jobs:
              # expect: writable
              test:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v5
                  - run: npm ci && npm test
              lint:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/cache/restore@v4
                    with: { path: .eslintcache, key: lint }
                  - run: npx eslint .
          `,
          '.github/workflows/release.yml': yaml`
            on: release
            jobs:
              publish:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/cache@v4
                    with: { path: dist, key: dist }
                  - run: npm publish
          `,
        },
        fixed: yaml`
          on: { schedule: [{ cron: '0 3 * * *' }] }
          jobs:
            # expect: writable
            test:
              cache-mode: none
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                - run: npm ci && npm test
            lint:
              cache-mode: read
              runs-on: ubuntu-latest
              steps:
                - uses: actions/cache/restore@v4
                  with: { path: .eslintcache, key: lint }
                - run: npx eslint .
        `,
      },
      {
        yaml: yaml`
          on: [push, pull_request]
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/cache/restore@v4
                  with: { path: target, key: target }
                - run: make
                # expect: unconditional
                - uses: actions/cache/save@v4
                  with: { path: target, key: target }
        `,
      },
    ],
    good: [
      {
        yaml: {
          '.github/workflows/test.yml': yaml`
            on: [push, pull_request]
            jobs:
              test:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v5
                  - uses: actions/cache/restore@v4
                    with: { path: target, key: target }
                  - run: npm ci
                  - uses: actions/cache/save@v4
                    if: github.ref == 'refs/heads/main'
                    with: { path: target, key: target }
              closed:
                runs-on: ubuntu-latest
                cache-mode: read
                steps: [{ run: npm ci }]
              quiet:
                runs-on: ubuntu-latest
                steps: [{ run: echo ok }]
          `,
          '.github/workflows/release.yml': yaml`
            on: release
            jobs:
              publish:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/cache@v4
                    with: { path: dist, key: dist }
                  - run: npm publish
          `,
        },
      },
      {
        yaml: yaml`
          on: push
          jobs:
            test:
              runs-on: ubuntu-latest
              steps: [{ run: npm ci }]
        `,
      },
    ],
  },
  check: { workflow: check },
});

function* check(workflow: Workflow, { repository }: RuleContext): Generator<Report<Message>> {
  for (const job of workflow.jobs) for (const step of job.steps) yield* unconditionalSave(step, workflow);
  const release = releaseThatRestores(repository);
  if (release === undefined || !workflow.triggers.some(({ event }) => writesSharedCaches(event))) return;
  const jobs = workflow.jobs.filter((job) => job !== release && neverSaves(job, repository));
  const [first] = jobs;
  if (first === undefined) return;
  yield {
    message: 'writable',
    data: { jobs: jobs.length === 1 ? `the job ${first.id}` : `${jobs.length} jobs`, release: `the job ${release.id}` },
    at: first,
    span: first.idSpan,
    fix: closed(jobs, workflow),
  };
}

function neverSaves(job: Job, repository: Repository): boolean {
  return (
    job.uses === undefined &&
    cacheModeOf(job) === undefined &&
    !savesCache(job, repository) &&
    !job.steps.some(mayCacheByItself) &&
    job.steps.some((step) => step.run !== undefined && runsForeignCode(step))
  );
}

const QUIET_ACTIONS = [
  'actions/cache/restore',
  'actions/checkout',
  'actions/download-artifact',
  'actions/github-script',
  'actions/upload-artifact',
];

function mayCacheByItself(step: Step): boolean {
  return step.uses !== undefined && !QUIET_ACTIONS.some((name) => runsAction(step, name));
}

const releaseThatRestores = memoByRepository((repository): Job | undefined =>
  repository.workflows
    .flatMap(({ jobs }) => jobs)
    .find(
      (each) =>
        !cacheReadingOff(each) &&
        cacheUsesIn(each, repository).length > 0 &&
        each.steps.some((step) => publishesIn(step).length > 0),
    ),
);

function* unconditionalSave(step: Step, { triggers }: Workflow): Generator<Report<Message>> {
  if (!runsAction(step, 'actions/cache/save') || step.uses === undefined || step.parent.kind !== 'job') return;
  const events = triggers.map(({ event }) => event);
  if (!events.includes('pull_request') || !events.includes('push')) return;
  const conditions = [step.condition, step.parent.condition].map((text) => text?.value ?? '');
  if (conditions.some((text) => /\bgithub\.|\binputs\.|\benv\.|\bvars\.|\boutputs\.|\bneeds\./i.test(text))) return;
  if (cacheModeOf(step.parent) !== undefined) return;
  yield { message: 'unconditional', at: step, span: step.uses.span };
}

function closed(jobs: readonly Job[], workflow: Workflow): Fix | undefined {
  if (!mayInsert(workflow)) return undefined;
  const edits = jobs.map((job) => {
    const mode = job.steps.some((step) => cacheUseOf(step) !== undefined) ? 'read' : 'none';
    return job.mapping.flow ? undefined : setKey(job.mapping, 'cache-mode', mode, { before: 'runs-on' });
  });
  const whole = edits.flatMap((edit) => edit ?? []);
  return whole.length === jobs.length ? { safety: 'review', edits: whole } : undefined;
}
