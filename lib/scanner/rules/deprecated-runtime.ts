import { refusedRelease } from '#lib/analysis/impact/start-barriers.ts';
import { knownLabels, runnerKind } from '#lib/analysis/privileges/runners.ts';
import { RETIRED_RUNNER_LABELS } from '#lib/data/curated/hosted-runners.ts';
import { OLD_RUNTIME_MAJORS, REMOVED_RUNTIMES } from '#lib/data/curated/retired-releases.ts';
import { ACTION_RUNTIMES, type ActionRuntimes } from '#lib/data/generated/action-runtimes.ts';
import provenance from '#lib/data/provenance.json' with { type: 'json' };
import { replaceVerbatim } from '#lib/workflow/edits/scalars.ts';
import { actionOf, usesOf } from '#lib/workflow/model/action-uses.ts';
import {
  type Action,
  type Definition,
  type Job,
  stepsOf,
  type Text,
  type Workflow,
} from '#lib/workflow/model/model.ts';
import { newestOf, usedVersion } from '#lib/workflow/model/versions.ts';
import { defineRule, type Fix, type Report, type RuleContext, yaml } from '../engine/rule.ts';
import { barrierBefore } from '../engine/start-barriers.ts';
import { contractOf, inputProblems } from '../shared/action-contract.ts';

const SNAPSHOT = provenance['retired-releases.ts'].date;

const OLD_MAJORS: ReadonlyMap<string, number> = new Map(OLD_RUNTIME_MAJORS);
const RUNTIMES = new Map(ACTION_RUNTIMES.map(({ action, runtimes }: ActionRuntimes) => [action, runtimes]));
const RETIRED = new Map(RETIRED_RUNNER_LABELS.map((entry) => [entry.label as string, entry]));
const STOPPED = ', so the job cannot start';
const REMOVED: ReadonlySet<string> = new Set(REMOVED_RUNTIMES);

type Message = 'label' | 'refused' | 'old' | 'own' | 'input';

export const deprecatedRuntime = defineRule({
  id: 'deprecated-runtime',
  meta: {
    title: 'Retired runner image, action release or runtime',
    why: 'Retired components get no fixes and eventually stop working, and a check that no longer starts is soon skipped or removed. Actions built for a removed Node.js version run on another one, on which they were never tested.',
    attack:
      'A vulnerability in the old runtime, or in libraries bundled for it, stays unpatched. If self-hosted runners accept jobs for a retired label, whoever registers such a runner receives them.',
    recommendation:
      'Move to the successor that the finding names. For your own action, declare `using: node24` and release it as a new major version.',
    limits: `Knows the removals on github.com up to ${SNAPSHOT}; GitHub Enterprise Server retires some later. Only well-known actions are covered, and a pinned commit only if a comment names its version. Labels are checked on GitHub-hosted runners only.`,
    severity: 'LOW',
    confidence: 'high',
    category: 'CICD-SEC-7',
    surface: 'workflow',
    rulesets: [],
    since: '0.1.0',
    references: [
      'https://github.com/actions/runner-images#available-images',
      'https://github.blog/changelog/2025-09-19-deprecation-of-node-20-on-github-actions-runners/',
      'https://github.blog/changelog/2024-04-16-deprecation-notice-v3-of-the-artifact-actions/',
    ],
    messages: {
      label: 'The runner image {{label}} was removed on {{date}}{{effect}}; its successor is {{successor}}.',
      refused: '{{name}} {{version}} has been refused since {{date}}{{effect}}; use {{successor}}.',
      old: '{{name}} {{version}} was built for a Node.js version that runners no longer include.',
      own: 'This action declares {{runtime}}, which runners no longer include.',
      input: 'The input {{input}} of {{name}} is deprecated. Its author says: {{instead}}',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              # expect: label
              runs-on: ubuntu-20.04
              steps:
                # expect: refused
                - uses: actions/upload-artifact@v3
                # expect: old
                - uses: actions/checkout@f43a0e5ff2bd294095638e18286ca9a3d1956744 # v3.6.0
                - uses: actions/checkout@v3
                # expect: refused
                - uses: actions/cache/restore@v4.1.0
            test:
              strategy: { matrix: { os: [macos-12, ubuntu-latest] } }
              # expect: label
              runs-on: \${{ matrix.os }}
              steps: [run: make]
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              # expect: label
              runs-on: [ "windows-2019" ]
              steps: [run: make]
        `,
        fixed: yaml`
          on: push
          jobs:
            build:
              # expect: label
              runs-on: [ "windows-2022" ]
              steps: [run: make]
        `,
      },
      {
        yaml: {
          'action.yml': yaml`
            name: Build
            description: Builds
            runs:
              # expect: own
              using: node16
              main: dist/index.js
          `,
        },
      },
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: old
                - uses: azure/setup-helm@v3
                # expect: old
                - uses: nwtgck/actions-netlify@v2
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - id: token
                  uses: actions/create-github-app-token@v3
                  with:
                    # expect: input INFO
                    app-id: \${{ vars.APP }}
                    private-key: \${{ secrets.KEY }}
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: azure/setup-helm@v4
                - uses: dorny/paths-filter@v3
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-24.04
              steps:
                - uses: actions/checkout@v5
                - uses: actions/upload-artifact@v4
                - uses: actions/cache@v4
                - uses: actions/cache@v4.2.0
                - uses: actions/checkout@f43a0e5ff2bd294095638e18286ca9a3d1956744
                - uses: acme/checkout@v1
            own:
              runs-on: [self-hosted, ubuntu-20.04]
              steps: [run: make]
        `,
      },
      {
        yaml: {
          'action.yml': yaml`
            name: Build
            description: Builds
            runs: { using: node24, main: dist/index.js }
          `,
        },
      },
    ],
  },
  check: { workflow: checkWorkflow, action: checkAction },
});

function* checkWorkflow(workflow: Workflow, context: RuleContext): Generator<Report<Message>> {
  for (const job of workflow.jobs) yield* checkLabels(job, context);
  yield* checkUses(workflow, context);
  yield* checkInputs(workflow, context);
}

function* checkAction(action: Action, context: RuleContext): Generator<Report<Message>> {
  const { using } = action;
  const runtime = using?.value.trim().toLowerCase() ?? '';
  if (using !== undefined && REMOVED.has(runtime)) {
    // It already runs on Node.js 24, which differs little from 20.
    const severity = runtime === 'node20' ? 'INFO' : 'LOW';
    yield { message: 'own', data: { runtime }, at: action, span: using.span, severity };
  }
  yield* checkUses(action, context);
  yield* checkInputs(action, context);
}

function* checkLabels(job: Job, context: RuleContext): Generator<Report<Message>> {
  const { runsOn } = job;
  if (runsOn === undefined || runnerKind(job) === 'self-hosted') return;
  const retired = knownLabels(job).flatMap((label) => RETIRED.get(label) ?? []);
  const [first] = retired;
  if (first === undefined) return;
  const text = runsOn.labels.find(({ value }) => value.trim().toLowerCase() === first.label);
  yield {
    message: 'label',
    data: {
      label: first.label,
      date: first.removed,
      effect: barrierBefore(job, context)?.label === undefined ? '' : STOPPED,
      successor: first.successor,
    },
    at: job,
    span: text?.span ?? runsOn.span,
    fix: text && replace(text, first.successor),
  };
}

/** Replaces a label; the fix needs review because the new image has other tool versions. */
function replace(text: Text, label: string): Fix | undefined {
  const edit = replaceVerbatim(text, 0, text.value.length, label);
  return edit && { safety: 'review', edits: [edit] };
}

function isOld(names: readonly string[], major: number): boolean {
  for (const name of names) {
    const runtime = RUNTIMES.get(name)?.[major];
    if (runtime !== undefined) return /^node1[26]$/.test(runtime);
    const last = OLD_MAJORS.get(name);
    if (last !== undefined) return major <= last;
  }
  return false;
}

function* checkUses(definition: Definition, { repository }: RuleContext): Generator<Report<Message>> {
  const told = new Set<string>();
  for (const { uses, at } of usesOf(definition)) {
    const action = at.kind === 'step' ? actionOf(at) : undefined;
    const used = usedVersion(uses);
    if (action === undefined || used === undefined) continue;
    const { slug, owner, repo, name } = action;
    const refused = at.kind === 'step' ? refusedRelease(at, repository) : undefined;
    const major = newestOf(used.version).numbers[0] ?? 0;
    if (refused === undefined && !isOld([name, slug], major)) continue;
    const key = `${slug} ${refused?.tag ?? major}`;
    if (told.has(key)) continue;
    told.add(key);
    yield {
      message: refused === undefined ? 'old' : 'refused',
      data: {
        name: `${owner}/${repo}`,
        version: used.tag,
        date: refused?.release.since ?? '',
        effect: refused?.endsJob === true ? STOPPED : '',
        successor: refused?.release.successor ?? '',
      },
      at,
      span: uses.text.span,
      confidence: used.known === 'comment' ? 'medium' : 'high',
    };
  }
}

function* checkInputs(definition: Definition, context: RuleContext): Generator<Report<Message>> {
  const told = new Set<string>();
  for (const step of stepsOf(definition)) {
    for (const problem of inputProblems(step, context)) {
      const contract = contractOf(step, context);
      if (problem.kind !== 'deprecated' || contract === undefined) continue;
      const key = `${contract.name} ${problem.name.value}`;
      if (told.has(key)) continue;
      told.add(key);
      yield {
        message: 'input',
        data: { name: contract.name, input: problem.name.value, instead: problem.instead },
        at: step,
        span: problem.name.span,
        severity: 'INFO',
        confidence: contract.confidence,
      };
    }
  }
}
