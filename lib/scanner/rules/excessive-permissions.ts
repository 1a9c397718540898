import { isGuarded, outsiderCheckouts } from '#lib/analysis/checkouts/checkouts.ts';
import { scriptSinksOf } from '#lib/analysis/dataflow/script-sinks.ts';
import { taintsIn } from '#lib/analysis/dataflow/taint.ts';
import { memoByRepository } from '#lib/analysis/memo.ts';
import { actionNeeds } from '#lib/analysis/privileges/documented-permissions.ts';
import { runsForeignCode } from '#lib/analysis/privileges/foreign-code.ts';
import { gitUse } from '#lib/analysis/privileges/git-use.ts';
import { tokenPermissions } from '#lib/analysis/privileges/permissions.ts';
import { writeSigns } from '#lib/analysis/privileges/write-signs.ts';
import { expandedSteps } from '#lib/analysis/publishing/releases.ts';
import { privilegedOutsiderEvents, runsHere } from '#lib/analysis/reachability/outsider-reach.ts';
import { type Facts, known } from '#lib/facts/facts.ts';
import { indentUnit, insertKeys, mayInsert, setKey } from '#lib/workflow/edits/keys.ts';
import { runsAction } from '#lib/workflow/model/action-uses.ts';
import type { Job, Permissions, Uses, Workflow } from '#lib/workflow/model/model.ts';
import { isFullSha } from '#lib/workflow/model/reference.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { entryOf } from '#lib/workflow/yaml/parse.ts';
import { defineRule, type Fix, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';
import { jobNames } from '../shared/job-names.ts';

const SERIOUS: ReadonlySet<string> = new Set([
  'contents',
  'actions',
  'packages',
  'id-token',
  'deployments',
  'pages',
  'attestations',
]);

type Message = 'write-all' | 'read-all' | 'missing' | 'broad';

export const excessivePermissions = defineRule({
  id: 'excessive-permissions',
  meta: {
    title: 'Job token has excessive permissions',
    why: 'Every job gets a token for its repository. Anything that runs in the job can use it, including a compromised dependency or action, so its permissions decide how far a small compromise reaches. Without a `permissions` block, the repository’s default applies, which in repositories created before 2023 is usually write access to almost everything.',
    attack:
      'A package that the job installs turns malicious, finds the token, and pushes a commit, moves a tag or publishes a release in the project’s name.',
    recommendation:
      'Set `permissions: { contents: read }` (or `{}`) at the top of the workflow, and give each job that writes its own `permissions` block with only the scopes it needs.',
    limits:
      'The scopes a step uses are inferred from well-known actions and commands. Without access to the repository’s settings, the token’s default is unknown. A missing block, or a scope that a job does not use, is LOW where only scripts of plain commands, actions of GitHub and actions pinned to a commit run, outside movable containers and without repository code that these could run. So is an unused scope that reaches only issues, pull requests, checks or statuses.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-5',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/tutorials/authenticate-with-github_token#modifying-the-permissions-for-the-github_token',
      'https://docs.github.com/actions/reference/security/secure-use',
    ],
    messages: {
      'write-all': 'The token of {{jobs}} has write access to everything in the repository.',
      'read-all': 'The token of {{jobs}} can read everything, including security alerts, although the jobs need less.',
      missing:
        'No permissions block limits the token of {{jobs}}: it has the repository’s default permissions{{default}}.',
      broad: 'Write access granted at workflow level is unused in some jobs: {{idle}}.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          permissions:
            # expect: broad LOW
            contents: write
          jobs:
            changes:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                - uses: dorny/paths-filter@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v3.0.2
            release:
              runs-on: ubuntu-latest
              steps:
                - uses: softprops/action-gh-release@v2
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions:
            # expect: broad MEDIUM
            contents: write
          jobs:
            changes:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                - uses: dorny/paths-filter@v3
            release:
              runs-on: ubuntu-latest
              steps:
                - uses: softprops/action-gh-release@v2
        `,
      },
      {
        yaml: yaml`
          on: issues
          # expect: missing LOW
          jobs:
            board:
              runs-on: ubuntu-latest
              steps:
                - run: echo "now=$(date)" >> "$GITHUB_OUTPUT"
                - uses: acme/secrets-of-vault@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v4.0.0
                - uses: actions/add-to-project@v1
                - uses: docker://acme/lint@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
        `,
      },
      {
        yaml: yaml`
          on: push
          # expect: missing LOW
          jobs:
            board:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                - uses: astral-sh/setup-uv@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v7.0.0
        `,
      },
      {
        yaml: yaml`
          on: push
          # expect: missing MEDIUM
          jobs:
            board:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                - uses: acme/build@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v4.0.0
        `,
      },
      {
        yaml: yaml`
          on: push
          # expect: missing MEDIUM
          jobs:
            board:
              runs-on: ubuntu-latest
              steps:
                - uses: acme/secrets-of-vault@v4
        `,
      },
      {
        yaml: yaml`
          on: push
          # expect: missing MEDIUM
          jobs:
            board:
              runs-on: ubuntu-latest
              container: acme/tools:latest
              steps:
                - uses: acme/secrets-of-vault@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v4.0.0
        `,
      },
      {
        yaml: yaml`
          on: push
          # expect: missing MEDIUM
          jobs:
            board:
              runs-on: ubuntu-latest
              steps:
                - run: git clone https://github.com/acme/board
                - uses: acme/build@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v4.0.0
        `,
      },
      {
        yaml: yaml`
          on: push
          # expect: missing MEDIUM
          jobs:
            board:
              runs-on: ubuntu-latest
              steps:
                - uses: acme/secrets-of-vault@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v4.0.0
                - run: npx acme-board
        `,
      },
      {
        yaml: yaml`
          on: issues
          # expect: missing MEDIUM
          jobs:
            board:
              runs-on: ubuntu-latest
              steps:
                - uses: acme/secrets-of-vault@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v4.0.0
                - run: echo "\${{ github.event.issue.title }}"
        `,
      },
      {
        yaml: yaml`
          on: pull_request_target
          jobs:
            pinned:
              # expect: write-all MEDIUM
              permissions: write-all
              runs-on: ubuntu-latest
              steps:
                - uses: acme/label@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v1.0.0
                - uses: docker://acme/lint@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
                - run: ./scripts/label.sh
            movable:
              # expect: write-all HIGH
              permissions: write-all
              runs-on: ubuntu-latest
              steps:
                - uses: acme/label@v1
            foreign:
              # expect: write-all HIGH
              permissions: write-all
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: make
        `,
      },
      {
        yaml: yaml`
          name: CI
          on: push
          # expect: missing
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4
                - run: npm ci && npm test
        `,
        fixed: yaml`
          name: CI
          on: push
          # expect: missing
          permissions:
            contents: read

          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4
                - run: npm ci && npm test
        `,
      },
      {
        yaml: yaml`
          on: push
          # expect: missing
          jobs:
              test:
                  runs-on: ubuntu-latest
                  steps:
                      - uses: actions/checkout@v4
                      - run: ./build.sh
              release:
                  runs-on: ubuntu-latest
                  steps:
                      - uses: softprops/action-gh-release@v2
        `,
        fixed: yaml`
          on: push
          # expect: missing
          permissions:
              contents: read

          jobs:
              test:
                  runs-on: ubuntu-latest
                  steps:
                      - uses: actions/checkout@v4
                      - run: ./build.sh
              release:
                  permissions:
                      contents: write
                  runs-on: ubuntu-latest
                  steps:
                      - uses: softprops/action-gh-release@v2
        `,
      },
      {
        yaml: yaml`
          on: pull_request_target
          # expect: write-all
          permissions: write-all
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - run: make test
            lint:
              runs-on: ubuntu-latest
              permissions: { contents: read }
              steps:
                - run: make lint
        `,
      },
      {
        yaml: {
          '.github/workflows/push.yml': yaml`
            on: push
            # expect: missing MEDIUM
            jobs:
              build:
                uses: ./.github/workflows/build.yml
              test:
                uses: ./.github/workflows/test.yml
          `,
          '.github/workflows/build.yml': yaml`
            on: workflow_call
            permissions: { contents: read }
            jobs: { build: { runs-on: ubuntu-latest, steps: [{ run: make }] } }
          `,
          '.github/workflows/test.yml': yaml`
            on: workflow_call
            jobs: { test: { runs-on: ubuntu-latest, steps: [{ run: make test }] } }
          `,
        },
      },
      {
        repository: 'acme/app',
        yaml: yaml`
          on: push
          # expect: missing LOW
          jobs:
            switched-off:
              if: false
              runs-on: ubuntu-latest
              steps:
                - run: npm test
            fork:
              if: github.repository == 'acme/app-benchmarks'
              runs-on: self-hosted
              steps:
                - run: cargo bench
            windows:
              runs-on: windows-latest
              steps:
                - run: echo "No test required"
        `,
      },
      {
        yaml: {
          '.github/workflows/push.yml': yaml`
            on: push
            # expect: missing LOW
            jobs:
              label:
                runs-on: ubuntu-latest
                steps:
                  - uses: ./.github/actions/label
              title:
                uses: ./.github/workflows/title.yml
          `,
          '.github/workflows/title.yml': yaml`
            on: workflow_call
            jobs:
              title:
                runs-on: ubuntu-latest
                steps:
                  - run: jq -r .head_commit.message "$GITHUB_EVENT_PATH" | grep -q '^feat'
              build:
                permissions: { contents: read }
                runs-on: ubuntu-latest
                steps:
                  - run: make
          `,
          '.github/actions/label/action.yml': yaml`
            name: Label
            description: Labels by what changed
            runs:
              using: composite
              steps:
                - shell: bash
                  run: gh issue edit 1 --add-label new
          `,
        },
      },
      {
        yaml: yaml`
          on: push
          permissions:
            # expect: broad LOW
            contents: write
          jobs:
            status:
              runs-on: ubuntu-latest
              steps:
                - run: aws s3 cp status.json s3://status
            release:
              runs-on: ubuntu-latest
              steps:
                - uses: softprops/action-gh-release@v2
        `,
      },
      {
        yaml: yaml`
          on: push
          # expect: read-all
          permissions: read-all
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - run: make test
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions:
            # expect: broad LOW
            issues: write
            pull-requests: write
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                - run: npm ci && npm test
            report:
              runs-on: ubuntu-latest
              steps:
                - run: gh issue create --title Failed --body Failed && gh pr comment 1 --body Failed
                  env: { GH_TOKEN: "\${{ github.token }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions:
            # expect: broad MEDIUM
            pull-requests: write
            contents: write
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                - run: npm ci && npm test
            release:
              runs-on: ubuntu-latest
              steps:
                - run: gh release create v1 && gh pr comment 1 --body Released
                  env: { GH_TOKEN: "\${{ github.token }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions:
            contents: read
            # expect: broad
            packages: write
            id-token: write
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4
                - run: make test
            publish:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/attest-build-provenance@v3
        `,
      },
    ],
    good: [
      {
        yaml: {
          '.github/workflows/push.yml': yaml`
            on: push
            jobs:
              build:
                uses: ./.github/workflows/build.yml
          `,
          '.github/workflows/build.yml': yaml`
            on: workflow_call
            permissions: { contents: read }
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - run: make
          `,
        },
      },
      {
        yaml: yaml`
          on: push
          permissions: {}
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - run: make test
            release:
              runs-on: ubuntu-latest
              permissions:
                contents: write
              steps:
                - uses: softprops/action-gh-release@v2
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            test:
              runs-on: ubuntu-latest
              permissions:
                contents: read
              steps:
                - run: make test
            lint:
              runs-on: ubuntu-latest
              permissions: {}
              steps:
                - run: make lint
        `,
      },
      {
        yaml: yaml`
          on: workflow_call
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - run: make test
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions:
            contents: write
          jobs:
            release:
              runs-on: ubuntu-latest
              steps:
                - run: make release
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions:
            security-events: write
          jobs:
            analyze:
              runs-on: ubuntu-latest
              steps:
                - uses: github/codeql-action/analyze@v4
            scan:
              runs-on: ubuntu-latest
              steps:
                - uses: github/codeql-action/upload-sarif@v4
            other:
              runs-on: ubuntu-latest
              permissions: {}
              steps:
                - run: make
        `,
      },
    ],
  },
  check: { workflow: check },
});

function* check(workflow: Workflow, { repository, facts }: RuleContext): Generator<Report<Message>> {
  // The caller limits the token of a called workflow, and is reported instead.
  if (workflow.triggers.length > 0 && workflow.triggers.every(({ event }) => event === 'workflow_call')) return;
  const inheriting = workflow.jobs.filter(({ permissions }) => permissions === undefined);
  const { permissions } = workflow;
  for (const job of workflow.jobs) {
    if (job.permissions?.all === 'write-all') yield everything(job.permissions, [job], job, repository);
  }
  if (inheriting.length === 0) return;
  if (permissions === undefined) yield* missing(workflow, inheriting, repository, facts);
  else if (permissions.all !== undefined) yield everything(permissions, inheriting, workflow, repository);
  else yield* broad(permissions, inheriting, workflow, repository);
}

function everything(
  permissions: Permissions,
  jobs: readonly Job[],
  at: Workflow | Job,
  repository: Repository,
): Report<Message> {
  const message = permissions.all === 'write-all' ? 'write-all' : 'read-all';
  const attackable = jobs.some(
    (job) =>
      privilegedOutsiderEvents(job, repository).length > 0 && isRisky(job, repository) && !isPinned(job, repository),
  );
  return {
    message,
    data: { jobs: jobNames(jobs.map(({ id }) => id)) },
    at,
    span: permissions.span,
    severity: message === 'read-all' ? 'INFO' : attackable ? 'HIGH' : 'MEDIUM',
    attributes: {
      kind: 'write-token',
      level: message === 'write-all' ? 'write' : 'read',
      jobs: jobs.map(({ id }) => id),
    },
  };
}

function* missing(
  workflow: Workflow,
  inheriting: readonly Job[],
  repository: Repository,
  facts: Facts,
): Generator<Report<Message>> {
  const key = entryOf(workflow.root, 'jobs')?.key;
  const jobs = inheriting.filter((job) => !isLimitedBelow(job, repository));
  if (key === undefined || jobs.length === 0) return;
  const standard = known(facts, 'workflowToken')?.default;
  const risky = jobs.filter((job) => isRisky(job, repository) && !runsOnlyFixedActions(job, repository));
  yield {
    message: 'missing',
    data: {
      jobs: jobNames(jobs.map(({ id }) => id)),
      default:
        standard === undefined ? '' : standard === 'write' ? ', currently write access' : ', currently read-only',
    },
    at: workflow,
    span: key.span,
    severity: missingSeverity(standard, risky, repository),
    confidence: standard === undefined ? 'medium' : 'high',
    fix: limit(workflow, inheriting, repository, standard),
    attributes: { kind: 'write-token', level: standard ?? 'unknown', jobs: jobs.map(({ id }) => id) },
  };
}

function missingSeverity(known: 'read' | 'write' | undefined, risky: readonly Job[], repository: Repository): Severity {
  if (known === 'read') return 'INFO';
  if (risky.length === 0) return 'LOW';
  return known === 'write' &&
    risky.some((job) => privilegedOutsiderEvents(job, repository).length > 0 && !isPinned(job, repository))
    ? 'HIGH'
    : 'MEDIUM';
}

function isLimitedBelow(job: Job, repository: Repository): boolean {
  return calleeOf(job, repository)?.jobs.every((inner) => tokenPermissions(inner).declared !== undefined) === true;
}

function calleeOf({ uses }: Job, repository: Repository): Workflow | undefined {
  return uses?.reference?.kind === 'local' ? repository.workflowAt(uses.reference.path) : undefined;
}

function* broad(
  permissions: Permissions,
  jobs: readonly Job[],
  workflow: Workflow,
  repository: Repository,
): Generator<Report<Message>> {
  if (jobs.length < 2) return;
  const idleByScope = permissions.scopes
    .filter(({ level }) => level === 'write')
    .map((granted) => ({ granted, idle: jobs.filter((job) => isIdle(job, granted.scope, repository)) }))
    .filter(({ idle }) => idle.length > 0);
  const first = idleByScope[0];
  if (first === undefined) return;
  const idle = jobs.filter((job) => idleByScope.some((entry) => entry.idle.includes(job)));
  const serious = idleByScope.some(
    ({ granted, idle: unused }) =>
      SERIOUS.has(granted.scope) &&
      unused.some((job) => isRisky(job, repository) && !runsOnlyFixedActions(job, repository)),
  );
  yield {
    message: 'broad',
    data: { idle: listIdle(idleByScope.map((entry) => [entry.granted.scope, entry.idle])) },
    at: workflow,
    span: first.granted.span,
    severity: serious ? 'MEDIUM' : 'LOW',
    confidence: 'medium',
    attributes: { kind: 'write-token', level: 'write', jobs: idle.map(({ id }) => id) },
  };
}

function listIdle(idleByScope: readonly (readonly [string, readonly Job[]])[]): string {
  const scopesByJobs = new Map<string, string[]>();
  for (const [scope, idle] of idleByScope) {
    const jobs = jobNames(idle.map(({ id }) => id));
    scopesByJobs.set(jobs, [...(scopesByJobs.get(jobs) ?? []), scope]);
  }
  return [...scopesByJobs].map(([jobs, scopes]) => `${scopes.join(', ')} in ${jobs}`).join('; ');
}

function isIdle(job: Job, scope: string, repository: Repository): boolean {
  const { scopes, unknown } = writeSigns(job, repository);
  return !unknown && !scopes.has(scope);
}

function isPinned(job: Job, repository: Repository): boolean {
  if (outsiderCheckouts(job, repository).some((checkout) => !isGuarded(checkout))) return false;
  const uses = job.uses === undefined ? expandedSteps(job, repository).flatMap((step) => step.uses ?? []) : [job.uses];
  return uses.every(isFixed);
}

function isFixed({ reference }: Uses): boolean {
  if (reference?.kind === 'repository') return isFullSha(reference.ref);
  return reference?.kind === 'local' || (reference?.kind === 'docker' && reference.image.digest !== undefined);
}

const CLONES = /\bclone\b/;

function runsOnlyFixedActions(job: Job, repository: Repository): boolean {
  const steps = expandedSteps(job, repository);
  const hasCode = steps.some((step) => runsAction(step, 'actions/checkout') || CLONES.test(step.run?.value ?? ''));
  return (
    job.uses === undefined &&
    (job.container?.image?.value.includes('@sha256:') ?? true) &&
    steps.every((step) => {
      const needs = actionNeeds(step);
      if ([...scriptSinksOf(step)].some(({ text }) => taintsIn(text, step, repository).length > 0)) return false;
      if (!runsForeignCode(step)) return true;
      return (
        step.uses !== undefined && isFixed(step.uses) && needs?.runsCode !== true && (!hasCode || needs !== undefined)
      );
    })
  );
}

const riskyJobs = memoByRepository(() => new Map<Job, boolean>());

function isRisky(job: Job, repository: Repository): boolean {
  const known = riskyJobs(repository);
  let risky = known.get(job);
  if (risky === undefined) {
    known.set(job, false);
    risky = runsHere(job, repository) && runsOthersCode(job, repository);
    known.set(job, risky);
  }
  return risky;
}

function runsOthersCode(job: Job, repository: Repository): boolean {
  if (job.uses === undefined) return expandedSteps(job, repository).some(runsForeignCode);
  const callee = calleeOf(job, repository);
  if (callee === undefined) return true;
  return callee.jobs.some((inner) => tokenPermissions(inner).declared === undefined && isRisky(inner, repository));
}

function limit(
  workflow: Workflow,
  jobs: readonly Job[],
  repository: Repository,
  standard: 'read' | 'write' | undefined,
): Fix | undefined {
  const unit = indentUnit(workflow);
  if (workflow.root.flow || !mayInsert(workflow)) return undefined;
  const all = jobs.map((job) => ({ job, ...writeSigns(job, repository) }));
  if (all.some(({ unknown, likely }) => unknown && likely === undefined)) return undefined;
  const signs = all.map((each) => ({ ...each, ...each.likely }));
  const readOnly = { permissions: { contents: 'read' } };
  const top = insertKeys(workflow.root, readOnly, { before: 'jobs', unit, spaced: true });
  if (top === undefined) return undefined;
  const edits = [top];
  for (const { job, scopes, reads } of signs) {
    if (scopes.size === 0 && reads.size === 0) continue;
    const wanted = new Set([...(scopes.has('contents') ? [] : ['contents']), ...scopes, ...reads]);
    const levels = [...wanted].map((scope) => [scope, scopes.has(scope) ? 'write' : 'read'] as const);
    const edit = setKey(job.mapping, 'permissions', Object.fromEntries(levels), { unit });
    if (edit === undefined) return undefined;
    edits.push(edit);
  }
  const certain = signs.every(
    ({ job, scopes, reads, unknown }) =>
      !unknown && mayGrant(scopes, reads, standard) && job.steps.every((step) => gitUse(step, repository) === 'no'),
  );
  return { safety: certain ? 'safe' : 'review', edits };
}

function mayGrant(
  scopes: ReadonlySet<string>,
  reads: ReadonlySet<string>,
  standard: 'read' | 'write' | undefined,
): boolean {
  return standard === 'write' ? !scopes.has('id-token') : scopes.size === 0 && reads.size === 0;
}
