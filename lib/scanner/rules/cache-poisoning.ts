import { checkoutsIn, isGuarded, outsiderCheckouts } from '#lib/analysis/checkouts/checkouts.ts';
import { memoByRepository } from '#lib/analysis/memo.ts';
import { storedTokensIn } from '#lib/analysis/privileges/personal-tokens.ts';
import type { Publish } from '#lib/analysis/publishing/publish.ts';
import { publishesOf } from '#lib/analysis/publishing/publishing-jobs.ts';
import { approvalBefore } from '#lib/analysis/reachability/approvals.ts';
import { neededJobs } from '#lib/analysis/reachability/needed-jobs.ts';
import { mayRun, memberScenarios } from '#lib/analysis/reachability/outsider-reach.ts';
import {
  type CacheUse,
  cacheReadingOff,
  cacheUsesIn,
  cacheWritingEvent,
  isOfTags,
  savesCache,
} from '#lib/analysis/workspace/caches.ts';
import { executionsAfter, executionsInside } from '#lib/analysis/workspace/workspace-execution.ts';
import { setInput } from '#lib/workflow/edits/steps.ts';
import { inputOf, runsAction } from '#lib/workflow/model/action-uses.ts';
import { type Job, jobOf, type Step, type Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Fix, type Report, type RuleContext, yaml } from '../engine/rule.ts';

type Message = 'holds' | 'publishes' | 'builds' | 'filled' | 'reachable' | 'open';

export const cachePoisoning = defineRule({
  id: 'cache-poisoning',
  meta: {
    title: 'Release restores a cache that less trusted runs can write',
    why: 'A cache is written by one run and unpacked by another, and nothing guarantees that its content matches a clean build. A release that restores a cache ships whatever an earlier run on the branch left there.',
    attack:
      'Code that runs once in any job with a writable cache (a compromised action or dependency, a scheduled test) stores tampered files under the key that the release looks up. The next release builds from them and signs the result.',
    recommendation:
      'Build releases without a cache: disable the action’s caching in the publishing job, or set `cache-mode: none` for it.',
    limits:
      'Since June 2026, runs on github.com that outsiders trigger on the default branch cannot write caches, and pull requests write only to their own scope; for GitHub Enterprise Server, pass its version (--host-version). Caches that setup-node enables by itself from package.json are not seen.',
    severity: 'LOW',
    confidence: 'medium',
    category: 'CICD-SEC-9',
    surface: 'workflow',
    rulesets: ['owasp', 'slsa-build-l3'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/workflows-and-actions/dependency-caching#restrictions-for-accessing-a-cache',
      'https://slsa.dev/spec/v1.2/build-requirements',
    ],
    messages: {
      publishes:
        '{{cache}} restores a cache {{how}} before {{publish}}: any run that can write the branch’s cache controls what is shipped.',
      builds:
        '{{cache}} restores a cache {{how}} in a job whose artifacts are released: any run that can write the branch’s cache controls what is shipped.',
      holds:
        '{{cache}} restores a cache {{how}} into a job that runs the restored files next to {{secret}}: any run that can write the branch’s cache can take that token.',
      filled:
        '{{cache}} restores a cache {{how}} for a release, and the job {{writer}} runs pull request code with write access to that cache.',
      open: '{{cache}} restores a cache {{how}} for a release, and the job {{writer}} runs an outsider’s code with write access to such a cache.',
      reachable:
        '{{cache}} restores a cache {{how}} for a release, and the job {{writer}} runs an outsider’s code next to such a cache. Only github.com’s read-only caches for such runs prevent poisoning.',
    },
  },
  examples: {
    bad: [
      {
        yaml: {
          '.github/workflows/release.yml': yaml`
            on: { push: { tags: [v*] } }
            permissions: { id-token: write }
            jobs:
              publish:
                runs-on: ubuntu-latest
                steps:
                  # expect: publishes
                  - uses: actions/cache@v4
                    with: { path: store, key: store }
                  - uses: ./.github/actions/publish
              only-checks:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/cache@v4
                    with: { path: store, key: store }
                  - uses: ./.github/actions/check
          `,
          '.github/actions/publish/action.yml': yaml`
            name: Publish
            description: Publishes the package
            runs: { using: composite, steps: [{ run: npm publish, shell: bash }] }
          `,
          '.github/actions/check/action.yml': yaml`
            name: Check
            description: Checks the package
            runs: { using: composite, steps: [{ run: npm publish --dry-run, shell: bash }] }
          `,
        },
      },
      {
        yaml: yaml`
          on:
            push: { branches: [main] }
          jobs:
            publish:
              runs-on: ubuntu-latest
              steps:
                # expect: publishes
                - uses: actions/setup-node@v4
                  with:
                    node-version: 22
                    cache: npm # faster
                # expect: publishes
                - uses: actions/setup-go@v5 # for the tool
                # expect: publishes
                - uses: actions/cache@v4
                  with:
                    path: dist
                    key: dist
                # expect: publishes
                - uses: actions/setup-go@v5
                  with:
                    cache: true
                - run: npm publish
        `,
        fixed: yaml`
          on:
            push: { branches: [main] }
          jobs:
            publish:
              runs-on: ubuntu-latest
              steps:
                # expect: publishes
                - uses: actions/setup-node@v4
                  with:
                    node-version: 22
                    cache: '' # faster
                # expect: publishes
                - uses: actions/setup-go@v5 # for the tool
                  with:
                    cache: false
                # expect: publishes
                - uses: actions/cache@v4
                  with:
                    lookup-only: true
                    path: dist
                    key: dist
                # expect: publishes
                - uses: actions/setup-go@v5
                  with:
                    cache: false
                - run: npm publish
        `,
      },
      {
        yaml: {
          '.github/workflows/release.yml': yaml`
            on:
              push: { tags: ['v*'] }
              workflow_dispatch:
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  # expect: builds
                  - uses: Swatinem/rust-cache@v2
                  # expect: builds
                  - uses: hendrikmuhs/ccache-action@v1.2
                  # expect: builds
                  - uses: PyO3/maturin-action@v1
                    with: { args: --release, sccache: "true" }
                  - run: cargo build --release
                  - uses: actions/upload-artifact@v4
                    with: { path: target/release/app }
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/release.yml': yaml`
            on: release
            jobs:
              image:
                runs-on: ubuntu-latest
                steps:
                  # expect: filled MEDIUM
                  - uses: docker/build-push-action@v6
                    with: { push: true, cache-from: type=gha }
          `,
          '.github/workflows/try.yml': yaml`
            on: workflow_dispatch
            jobs:
              try:
                runs-on: ubuntu-latest
                steps:
                  - run: gh pr checkout 12
                  - uses: actions/cache@v4
                    with: { path: dist, key: dist }
                  - run: npm ci
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/release.yml': yaml`
            on: release
            jobs:
              image:
                runs-on: ubuntu-latest
                steps:
                  # expect: publishes LOW
                  - uses: docker/build-push-action@v6
                    with: { push: true, cache-from: type=gha }
          `,
          '.github/workflows/look.yml': yaml`
            on: [push, workflow_dispatch]
            jobs:
              look:
                runs-on: ubuntu-latest
                steps:
                  - run: gh pr checkout 12
                  - uses: actions/cache@v4
                    with: { path: dist, key: dist }
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/release.yml': yaml`
            on: { push: { tags: [v*] } }
            permissions: { id-token: write }
            jobs:
              publish:
                runs-on: ubuntu-latest
                steps:
                  # expect: reachable LOW
                  - uses: actions/cache@v4
                    with: { path: store, key: store }
                  - run: npm publish
          `,
          '.github/workflows/size.yml': yaml`
            on: pull_request_target
            permissions: { contents: read }
            jobs:
              benchmark:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v6.0.1
                    with: { ref: "refs/pull/\${{ github.event.number }}/merge" }
                  - uses: actions/cache@v4
                    with: { path: store, key: store }
                  - run: npm ci
          `,
        },
      },
      {
        hostVersion: '3.19',
        yaml: {
          '.github/workflows/release.yml': yaml`
            on: { push: { tags: [v*] } }
            permissions: { id-token: write }
            jobs:
              publish:
                runs-on: ubuntu-latest
                steps:
                  # expect: open HIGH
                  - uses: actions/cache@v4
                    with: { path: store, key: store }
                  - run: npm publish
          `,
          '.github/workflows/size.yml': yaml`
            on: pull_request_target
            permissions: { contents: read }
            jobs:
              benchmark:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v6.0.1
                    with: { ref: "refs/pull/\${{ github.event.number }}/merge" }
                  - uses: actions/cache@v4
                    with: { path: store, key: store }
                  - run: npm ci
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/release.yml': yaml`
            on: { push: { branches: [main] } }
            permissions: { id-token: write, contents: read }
            jobs:
              release:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v6
                  # expect: publishes LOW
                  - uses: ./.github/actions/setup
                  - run: pnpm run ci:publish
          `,
          '.github/actions/setup/action.yml': yaml`
            name: Set up
            description: Installs packages
            inputs: { cache: { description: Use the cache, default: 'true' } }
            runs:
              using: composite
              steps:
                - if: inputs.cache == 'true'
                  uses: actions/cache@v4
                  with: { path: ~/.pnpm, key: "pnpm-\${{ hashFiles('pnpm-lock.yaml') }}", restore-keys: pnpm- }
                - run: pnpm install
                  shell: bash
          `,
        },
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          jobs:
            sync:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6
                  with: { token: "\${{ secrets.BOT_PAT }}" }
                # expect: holds LOW
                - uses: actions/cache@v4
                  with: { path: node_modules, key: modules }
                - run: npm run sync
        `,
      },
      {
        yaml: yaml`
          on: [push, pull_request]
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6
                  with: { token: "\${{ secrets.BOT_PAT }}" }
                # expect: holds INFO
                - uses: actions/cache@v4
                  with: { path: node_modules, key: modules }
                - run: npm test
            not-on-pulls:
              if: github.event_name == 'push'
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6
                  with: { token: "\${{ secrets.BOT_PAT }}" }
                # expect: holds LOW
                - uses: actions/cache@v4
                  with: { path: node_modules, key: modules }
                - run: npm test
        `,
      },
      {
        yaml: yaml`
          on: { workflow_call: { inputs: { ref: { type: string } } } }
          jobs:
            chosen:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6
                  with: { token: "\${{ secrets.BOT_PAT }}", ref: "\${{ inputs.ref || github.sha }}" }
                # expect: holds INFO
                - uses: actions/cache@v4
                  with: { path: node_modules, key: modules }
                - run: npm test
            own:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6
                  with: { token: "\${{ secrets.BOT_PAT }}", ref: "\${{ github.ref }}" }
                # expect: holds LOW
                - uses: actions/cache@v4
                  with: { path: node_modules, key: modules }
                - run: npm test
        `,
      },
    ],
    good: [
      {
        yaml: {
          '.github/workflows/release.yml': yaml`
            on: { push: { branches: [main] } }
            permissions: { id-token: write, contents: read }
            jobs:
              release:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v6
                  - uses: ./.github/actions/setup
                    with: { cache: 'false' }
                  - run: pnpm run ci:publish
              notes:
                runs-on: ubuntu-latest
                steps:
                  - uses: ./.github/actions/setup
                  - run: pnpm run release:notes
          `,
          '.github/workflows/other.yml': yaml`
            on: { push: { branches: [main] } }
            permissions: { contents: read }
            jobs:
              no-credential:
                runs-on: ubuntu-latest
                steps:
                  - uses: ./.github/actions/setup
                  - run: pnpm run ci:publish
              token-of-a-service:
                runs-on: ubuntu-latest
                steps:
                  - uses: ./.github/actions/setup
                  - run: pnpm test
                    env: { CODECOV_TOKEN: "\${{ secrets.CODECOV_TOKEN }}" }
          `,
          '.github/actions/setup/action.yml': yaml`
            name: Set up
            description: Installs packages
            inputs: { cache: { description: Use the cache, default: 'true' } }
            runs:
              using: composite
              steps:
                - if: inputs.cache == 'true'
                  uses: actions/cache@v4
                  with: { path: ~/.pnpm, key: "pnpm-\${{ hashFiles('pnpm-lock.yaml') }}", restore-keys: pnpm- }
                - run: pnpm install
                  shell: bash
          `,
        },
      },
      {
        yaml: yaml`
          on: release
          jobs:
            publish:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/setup-node@v4
                  with: { node-version: 22 }
                - uses: actions/setup-go@v5
                  with: { cache: false }
                - uses: actions/setup-go@v3
                - uses: hendrikmuhs/ccache-action@v1.2
                  with: { restore: false }
                - uses: PyO3/maturin-action@v1
                  with: { args: --release }
                - uses: astral-sh/setup-uv@v6
                  with: { enable-cache: "\${{ github.event_name != 'release' }}" }
                - uses: actions/cache@v4
                  if: "!startsWith(github.ref, 'refs/tags/')"
                  with: { path: dist, key: dist }
                - uses: actions/cache/save@v4
                  with: { path: dist, key: dist }
                - run: npm publish
                - uses: Swatinem/rust-cache@v2
            closed:
              runs-on: ubuntu-latest
              cache-mode: none
              steps:
                - uses: actions/setup-python@v5
                  with: { cache: pip }
                - run: twine upload dist/*
            lint:
              runs-on: ubuntu-latest
              steps:
                - uses: Swatinem/rust-cache@v2
                - run: cargo clippy
        `,
      },
      {
        yaml: yaml`
          on: [push, pull_request]
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/setup-node@v4
                  with: { cache: npm }
                - run: npm publish --dry-run
        `,
      },
    ],
  },
  check: { workflow: check },
});

function* check(workflow: Workflow, { repository }: RuleContext): Generator<Report<Message>> {
  const releases = onlyReleases(workflow);
  let feeders: ReadonlySet<Job> | undefined;
  for (const job of workflow.jobs) {
    const uses = cacheUsesIn(job, repository);
    if (uses.length === 0 || cacheReadingOff(job)) continue;
    feeders ??= feedersOf(workflow, repository);
    const publishes = publishesOf(job, repository);
    const last = publishes.at(-1);
    const uploads =
      (releases || feeders.has(job)) && job.steps.some((step) => runsAction(step, 'actions/upload-artifact'));
    if (last === undefined && !uploads) {
      const held = heldAfter(uses, job);
      if (held !== undefined) yield held;
      continue;
    }
    for (const [index, use] of uses.entries()) {
      if (uses.findIndex(({ step }) => step === use.step) < index) continue;
      if (!uploads && last !== undefined && use.step.index > last.step.index) continue;
      yield reportOf(
        use,
        publishes.find(({ step }) => step.index >= use.step.index),
        repository,
      );
    }
  }
}

const OF_THE_HOST = /(?:^|_)(?:bot|gh|github|machine|pat|personal)(?:_|$)|bot_|pat\d*$/i;

function heldAfter(uses: readonly CacheUse[], job: Job): Report<Message> | undefined {
  const secret = job.steps.flatMap(storedTokensIn).find((name) => OF_THE_HOST.test(name));
  if (secret === undefined) return undefined;
  const use = uses.find(({ step }) =>
    job.steps
      .slice(step.index + 1)
      .some((later) => executionsInside(later, '', []).some(({ runs }) => runs === 'certain')),
  );
  if (use === undefined) return undefined;
  return {
    message: 'holds',
    data: { cache: use.name, how: use.how === 'asked' ? 'as configured' : 'by default', secret },
    at: use.step,
    span: use.span,
    ...(runsProposals(job) ? { severity: 'INFO', pedantic: true } : { severity: 'LOW' }),
    fix: switchOff(use),
    attributes: {
      role: 'reader',
      writes: use.saves,
      key_template: inputOf(use.step, 'key')?.value ?? '',
      publish: 'none',
    },
  };
}

function runsProposals(job: Job): boolean {
  const { triggers } = job.workflow;
  const onPulls = triggers.some(
    (trigger) => trigger.event === 'pull_request' && memberScenarios(trigger).some((scenario) => mayRun(job, scenario)),
  );
  return onPulls || job.steps.some((step) => runsAction(step, 'actions/checkout') && CHOSEN.test(refOf(step)));
}

const CHOSEN = /\$\{\{[^}]{0,200}\b(?:inputs|head_ref|pull_request)\b/;

function refOf(step: Step): string {
  return inputOf(step, 'ref')?.value ?? '';
}

function reportOf(use: CacheUse, publish: Publish | undefined, repository: Repository): Report<Message> {
  const { job: filler, outsiders } = fillerOf(repository);
  const isOpen = outsiders && !repository.platform.does('read-only-cache');
  return {
    message:
      filler !== undefined
        ? isOpen
          ? 'open'
          : outsiders
            ? 'reachable'
            : 'filled'
        : publish === undefined
          ? 'builds'
          : 'publishes',
    data: {
      cache: use.name,
      how: use.how === 'asked' ? 'as configured' : 'by default',
      publish: publish?.name ?? '',
      writer: filler === undefined ? '' : writerName(filler, use.step),
    },
    at: use.step,
    span: use.span,
    related: [
      ...(publish === undefined ? [] : [{ span: publish.span, note: 'what the cache went into is published here' }]),
      ...(filler === undefined
        ? []
        : [{ span: filler.idSpan, note: 'outsiders can fill the cache here', file: filler.workflow.source }]),
    ],
    severity: isOpen ? 'HIGH' : filler === undefined || outsiders ? 'LOW' : 'MEDIUM',
    fix: switchOff(use),
    attributes: {
      role: 'reader',
      writes: use.saves,
      key_template: inputOf(use.step, 'key')?.value ?? '',
      publish: publish?.kind ?? 'build',
    },
  };
}

function writerName({ id, workflow }: Job, reader: Step): string {
  if (jobOf(reader)?.workflow === workflow) return id;
  return `${id} of ${workflow.source.path.split('/').at(-1) ?? ''}`;
}

function feedersOf({ jobs }: Workflow, repository: Repository): ReadonlySet<Job> {
  const publishing = jobs.filter(
    (job) =>
      job.steps.some((step) => runsAction(step, 'actions/download-artifact')) &&
      publishesOf(job, repository).some(({ kind }) => kind === 'package' || kind === 'release'),
  );
  return new Set(publishing.flatMap(neededJobs));
}

function onlyReleases({ triggers }: Workflow): boolean {
  return (
    triggers.some(isOfTags) && triggers.every((trigger) => isOfTags(trigger) || trigger.event === 'workflow_dispatch')
  );
}

interface Filler {
  readonly job: Job | undefined;
  readonly outsiders: boolean;
}

const fillerOf = memoByRepository((repository): Filler => {
  const jobs = repository.workflows.flatMap(({ jobs: all }) => all);
  const trusted = jobs.find((job) => fills(job, repository));
  const job = trusted ?? jobs.find((each) => wouldFill(each, repository));
  return { job, outsiders: trusted === undefined && job !== undefined };
});

function wouldFill(job: Job, repository: Repository): boolean {
  if (!savesCache(job, repository)) return false;
  return outsiderCheckouts(job, repository).some(
    (checkout) =>
      !isGuarded(checkout) &&
      executionsAfter(checkout, checkoutsIn(job, checkout, repository)).some(({ runs }) => runs === 'certain') &&
      approvalBefore(job, checkout, repository) === undefined,
  );
}

function fills(job: Job, repository: Repository): boolean {
  const started = job.workflow.triggers.some(({ event }) => /^(?:workflow_dispatch|schedule|push)$/.test(event));
  return started && savesCache(job, repository) && cacheWritingEvent(job, repository) !== undefined;
}

function switchOff({ off, step }: CacheUse): Fix | undefined {
  if (off === undefined || step.mapping.flow || step.mapping.shared) return undefined;
  const edit = setInput(step, off.input, off.value);
  // Disabling a default cache only costs time; an explicitly requested cache would be missed.
  const asked = off.present !== undefined || off.input === 'lookup-only';
  return edit && { safety: asked ? 'review' : 'safe', edits: [edit] };
}
