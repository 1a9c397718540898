import { heldBy, privilegesOf } from '#lib/analysis/privileges/describe-privileges.ts';
import { type Approval, approvalBefore } from '#lib/analysis/reachability/approvals.ts';
import { mayRun, scenariosOf } from '#lib/analysis/reachability/outsider-reach.ts';
import { checkoutsIn, type OutsiderCheckout, outsiderCheckouts } from '#lib/analysis/workspace/checkouts.ts';
import { type Execution, executionsAfter } from '#lib/analysis/workspace/workspace-execution.ts';
import type { Job, Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';
import { splitAdvice } from '../remedies/split-workflow.ts';

type Message = 'runs' | 'approved' | 'guarded';

export const untrustedCheckoutExec = defineRule({
  id: 'untrusted-checkout-exec',
  meta: {
    title: 'Pull request code is executed in a privileged run',
    why: 'Installing, building, testing or linting a checkout runs code that its author wrote: lifecycle scripts, build files, plugins. In a run that an event like pull_request_target or issue_comment starts, that author is a stranger and the run holds the base repository’s token and secrets.',
    attack:
      'Somebody forks the repository, adds a line to a build script or a dependency, and opens a pull request or comments on it. The privileged run executes the line, which sends away the token and secrets or pushes with them. The attacks on spotbugs (2024) and trivy (2026) went this way.',
    recommendation:
      'Run the pull request’s code in a `pull_request` workflow with a read-only token, hand its results over as an artifact, and let a `workflow_run` workflow without that code do what needs rights.',
    limits:
      'A list of programs and actions decides what runs the checked-out code. Scripts of the base that run files of the checkout by another path, composite actions of other repositories or within one another, and later jobs that reuse a cache are not followed.',
    severity: 'HIGH',
    confidence: 'high',
    category: 'CICD-SEC-4',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://securitylab.github.com/resources/github-actions-preventing-pwn-requests/',
      'https://docs.github.com/actions/reference/security/secure-use#mitigating-the-risks-of-untrusted-code-checkout',
      'https://boostsecurityio.github.io/lotp/',
    ],
    messages: {
      runs: '{{what}} runs an outsider’s code, checked out in line {{line}}, in a run that {{event}} starts and that holds {{held}}.',
      approved:
        '{{what}} runs an outsider’s code, checked out in line {{line}}, in a run that {{event}} starts and that holds {{held}}; {{approval}}.',
      guarded:
        '{{what}} would run a pull request’s code, which line {{line}} names, with {{held}}; the guard of actions/checkout stops it for forks on github.com.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: pull_request_target
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                # expect: runs
                - run: npm ci
                - run: npm test
                  env: { TOKEN: "\${{ secrets.NPM_TOKEN }}" }
            guarded:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6
                  with: { ref: "refs/pull/\${{ github.event.number }}/merge" }
                # expect: guarded
                - uses: ./.github/actions/test
            opted-out:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6
                  with:
                    ref: refs/pull/\${{ github.event.number }}/merge
                    path: pr
                    allow-unsafe-pr-checkout: true
                - working-directory: pr
                  # expect: runs
                  run: make test
        `,
      },
      {
        yaml: yaml`
          on:
            issue_comment:
            pull_request_target:
              types: [labeled]
          jobs:
            bench:
              if: startsWith(github.event.comment.body, '/bench')
              runs-on: ubuntu-latest
              steps:
                - run: |
                    gh pr checkout \${{ github.event.issue.number }}
                    # expect: runs
                    ./bench.sh
            labelled:
              if: github.event_name == 'pull_request_target'
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                # expect: approved
                - uses: pre-commit/action@v3.0.1
        `,
      },
      {
        yaml: {
          '.github/workflows/preview.yml': yaml`
            on: pull_request_target
            permissions: { contents: write }
            jobs:
              preview:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  # expect: runs
                  - uses: ./.github/actions/prepare
                    with: { commit: "\${{ github.event.pull_request.head.sha }}" }
          `,
          '.github/actions/prepare/action.yml': yaml`
            name: Prepare
            description: Gets the code and its packages
            inputs: { commit: { description: Commit } }
            runs:
              using: composite
              steps:
                - uses: actions/checkout@v4.2.2
                  with: { ref: "\${{ inputs.commit }}" }
                - run: npm ci
                  shell: bash
          `,
        },
      },
    ],
    good: [
      {
        yaml: {
          '.github/workflows/preview.yml': yaml`
            on: pull_request_target
            permissions: { contents: write }
            jobs:
              preview:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - uses: ./.github/actions/prepare
                    with: { commit: "\${{ github.event.pull_request.base.sha }}" }
          `,
          '.github/actions/prepare/action.yml': yaml`
            name: Prepare
            description: Gets the code and its packages
            inputs: { commit: { description: Commit } }
            runs:
              using: composite
              steps:
                - uses: actions/checkout@v4.2.2
                  with: { ref: "\${{ inputs.commit }}" }
                - run: npm ci
                  shell: bash
          `,
        },
      },
      {
        yaml: yaml`
          on: [pull_request_target, issue_comment]
          jobs:
            before:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                - run: npm ci
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}", path: pr }
                - run: node tools/check.js pr
                - run: npm ci --ignore-scripts
                  working-directory: pr
                - run: git diff --stat && cat pr/README.md
            clean:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: cp package.json /tmp
                - uses: actions/checkout@v4.1.0
                - run: npm ci
            not-outsiders:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: make
                  if: github.event.pull_request.head.repo.full_name == github.repository
        `,
      },
      {
        yaml: yaml`
          on: pull_request
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: npm ci && npm test
        `,
      },
      {
        yaml: yaml`
          on: issue_comment
          jobs:
            checked:
              runs-on: ubuntu-latest
              steps:
                - if: github.event.comment.author_association != 'MEMBER'
                  run: exit 1
                - run: |
                    gh pr checkout \${{ github.event.issue.number }}
                    make
        `,
      },
    ],
  },
  check: { workflow: check },
});

function* check(workflow: Workflow, { repository }: RuleContext): Generator<Report<Message>> {
  for (const job of workflow.jobs) {
    const reported = new Set<number>();
    for (const checkout of outsiderCheckouts(job, repository)) {
      const scenarios = scenariosOf(checkout);
      const executions = executionsAfter(checkout, checkoutsIn(job, checkout, repository), (step) =>
        scenarios.some((scenario) => mayRun(step, scenario)),
      );
      const execution = executions.find(({ runs }) => runs === 'certain') ?? executions[0];
      if (execution === undefined || reported.has(execution.span.start)) continue;
      reported.add(execution.span.start);
      yield report(job, checkout, execution, repository);
    }
  }
}

function report(job: Job, checkout: OutsiderCheckout, execution: Execution, repository: Repository): Report<Message> {
  const { guard, event, events, foreign } = checkout;
  const approval = approvalBefore(execution.step, checkout, repository);
  const message = guard === 'enforced' ? 'guarded' : approval === undefined ? 'runs' : 'approved';
  return {
    message,
    data: {
      what: execution.what,
      line: String(job.workflow.source.position(checkout.span.start).line),
      event,
      held: heldBy(job),
      ...(approval === undefined ? {} : { approval: APPROVALS[approval].text }),
    },
    at: execution.step,
    span: execution.span,
    related: [{ span: checkout.span, note: 'checks out untrusted code', file: job.workflow.source }],
    severity: severityOf(job, checkout, execution, approval),
    advice: canSplit(job, checkout) ? splitAdvice(job) : undefined,
    confidence: execution.runs === 'likely' ? 'low' : privilegesOf(job).assumed ? 'medium' : 'high',
    attributes: { executes: execution.runs, guard, ref_kind: foreign.ref, events, trigger_trust: 'outsider' },
  };
}

/** The guard refuses the checkout, and what another workflow or a comment starts has no half on `pull_request`. */
function canSplit({ workflow }: Job, { guard, event }: OutsiderCheckout): boolean {
  const own = workflow.triggers.some((trigger) => trigger.event === 'pull_request_target');
  return guard !== 'enforced' && event === 'pull_request_target' && own;
}

/**
 * Without anything to take only the read token and the run itself are lost. An approval of one fixed commit is how a
 * privileged test of a stranger's code is meant to work; one that stands, or that the file cannot prove, is half of it.
 */
function severityOf(
  job: Job,
  { guard }: OutsiderCheckout,
  { runs }: Execution,
  approval: Approval | undefined,
): Severity {
  if (guard === 'enforced' || privilegesOf(job).held.length === 0) return 'LOW';
  if (approval !== undefined) return runs === 'certain' ? APPROVALS[approval].severity : 'LOW';
  return runs === 'certain' ? 'HIGH' : 'MEDIUM';
}

const APPROVALS: Readonly<Record<Approval, { readonly text: string; readonly severity: Severity }>> = {
  label: { text: 'somebody with triage rights sets a label first', severity: 'LOW' },
  'standing-label': { text: 'a label that was set once is the only approval', severity: 'MEDIUM' },
  permission: { text: 'a step before it looks up who asked', severity: 'LOW' },
  environment: { text: 'an environment may ask for an approval first', severity: 'MEDIUM' },
};
