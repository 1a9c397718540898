import { workspaceFolder } from '#lib/analysis/checkouts/locations.ts';
import { privilegesIn } from '#lib/analysis/privileges/describe-privileges.ts';
import { runnerKind } from '#lib/analysis/privileges/runners.ts';
import { type Approval, approvalBefore } from '#lib/analysis/reachability/approvals.ts';
import { privilegedOutsiderEvents, scenariosOf } from '#lib/analysis/reachability/outsider-reach.ts';
import { type UntrustedFiles, untrustedFilesBefore } from '#lib/analysis/workspace/untrusted-files.ts';
import { executionsInside } from '#lib/analysis/workspace/workspace-execution.ts';
import { replaceVerbatim } from '#lib/workflow/edits/scalars.ts';
import { actionOf, inputOf, usesOf } from '#lib/workflow/model/action-uses.ts';
import {
  type Action,
  type Definition,
  type Job,
  jobOf,
  type Step,
  sourceOf,
  type Uses,
} from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { isWithin } from '#lib/workflow/shell/working-directory.ts';
import { defineRule, type Fix, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';

type Message = 'untrusted' | 'approved' | 'replaced' | 'workspace' | 'composite';

export const selfRepository = defineRule({
  id: 'self-repository',
  meta: {
    title: 'Local action is loaded from the workspace',
    why: '`uses: ./path` runs the action that is at that path when the step starts. An earlier checkout of other code, an unpacked artifact or a script may have replaced it. `$/path` loads the action from the same repository at the running commit, and needs no checkout.',
    attack:
      'A job checks out a pull request’s code and then uses a local action: the pull request supplies its own version of that action, which runs with the job’s token and secrets.',
    recommendation:
      'Write `uses: $/path/to/action`, which needs github.com and runner version 2.336.0 or newer. Keep `./` only for an action that the job itself builds, or that intentionally comes from another checkout.',
    limits:
      'Only actions found in the repository are reported. Scripts that change files in the workspace are not followed. GitHub Enterprise Server does not support `$/` yet. Called workflows (`uses: ./.github/workflows/…`) always come from the running commit and are not reported.',
    severity: 'INFO',
    confidence: 'high',
    category: 'CICD-SEC-3',
    surface: 'workflow',
    rulesets: ['owasp'],
    pedantic: ['workspace', 'composite'],
    since: '0.1.0',
    references: [
      'https://github.blog/changelog/2026-07-30-reference-same-repository-actions-with-self-repository-syntax/',
      'https://docs.github.com/actions/how-tos/write-workflows/choose-what-workflows-do/find-and-customize-actions',
    ],
    messages: {
      untrusted: '{{path}} runs from a workspace that contains an outsider’s files since line {{line}}.',
      approved:
        '{{path}} runs from a workspace that contains an outsider’s files since line {{line}}, after someone with access let the run go on.',
      replaced: '{{path}} runs from a workspace where line {{line}} checked out other code{{more}}.',
      workspace: '{{path}} runs from the workspace instead of the running commit{{more}}.',
      composite: 'This action runs {{path}} from its caller’s workspace instead of its own repository{{more}}.',
    },
  },
  examples: {
    bad: [
      {
        yaml: {
          '.github/workflows/command.yml': yaml`
            on: { issue_comment: { types: [created] } }
            jobs:
              nightly:
                uses: ./.github/workflows/nightly.yml
                with: { ref: "refs/pull/\${{ github.event.issue.number }}/head", pr: "\${{ github.event.issue.number }}" }
                secrets: inherit
          `,
          '.github/workflows/nightly.yml': yaml`
            on: { workflow_call: { inputs: { ref: { type: string }, pr: { type: string } } } }
            permissions: { contents: read }
            jobs:
              without-the-secret:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                    with: { ref: "\${{ inputs.ref }}" }
                  # expect: untrusted MEDIUM
                  - uses: ./.github/actions/setup
                  - if: inputs.pr == ''
                    run: ./publish.sh
                    env: { TOKEN: "\${{ secrets.DATA_PAT }}" }
              with-the-secret:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                    with: { ref: "\${{ inputs.ref }}" }
                  # expect: untrusted HIGH
                  - uses: ./.github/actions/setup
                  - if: inputs.pr != ''
                    run: ./publish.sh
                    env: { TOKEN: "\${{ secrets.DATA_PAT }}" }
          `,
          '.github/actions/setup/action.yml': yaml`
            name: Setup
            description: Installs what the tests need
            runs: { using: composite, steps: [{ run: npm ci, shell: bash }] }
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/ci.yml': yaml`
            on: pull_request_target
            permissions: { contents: write }
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0
                    with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                  # expect: untrusted
                  - uses: ./.github/actions/setup
          `,
          '.github/actions/setup/action.yml': yaml`
            name: Setup
            description: Sets up
            runs: { using: composite, steps: [{ run: make, shell: bash }] }
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/ci.yml': yaml`
            on: push
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v4
                  # expect: workspace
                  - uses: ./.github/actions/setup
                  - uses: ./.github/actions/setup
              test:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v4
                    with: { ref: release }
                  # expect: replaced
                  - uses: "./.github/actions/setup"
          `,
          '.github/actions/setup/action.yml': yaml`
            name: Setup
            description: Sets up
            runs: { using: composite, steps: [{ run: make, shell: bash }] }
          `,
        },
        fixed: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4
                # expect: workspace
                - uses: $/.github/actions/setup
                - uses: $/.github/actions/setup
            test:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4
                  with: { ref: release }
                # expect: replaced
                - uses: "$/.github/actions/setup"
        `,
      },
      {
        yaml: {
          '.github/workflows/branches.yml': yaml`
            on: schedule
            jobs:
              builds:
                strategy: { matrix: { branch: [main, next] } }
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v4
                    with: { ref: "\${{ matrix.branch }}" }
                  # expect: replaced INFO
                  - uses: ./.github/actions/setup
                  - run: npm test
              reads:
                runs-on: ubuntu-latest
                steps:
                  - run: npm run before
                  - uses: actions/checkout@v4
                    with: { ref: next }
                  # expect: replaced LOW
                  - uses: ./.github/actions/setup
                  - run: gh release list
          `,
          '.github/actions/setup/action.yml': yaml`
            name: Setup
            description: Sets up
            runs: { using: composite, steps: [{ run: make, shell: bash }] }
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/elsewhere.yml': yaml`
            on: pull_request_target
            permissions: { contents: write }
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0
                    with: { ref: "\${{ github.event.pull_request.head.sha }}", path: head }
                  # expect: workspace INFO
                  - uses: ./.github/actions/setup
          `,
          '.github/workflows/over.yml': yaml`
            on: { workflow_run: { workflows: [Build], types: [completed] } }
            permissions: { contents: write }
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - uses: actions/download-artifact@v4
                    with: { name: setup, path: .github/actions, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  # expect: untrusted HIGH
                  - uses: ./.github/actions/setup
              beside:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - uses: actions/download-artifact@v4
                    with: { name: setup, path: ~/meta, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - uses: actions/download-artifact@v4
                    env: { INTO: "\${{ runner.temp }}/meta" }
                    with: { name: setup, path: "\${{ env.INTO }}", run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  # expect: workspace INFO
                  - uses: ./.github/actions/setup
          `,
          '.github/workflows/build.yml': yaml`
            name: Build
            on: pull_request
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/upload-artifact@v4
                    with: { name: setup, path: out }
          `,
          '.github/actions/setup/action.yml': yaml`
            name: Setup
            description: Sets up
            runs: { using: composite, steps: [{ run: make, shell: bash }] }
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/command.yml': yaml`
            on: issue_comment
            permissions: { contents: write }
            jobs:
              members:
                if: github.event.issue.pull_request && github.event.comment.body == '/snapshot'
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/github-script@v8
                    with:
                      script: |
                        const { data } = await github.rest.repos.getCollaboratorPermissionLevel({
                          ...context.repo, username: context.actor })
                        if (!['write', 'admin'].includes(data.permission)) {
                          core.setFailed('Only members can do this')
                        }
                  - uses: actions/checkout@v4
                    with: { ref: "refs/pull/\${{ github.event.issue.number }}/merge" }
                  # expect: approved LOW
                  - uses: ./.github/actions/setup
              anyone:
                if: github.event.issue.pull_request && github.event.comment.body == '/snapshot'
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v4
                    with: { ref: "refs/pull/\${{ github.event.issue.number }}/merge" }
                  # expect: untrusted HIGH
                  - uses: ./.github/actions/setup
          `,
          '.github/workflows/label.yml': yaml`
            on: { pull_request_target: { types: [labeled, synchronize] } }
            permissions: { contents: write }
            jobs:
              labeled:
                if: contains(github.event.pull_request.labels.*.name, 'safe')
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0
                    with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                  # expect: approved MEDIUM
                  - uses: ./.github/actions/setup
          `,
          '.github/actions/setup/action.yml': yaml`
            name: Setup
            description: Sets up
            runs: { using: composite, steps: [{ run: make, shell: bash }] }
          `,
        },
      },
      {
        yaml: {
          '.github/actions/setup/action.yml': yaml`
            name: Setup
            description: Sets up
            runs:
              using: composite
              steps:
                # expect: composite
                - uses: ./.github/actions/other
          `,
          '.github/actions/other/action.yml': yaml`
            name: Other
            description: Does more
            runs: { using: composite, steps: [{ run: make, shell: bash }] }
          `,
        },
      },
    ],
    good: [
      {
        yaml: {
          '.github/workflows/ci.yml': yaml`
            on: push
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - uses: $/.github/actions/setup
                  - uses: actions/checkout@v4
                    with: { repository: acme/shared, path: shared }
                  - uses: ./shared/setup
                  - uses: actions/checkout@v4
                    with: { ref: "\${{ github.sha }}", repository: "\${{ github.repository }}" }
                  # The action that this repository publishes, tested as built.
                  - uses: ./
              call:
                uses: ./.github/workflows/reusable.yml
          `,
          '.github/actions/setup/action.yml': yaml`
            name: Setup
            description: Sets up
            runs: { using: composite, steps: [{ run: make, shell: bash }] }
          `,
          'action.yml': yaml`
            name: Published
            description: Published
            runs: { using: node24, main: dist/index.js }
          `,
        },
      },
    ],
  },
  check: { workflow: check, action: check },
});

interface LocalUse {
  readonly uses: Uses;
  readonly step: Step;
  readonly job: Job | undefined;
  readonly action: Action;
  readonly path: string;
}

function* check(definition: Definition, { repository }: RuleContext): Generator<Report<Message>> {
  const plain: LocalUse[] = [];
  const replaced: LocalUse[] = [];
  for (const use of localUses(definition, repository)) {
    const { uses, step, job } = use;
    const untrusted = untrustedFilesBefore(step, repository).find((files) => files.certain && mayReplace(files, use));
    if (job === undefined || untrusted === undefined) {
      (otherCheckoutBefore(use) === undefined ? plain : replaced).push(use);
      continue;
    }
    const holds = privilegesIn(job, privilegedOutsiderEvents(step, repository).flatMap(scenariosOf)).held.length > 0;
    const approval = weakestApproval(step, repository);
    yield {
      message: approval === undefined ? 'untrusted' : 'approved',
      data: { path: uses.text.value, line: lineOf(untrusted.step) },
      at: step,
      span: uses.text.span,
      facts: [`execution ${uses.text.span.start}`],
      severity: approval === undefined ? (holds ? 'HIGH' : 'MEDIUM') : APPROVED[approval],
      fix: fixOf([use], 'review'),
    };
  }
  const anyway = replaced.filter(runsCheckoutAnyway);
  for (const [uses, severity] of [
    [replaced.filter((use) => !anyway.includes(use)), 'LOW'],
    [anyway, 'INFO'],
  ] as const) {
    const [other] = uses;
    if (other === undefined) continue;
    const line = lineOf(otherCheckoutBefore(other) as Step);
    yield { ...about('replaced', other, uses, 'review', line), severity, pedantic: severity === 'INFO' };
  }
  const [first] = plain;
  if (first === undefined) return;
  const message = definition.kind === 'workflow' ? 'workspace' : 'composite';
  yield about(message, first, plain, plain.every(runsTheSame) ? 'safe' : 'review', '');
}

const APPROVED: Readonly<Record<Approval, Severity>> = {
  label: 'LOW',
  'standing-label': 'MEDIUM',
  permission: 'LOW',
  elsewhere: 'MEDIUM',
  environment: 'MEDIUM',
};

function weakestApproval(step: Step, repository: Repository): Approval | undefined {
  const found = privilegedOutsiderEvents(step, repository).map((event) => approvalBefore(step, event, repository));
  if (found.includes(undefined)) return undefined;
  return found.find((approval) => approval !== undefined && APPROVED[approval] === 'MEDIUM') ?? found[0];
}

function about(
  message: Message,
  first: LocalUse,
  all: readonly LocalUse[],
  safety: Fix['safety'],
  line: string,
): Report<Message> {
  const others = all.length - 1;
  return {
    message,
    data: { path: first.uses.text.value, line, more: others === 0 ? '' : `, as do ${others} more in this file` },
    at: first.step,
    span: first.uses.text.span,
    fix: fixOf(all, safety),
  };
}

function mayReplace({ from, folder }: UntrustedFiles, { path }: LocalUse): boolean {
  const into = from === 'artifact' ? workspaceFolder(folder) : folder;
  return into !== undefined && isWithin(path, into);
}

function lineOf(step: Step): string {
  return String(sourceOf(step).position(step.span.start).line);
}

/** Skips the root, where a repository keeps the action that it publishes and tests. */
function* localUses(definition: Definition, repository: Repository): Generator<LocalUse> {
  for (const { uses, at } of usesOf(definition)) {
    const { reference } = uses;
    if (at.kind !== 'step' || reference?.kind !== 'local' || reference.form !== './' || reference.path === '') continue;
    const action = repository.actionAt(reference.path);
    if (action !== undefined) yield { uses, step: at, job: jobOf(at), action, path: reference.path };
  }
}

const SAME = /^\$\{\{\s*github\.(?:sha|ref|ref_name|workflow_sha|repository)\s*\}\}$/;

function otherCheckoutBefore({ job, step }: LocalUse): Step | undefined {
  const last = job?.steps.findLast(
    (before) =>
      before.index < step.index &&
      actionOf(before)?.slug === 'actions/checkout' &&
      ['', '.', './'].includes(inputOf(before, 'path')?.value.trim() ?? ''),
  );
  const named = ['repository', 'ref'].map((name) => (last && inputOf(last, name)?.value.trim()) ?? '');
  return named.some((value) => value !== '' && !SAME.test(value)) ? last : undefined;
}

function runsCheckoutAnyway(use: LocalUse): boolean {
  const from = otherCheckoutBefore(use)?.index ?? 0;
  return (use.job?.steps ?? []).some(
    (step) =>
      step.index > from &&
      step.run !== undefined &&
      executionsInside(step, '', []).some(({ runs }) => runs === 'certain'),
  );
}

function runsTheSame({ step, job, action }: LocalUse): boolean {
  if (job === undefined || action.using?.value !== 'composite' || runnerKind(job) !== 'hosted') return false;
  return job.steps.every((before) => before.index >= step.index || actionOf(before)?.slug === 'actions/checkout');
}

function fixOf(all: readonly LocalUse[], safety: Fix['safety']): Fix | undefined {
  const edits = all.flatMap(({ uses }) => replaceVerbatim(uses.text, 0, 1, '$') ?? []);
  return edits.length === all.length ? { safety, edits } : undefined;
}
