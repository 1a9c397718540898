import { checkoutsIn, isGuarded, type OutsiderCheckout, outsiderCheckouts } from '#lib/analysis/checkouts/checkouts.ts';
import { heldBy, privilegesOf } from '#lib/analysis/privileges/describe-privileges.ts';
import { approvalBefore } from '#lib/analysis/reachability/approvals.ts';
import { evaluates } from '#lib/analysis/reachability/conditions.ts';
import { PULL_REQUEST_EVENTS } from '#lib/analysis/reachability/events.ts';
import { neededJobs } from '#lib/analysis/reachability/needed-jobs.ts';
import { mayRun, privilegedOutsiderEvents, scenariosOf } from '#lib/analysis/reachability/outsider-reach.ts';
import { executionsAfter } from '#lib/analysis/workspace/workspace-execution.ts';
import { conditionOf, type ExpressionNode, nodesOf } from '#lib/workflow/expressions/expression.ts';
import { inputOf } from '#lib/workflow/model/action-uses.ts';
import type { Job, Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { commandsOf } from '#lib/workflow/shell/shell.ts';
import { joinList } from '#lib/workflow/text/join-list.ts';
import { defineRule, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';
import { checkoutFact } from '../shared/shared-facts.ts';
import { isReachedWithPrivileges } from '../shared/when.ts';

type Message = 'standing' | 'forgeable' | 'vacuous';

export const improperAccessControl = defineRule({
  id: 'improper-access-control',
  meta: {
    title: 'Bypassable access check before a privileged run',
    why: 'A label approves the code at the time a member sets it, but stays on the pull request when the author pushes again. The author chooses the branch name and title, and a check of a field that the event lacks compares with nothing.',
    attack:
      'The author gets a harmless change labelled and then pushes a malicious one, or simply picks a branch name or title that satisfies the condition. The privileged run then starts on their code.',
    recommendation:
      'Start label-gated jobs only on `types: [labeled]`, check out `github.event.pull_request.head.sha`, and remove the label at the end. Check `head.repo.full_name == github.repository` or the author instead of names that the author chooses.',
    limits:
      'Only checks before a checkout or a merge of the pull request are analysed. Checks inside scripts and third-party actions are not read.',
    severity: 'HIGH',
    confidence: 'high',
    category: 'CICD-SEC-4',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://securitylab.github.com/resources/github-actions-preventing-pwn-requests/',
      'https://docs.github.com/actions/reference/workflows-and-actions/events-that-trigger-workflows#pull_request_target',
    ],
    messages: {
      standing:
        'The label stays when the author pushes again: on {{types}}, this job checks out unreviewed code with {{held}}.',
      forgeable:
        'The author of a pull request chooses {{field}}, so this condition cannot keep them out of a job with {{held}}.',
      vacuous: 'The {{event}} payload has no pull request, so this check always passes there; the job holds {{held}}.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on:
            pull_request_target:
              types: [opened, synchronize, labeled]
          jobs:
            test:
              # expect: standing
              if: contains(github.event.pull_request.labels.*.name, 'safe to test')
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: npm ci && npm test
                  env: { TOKEN: "\${{ secrets.TOKEN }}" }
            release:
              # expect: forgeable
              if: startsWith(github.head_ref, 'release/')
              runs-on: ubuntu-latest
              permissions: { contents: write }
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
            merge:
              # expect: forgeable
              if: contains(github.event.pull_request.title, '[bot]')
              runs-on: ubuntu-latest
              permissions: { contents: write }
              steps:
                - run: gh pr merge --auto "\${{ github.event.number }}"
        `,
      },
      {
        yaml: yaml`
          on: [pull_request_target, issue_comment]
          jobs:
            test:
              # expect: vacuous
              if: github.event.pull_request.head.repo.fork == false
              runs-on: ubuntu-latest
              steps:
                - run: gh pr checkout "\${{ github.event.number || github.event.issue.number }}" && make
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on:
            pull_request_target:
              types: [opened, synchronize, labeled]
          jobs:
            this-label:
              if: github.event.action == 'labeled' && contains(github.event.pull_request.labels.*.name, 'safe')
              runs-on: ubuntu-latest
              steps: &test
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: npm test
                  env: { TOKEN: "\${{ secrets.TOKEN }}" }
            by-name:
              if: github.event.label.name == 'safe'
              runs-on: ubuntu-latest
              steps: *test
            ours:
              if: contains(github.event.pull_request.labels.*.name, 'run') && github.event.pull_request.head.repo.full_name == github.repository
              runs-on: ubuntu-latest
              steps: *test
            no-checkout:
              if: contains(github.event.pull_request.labels.*.name, 'changelog')
              runs-on: ubuntu-latest
              steps:
                - run: gh pr comment "$NUMBER" --body "Please add a line to the changelog"
                  env: { NUMBER: "\${{ github.event.number }}", GH_TOKEN: "\${{ secrets.BOT }}" }
            opened-without-labels:
              if: github.event.action == 'opened' && contains(github.event.pull_request.labels.*.name, 'safe')
              runs-on: ubuntu-latest
              steps: *test
            not-this-branch:
              if: "!startsWith(github.head_ref, 'release/')"
              runs-on: ubuntu-latest
              steps:
                - uses: actions/labeler@v5
        `,
      },
      {
        yaml: yaml`
          on:
            pull_request_target:
              types: [labeled]
          jobs:
            test:
              if: contains(github.event.pull_request.labels.*.name, 'safe')
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: npm test
        `,
      },
    ],
  },
  when: isReachedWithPrivileges,
  check: { workflow: check },
});

function* check(workflow: Workflow, { repository }: RuleContext): Generator<Report<Message>> {
  for (const job of workflow.jobs) {
    if (privilegedOutsiderEvents(job, repository).length === 0) continue;
    const checkouts = outsiderCheckouts(job, repository);
    const standing = standingLabel(job, checkouts, repository);
    if (standing !== undefined) yield standing;
    yield* weakTests(job, checkouts, repository);
  }
}

function standingLabel(
  job: Job,
  checkouts: readonly OutsiderCheckout[],
  repository: Repository,
): Report<Message> | undefined {
  const checkout = checkouts.find(
    (found) =>
      PULL_REQUEST_EVENTS.has(found.event) && approvalBefore(found.step, found, repository) === 'standing-label',
  );
  if (checkout === undefined) return undefined;
  const later = scenariosOf(checkout).filter(
    (scenario) => scenario.action !== 'labeled' && scenario.action !== 'opened' && mayRun(checkout.step, scenario),
  );
  const gates = [checkout.step, job, ...neededJobs(job), ...neededJobs(job).flatMap(({ steps }) => steps)];
  const gate = gates.find(({ condition }) => condition?.value.includes('label') === true);
  return {
    message: 'standing',
    data: { types: joinList(later.flatMap(({ action }) => action ?? [])), held: heldBy(job) },
    at: job,
    span: gate?.condition?.span ?? job.idSpan,
    facts: [checkoutFact(checkout)],
    severity: severityOf(job, checkout, repository),
    attributes: { gate: 'label', guard: checkout.guard, trigger_trust: 'outsider' },
  };
}

function severityOf(job: Job, checkout: OutsiderCheckout, repository: Repository): Severity {
  if (isGuarded(checkout) || privilegesOf(job).held.length === 0) return 'LOW';
  const executed = executionsAfter(checkout, checkoutsIn(job, checkout, repository));
  return executed.some(({ runs }) => runs === 'certain') ? 'HIGH' : 'MEDIUM';
}

const AUTHORED =
  /^github\.(?:head_ref|event\.(?:pull_request\.(?:head\.(?:ref|label)|title|body)|workflow_run\.(?:head_branch|display_title|head_commit\.message)))$/;

function* weakTests(
  job: Job,
  checkouts: readonly OutsiderCheckout[],
  repository: Repository,
): Generator<Report<Message>> {
  const { condition } = job;
  if (condition === undefined || privilegesOf(job).held.length === 0) return;
  const { node } = conditionOf(condition);
  if (node === undefined) return;
  const guarded = checkouts.length > 0 && checkouts.every(isGuarded);
  const at = { at: job, span: condition.span } as const;
  const field = authoredField(node);
  const open = privilegedOutsiderEvents(job, repository).some(
    (event) => approvalBefore(job, event, repository) === undefined,
  );
  if (field !== undefined && open && (checkouts.length > 0 || merges(job))) {
    yield {
      ...at,
      message: 'forgeable',
      data: { field, held: heldBy(job) },
      severity: guarded ? 'LOW' : 'MEDIUM',
      attributes: { gate: 'author', trigger_trust: 'outsider' },
    };
  }
  const vacuous = checkouts.find(({ event }) => passesEmpty(node, event));
  if (vacuous !== undefined) {
    yield {
      ...at,
      message: 'vacuous',
      data: { event: vacuous.event, held: heldBy(job) },
      severity: severityOf(job, vacuous, repository),
      attributes: { gate: 'absent-field', trigger_trust: 'outsider' },
    };
  }
}

function authoredField(node: ExpressionNode): string | undefined {
  if (node.type === 'and' || node.type === 'or') {
    for (const arg of node.args) {
      const found = authoredField(arg);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  const tests =
    (node.type === 'compare' && node.operator === '==') ||
    (node.type === 'call' && (node.name === 'startswith' || node.name === 'contains' || node.name === 'endswith'));
  if (!tests) return undefined;
  const path = node.args
    .flatMap((arg) => (arg.type === 'access' ? [arg.path.join('.')] : []))
    .find((name) => AUTHORED.test(name));
  return node.args.some((arg) => arg.type === 'literal') ? path : undefined;
}

function merges(job: Job): boolean {
  return job.steps.some(
    (step) =>
      commandsOf(step).some(({ text }) => /^gh pr (?:merge|review\b.*--approve)\b/.test(text)) ||
      /pulls\.merge\b/.test(inputOf(step, 'script')?.value ?? ''),
  );
}

function passesEmpty(condition: ExpressionNode, event: string): boolean {
  if (PULL_REQUEST_EVENTS.has(event)) return false;
  return nodesOf(condition).some(
    (node) =>
      node.type === 'compare' &&
      node.args.some(
        (arg) => arg.type === 'access' && arg.path.join('.') === 'github.event.pull_request.head.repo.fork',
      ) &&
      evaluates(node, { event }) === true,
  );
}
