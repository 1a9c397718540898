import { type Checkout, checkoutsIn, type EventOf } from '#lib/analysis/checkouts/checkouts.ts';
import { heldBy, privilegesOf } from '#lib/analysis/privileges/describe-privileges.ts';
import { approvalBefore } from '#lib/analysis/reachability/approvals.ts';
import { directTriggers } from '#lib/analysis/reachability/callers.ts';
import { jobsRead, requiredJobs } from '#lib/analysis/reachability/needed-jobs.ts';
import { mayRun, outsiderEvents, scenariosOf } from '#lib/analysis/reachability/outsider-reach.ts';
import { looksUpPermission } from '#lib/analysis/reachability/permission-lookups.ts';
import { executionsAfter } from '#lib/analysis/workspace/workspace-execution.ts';
import { replaceScalar } from '#lib/workflow/edits/scalars.ts';
import type { Job, Step, Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Fix, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';
import { checkoutFact } from '../shared/shared-facts.ts';

type Message = 'comment' | 'label' | 'environment' | 'dispatch';

export const untrustedCheckoutToctou = defineRule({
  id: 'untrusted-checkout-toctou',
  meta: {
    title: 'Approved pull request code can be swapped before checkout',
    why: 'A member reviews a pull request and approves a privileged run with a comment, a label or a deployment review. If the run then checks out a branch, a pull request number or a commit it looks up, it gets whatever the author has pushed in the meantime, not what was approved (a time-of-check to time-of-use race).',
    attack:
      'The author waits for the approving comment or label and pushes another commit within seconds; the privileged run checks out and executes that one.',
    recommendation:
      'Check out the commit from the event payload: `github.event.pull_request.head.sha` for labels and reviews. For comments, require the member to type the commit, or reject a head commit that was pushed after the comment.',
    limits:
      'A step before the checkout that reads dates of the commit or comment is assumed to compare them. Whether an environment has reviewers is a setting that the file does not show.',
    severity: 'HIGH',
    confidence: 'medium',
    category: 'CICD-SEC-4',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://codeql.github.com/codeql-query-help/actions/actions-untrusted-checkout-toctou-high/',
      'https://securitylab.github.com/resources/github-actions-preventing-pwn-requests/',
    ],
    messages: {
      comment:
        'A member’s comment starts this run, but {{source}} is resolved later, so the author can push other code in between; the run holds {{held}}.',
      label:
        'A label starts this run, but {{source}} is resolved later, so the author can push other code in between; the run holds {{held}}.',
      environment:
        'The environment’s reviewers approve the run, not a commit: {{source}} is resolved later, and the run holds {{held}}.',
      dispatch:
        'Whoever starts this run selects a pull request, not a commit: {{source}} is whatever its author pushed last, and the run holds {{held}}.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: { repository_dispatch: { types: [ok-to-test-command] } }
          permissions: { contents: read, id-token: write }
          jobs:
            moves:
              if: contains(github.event.client_payload.pull_request.head.sha, github.event.client_payload.slash_command.args.named.sha)
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                  # expect: comment MEDIUM
                  with: { ref: "refs/pull/\${{ github.event.client_payload.pull_request.number }}/merge" }
                - run: npm ci
            fixed:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                  with: { ref: "\${{ github.event.client_payload.pull_request.head.sha }}" }
                - run: npm ci
        `,
      },
      {
        yaml: yaml`
          on:
            issue_comment: { types: [created] }
            workflow_dispatch:
              inputs:
                pr: { type: number }
          permissions: { contents: write }
          jobs:
            test:
              if: github.event.comment.author_association == 'MEMBER' && github.event.comment.body == '/test'
              runs-on: ubuntu-latest
              steps:
                - id: pr
                  uses: xt0rted/pull-request-comment-branch@v3
                - uses: actions/checkout@v7
                  with:
                    # expect: comment
                    ref: \${{ steps.pr.outputs.head_sha }}
                - run: make test
            manual:
              if: github.event_name == 'workflow_dispatch'
              runs-on: ubuntu-latest
              steps:
                # expect: dispatch
                - run: gh pr checkout \${{ inputs.pr }} && make test
            lookup:
              if: github.event_name == 'issue_comment'
              runs-on: ubuntu-latest
              steps:
                - run: test "$(gh api "repos/o/r/collaborators/$WHO/permission" --jq .permission)" = write
                  env: { WHO: "\${{ github.actor }}" }
                - uses: actions/checkout@v7
                  with:
                    # expect: comment
                    ref: refs/pull/\${{ github.event.issue.number }}/merge
        `,
      },
      {
        yaml: yaml`
          on:
            pull_request_target:
              types: [labeled]
          jobs:
            test:
              if: github.event.label.name == 'safe to test'
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with:
                    # expect: label
                    ref: refs/pull/\${{ github.event.number }}/merge
                - run: npm ci
        `,
        fixed: yaml`
          on:
            pull_request_target:
              types: [labeled]
          jobs:
            test:
              if: github.event.label.name == 'safe to test'
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with:
                    # expect: label
                    ref: "\${{ github.event.pull_request.head.sha }}"
                - run: npm ci
        `,
      },
      {
        yaml: yaml`
          on: pull_request_target
          jobs:
            test:
              environment: external
              runs-on: ubuntu-latest
              steps:
                # expect: environment
                - run: gh pr checkout \${{ github.event.number }} && npm test
        `,
      },
      {
        yaml: yaml`
          on: { issue_comment: { types: [created] } }
          permissions: { contents: write }
          jobs:
            only-prints:
              if: github.event.comment.author_association == 'MEMBER'
              runs-on: ubuntu-latest
              steps:
                - run: gh pr view "$N" --json headRepository --jq .headRepository.name
                  env: { N: "\${{ github.event.issue.number }}" }
                # expect: comment
                - run: gh pr checkout \${{ github.event.issue.number }} && make
            afterwards:
              if: github.event.comment.author_association == 'MEMBER'
              runs-on: ubuntu-latest
              steps:
                # expect: comment
                - run: gh pr checkout \${{ github.event.issue.number }} && make
                - run: test "$(gh pr view --json isCrossRepository --jq .isCrossRepository)" = false || exit 1
        `,
      },
      {
        yaml: yaml`
          on:
            issue_comment: { types: [created] }
            workflow_dispatch: { inputs: { prompt: { type: string } } }
          permissions: { contents: write }
          jobs:
            pull-requests:
              if: github.event.comment.author_association == 'MEMBER' && github.event.issue.pull_request != null
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  # expect: comment
                  with: { ref: "\${{ (github.event.issue.pull_request && format('refs/pull/{0}/head', github.event.issue.number)) || github.sha }}" }
                - run: make
            both:
              if: github.event.comment.author_association == 'MEMBER' && (github.event.issue.pull_request == null || startsWith(github.event.comment.body, '/test'))
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  # expect: comment
                  with: { ref: "\${{ (github.event.issue.pull_request && format('refs/pull/{0}/head', github.event.issue.number)) || github.sha }}" }
                - run: make
            merged:
              if: github.event.comment.author_association == 'MEMBER' && github.event.issue.pull_request.merged_at == null
              runs-on: ubuntu-latest
              steps:
                # expect: comment
                - run: gh pr checkout \${{ github.event.issue.number }} && make
            labelled:
              if: github.event.comment.author_association == 'MEMBER' && (contains(github.event.issue.labels.*.name, 'ok') || !github.event.issue.pull_request)
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  # expect: comment
                  with: { ref: "\${{ (github.event.issue.pull_request && format('refs/pull/{0}/head', github.event.issue.number)) || github.sha }}" }
                - run: make
            first:
              if: github.event.issue.pull_request == null
              runs-on: ubuntu-latest
              steps: [{ run: exit 0 }]
            always:
              if: always() && github.event.comment.author_association == 'MEMBER'
              needs: first
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  # expect: comment
                  with: { ref: "\${{ (github.event.issue.pull_request && format('refs/pull/{0}/head', github.event.issue.number)) || github.sha }}" }
                - run: make
            looked-up:
              if: github.event.comment.author_association == 'MEMBER' && github.event.issue.pull_request == null
              runs-on: ubuntu-latest
              steps:
                - id: newest
                  uses: actions/github-script@v8
                  with:
                    script: core.setOutput('sha', (await github.rest.pulls.list(context.repo)).data[0].head.sha)
                - uses: actions/checkout@v7
                  # expect: comment
                  with: { ref: "\${{ steps.newest.outputs.sha }}" }
                - run: make
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on:
            issue_comment: { types: [created] }
            workflow_dispatch: { inputs: { prompt: { type: string } } }
          permissions: { contents: write }
          jobs:
            issues:
              if: github.event.comment.author_association == 'MEMBER' && github.event.issue.pull_request == null
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with: { ref: "\${{ (github.event.issue.pull_request && format('refs/pull/{0}/head', github.event.issue.number)) || github.sha }}" }
                - run: make
            negated:
              if: "!github.event.issue.pull_request && github.event.comment.author_association == 'MEMBER'"
              runs-on: ubuntu-latest
              steps:
                - run: gh pr checkout \${{ github.event.issue.number }} && make
            by-hand:
              if: inputs.prompt != '' || (github.event.comment.author_association == 'MEMBER' && !github.event.issue.pull_request.url)
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with: { ref: "\${{ (github.event.issue.pull_request && format('refs/pull/{0}/head', github.event.issue.number)) || github.sha }}" }
                - run: make
            first:
              if: github.event.issue.pull_request == null
              runs-on: ubuntu-latest
              steps: [{ run: exit 0 }]
            second:
              if: github.event.comment.author_association == 'MEMBER'
              needs: first
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with: { ref: "\${{ (github.event.issue.pull_request && format('refs/pull/{0}/head', github.event.issue.number)) || github.sha }}" }
                - run: make
        `,
      },
      {
        yaml: yaml`
          on: { repository_dispatch: { types: [nightly] } }
          permissions: { contents: read, id-token: write }
          jobs:
            own:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                  with: { ref: "\${{ github.event.client_payload.ref }}" }
                - run: npm ci
        `,
      },
      {
        yaml: yaml`
          on: issue_comment
          permissions: { contents: write }
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                - { id: command, uses: github/branch-deploy@v10 }
                - if: steps.command.outputs.continue == 'true'
                  uses: actions/checkout@v7
                  with: { ref: "\${{ steps.command.outputs.sha }}" }
                - if: steps.command.outputs.continue == 'true'
                  run: make deploy
        `,
      },
      {
        yaml: yaml`
          on: { issue_comment: { types: [created] } }
          permissions: { contents: write }
          jobs:
            scripted:
              if: github.event.comment.author_association == 'MEMBER'
              runs-on: ubuntu-latest
              steps:
                - uses: actions/github-script@v8
                  with:
                    script: |
                      const { data } = await github.rest.pulls.get({ ...context.repo, pull_number: context.issue.number });
                      if (data.head.repo.full_name !== data.base.repo.full_name) core.setFailed('from a fork');
                - run: gh pr checkout \${{ github.event.issue.number }} && make
            shell:
              if: github.event.comment.author_association == 'MEMBER'
              runs-on: ubuntu-latest
              steps:
                - run: |
                    if [ "$(gh pr view "$N" --json isCrossRepository --jq .isCrossRepository)" = true ]; then exit 1; fi
                    gh pr checkout "$N"
                    make
                  env: { N: "\${{ github.event.issue.number }}" }
            decided:
              if: github.event.comment.author_association == 'MEMBER'
              runs-on: ubuntu-latest
              steps:
                - id: pr
                  run: echo "own=$(gh pr view "$N" --json headRepositoryOwner --jq '.headRepositoryOwner.login == "acme"')" >> "$GITHUB_OUTPUT"
                  env: { N: "\${{ github.event.issue.number }}" }
                - if: steps.pr.outputs.own == 'true'
                  run: gh pr checkout \${{ github.event.issue.number }} && make
        `,
      },
      {
        yaml: yaml`
          on:
            pull_request_target:
              types: [labeled]
            issue_comment:
            workflow_dispatch:
              inputs:
                ref: { type: string }
          jobs:
            fixed:
              if: github.event.label.name == 'safe to test'
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: make
            guarded:
              if: github.event_name == 'pull_request_target'
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with: { ref: "refs/pull/\${{ github.event.number }}/merge" }
                - run: make
            compares:
              if: github.event.comment.author_association == 'OWNER'
              runs-on: ubuntu-latest
              steps:
                - uses: actions/github-script@v8
                  with:
                    script: |
                      const { data } = await github.rest.pulls.get({ ...context.repo, pull_number: context.issue.number });
                      if (new Date(data.head.repo.pushed_at) > new Date(context.payload.comment.created_at)) core.setFailed('pushed');
                - run: gh pr checkout \${{ github.event.issue.number }}
                - run: make
            typed:
              runs-on: ubuntu-latest
              if: github.event_name == 'workflow_dispatch'
              steps:
                - run: |
                    gh pr checkout "$NUMBER"
                    git reset --hard "$COMMIT"
                  env: { NUMBER: "\${{ inputs.pr }}", COMMIT: "\${{ inputs.commit-sha }}" }
                - uses: actions/checkout@v7
                  with: { ref: "\${{ inputs.ref }}" }
        `,
      },
      {
        yaml: yaml`
          on: issue_comment
          jobs:
            nobody-approves:
              runs-on: ubuntu-latest
              steps:
                - run: gh pr checkout \${{ github.event.issue.number }}
        `,
      },
    ],
  },
  check: { workflow: check },
});

function* check(workflow: Workflow, { repository }: RuleContext): Generator<Report<Message>> {
  const events = directTriggers(workflow, repository).filter(({ event }) => APPROVABLE.has(event));
  for (const job of workflow.jobs) {
    const reported = new Set<number>();
    for (const found of events) {
      const all = checkoutsIn(job, found, repository);
      for (const checkout of all) {
        if (checkout.foreign?.moves !== true || checkout.guard === 'enforced') continue;
        if (reported.has(checkout.span.start) || reported.size >= MAX_PER_JOB) continue;
        const message = approvalOf(checkout, job, found, repository);
        if (
          message === undefined ||
          comparesDates(checkout.step, job) ||
          refusesForks(checkout.step, job) ||
          isFixedLater(checkout, all)
        )
          continue;
        reported.add(checkout.span.start);
        yield report(message, job, checkout, { all, event: found.event });
      }
    }
  }
}

const MAX_PER_JOB = 50;

const APPROVABLE: ReadonlySet<string> = new Set([
  'issue_comment',
  'pull_request_target',
  'repository_dispatch',
  'workflow_dispatch',
  'workflow_run',
]);

function approvalOf(
  { step, foreign }: Checkout,
  job: Job,
  found: EventOf & { readonly workflow: Workflow },
  repository: Repository,
): Message | undefined {
  const { event } = found;
  const runs = scenariosOf(found).some((scenario) => mayRun(step, { ...scenario, by: 'member' }));
  if (!runs) return undefined;
  if (event === 'workflow_dispatch') return 'dispatch';
  const open = outsiderEvents(step, repository).some((outsider) => outsider.event === event);
  if (event === 'repository_dispatch') return startsByCommentCommand(found) && !open ? 'comment' : undefined;
  if (event === 'issue_comment') {
    const typed = foreign?.source.startsWith('github.event.comment') === true;
    return !typed && (!open || looksUpPermission(step, repository)) ? 'comment' : undefined;
  }
  if (!open) return undefined;
  const approval = approvalBefore(step, found, repository);
  if (approval === 'environment') return 'environment';
  return approval === 'label' && event === 'pull_request_target' ? 'label' : undefined;
}

function startsByCommentCommand({ trigger }: EventOf): boolean {
  return trigger.types?.some((type) => type.endsWith('-command')) === true;
}

function comparesDates(step: Step, job: Job): boolean {
  return scriptsBefore(step, job).some(({ text }) =>
    /created_at|createdAt|pushed_at|pushedDate|committedDate|committer\.date|updated_at/.test(text),
  );
}

interface Script {
  readonly step: Step;
  readonly text: string;
}

function scriptsBefore(step: Step, job: Job): Script[] {
  const steps = [
    ...job.steps.slice(0, step.index + 1),
    ...[...requiredJobs(job), ...jobsRead(step, job)].flatMap(({ steps: earlier }) => earlier),
  ];
  return steps.map((before) => ({
    step: before,
    text: `${before.run?.value ?? ''} ${before.with?.get('script')?.value.value ?? ''}`,
  }));
}

const HEAD_REPOSITORY =
  /\bhead\??\.repo(?:sitory)?\b|\bheadRepository(?:Owner)?\b|\bisCrossRepository\b|\bhead_repo(?:sitory)?\b|\bhead\.user\.login\b/i;
const ENDS_RUN = /\bexit\s+[1-9]|\bsetFailed\b|\bthrow\b|\bprocess\.exit\b/;

function refusesForks(step: Step, job: Job): boolean {
  return scriptsBefore(step, job).some(({ step: before, text }) => {
    if (!HEAD_REPOSITORY.test(text)) return false;
    if (before !== step && ENDS_RUN.test(text)) return true;
    if (before === step) return ENDS_RUN.test(text);
    return [step, job].some(({ condition }) => condition !== undefined && decidesOn(before, condition.value, job));
  });
}

function decidesOn(before: Step, condition: string, job: Job): boolean {
  const id = before.id?.value;
  if (before.parent !== job) return /\bneeds\.[\w-]+\.outputs\b/.test(condition);
  return id !== undefined && condition.includes(`steps.${id}.outputs`);
}

function isFixedLater(checkout: Checkout, all: readonly Checkout[]): boolean {
  const fixed = all.find(
    ({ foreign, folder, span }) =>
      foreign?.moves === false && folder === checkout.folder && span.start > checkout.span.start,
  );
  return fixed !== undefined && executionsAfter(checkout, all).every(({ span }) => span.start > fixed.span.start);
}

interface Around {
  readonly all: readonly Checkout[];
  readonly event: string;
}

function report(message: Message, job: Job, checkout: Checkout, { all, event }: Around): Report<Message> {
  const executes = executionsAfter(checkout, all).some(({ runs }) => runs === 'certain');
  const { step, span, foreign, guard } = checkout;
  return {
    message,
    data: { source: foreign?.source ?? '', held: heldBy(job) },
    at: step,
    span,
    facts: [checkoutFact(checkout)],
    severity: severityOf(message, job, executes, foreign?.unsure === true || event === 'repository_dispatch'),
    fix: message === 'label' ? fixed(checkout) : undefined,
    attributes: { approval: message, executes, guard, ref_kind: foreign?.ref ?? 'branch', trigger_trust: 'member' },
  };
}

/** A manual run gives the author no signal to wait for, and an environment may have no reviewers. */
function severityOf(message: Message, job: Job, executes: boolean, unsure: boolean): Severity {
  const { held, strong } = privilegesOf(job);
  if (held.length === 0 || message === 'dispatch') return 'LOW';
  if (message === 'environment') return executes ? 'MEDIUM' : 'LOW';
  if (executes) return strong && !unsure ? 'HIGH' : 'MEDIUM';
  return strong ? 'MEDIUM' : 'LOW';
}

function fixed({ by, step, span }: Checkout): Fix | undefined {
  const ref = step.with?.get('ref')?.value;
  const isPlace = by === 'action' && ref?.span.start === span.start;
  const edit = isPlace ? replaceScalar(ref, '"${{ github.event.pull_request.head.sha }}"') : undefined;
  return edit && { safety: 'review', edits: [edit] };
}
