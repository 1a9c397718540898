import {
  type Checkout,
  checkoutsIn,
  type EventOf,
  type OutsiderCheckout,
  outsiderCheckouts,
} from '#lib/analysis/checkouts/checkouts.ts';
import { heldBy, privilegesOf } from '#lib/analysis/privileges/describe-privileges.ts';
import { approvalBefore } from '#lib/analysis/reachability/approvals.ts';
import { directTriggers } from '#lib/analysis/reachability/callers.ts';
import { guardOf } from '#lib/analysis/reachability/refused-checkouts.ts';
import { isOnlyData } from '#lib/analysis/workspace/data-only.ts';
import { executionsAfter } from '#lib/analysis/workspace/workspace-execution.ts';
import { CHECKOUT_RELEASES } from '#lib/data/curated/checkout-guard.ts';
import { removeKey } from '#lib/workflow/edits/keys.ts';
import { actionOf, inputOf, isFalse } from '#lib/workflow/model/action-uses.ts';
import type { Job, Step, Text, Uses, Workflow } from '#lib/workflow/model/model.ts';
import { GITHUB_COM } from '#lib/workflow/model/platform.ts';
import { isFullSha } from '#lib/workflow/model/reference.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Fix, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';
import { editUses, pinTo } from '../remedies/pin.ts';
import { checkoutFact } from '../shared/shared-facts.ts';

type Message = 'open' | 'closed' | 'needless' | 'outdated';

const INPUT = 'allow-unsafe-pr-checkout';

export const unsafePrCheckoutOptIn = defineRule({
  id: 'unsafe-pr-checkout-opt-in',
  meta: {
    title: 'Fork guard of actions/checkout is disabled or missing',
    why: 'Since mid-2026, actions/checkout refuses to check out a fork’s pull request in pull_request_target and workflow_run runs, because those runs hold the repository’s token and secrets. The input allow-unsafe-pr-checkout disables this guard, and older pinned releases do not have it.',
    attack:
      'Without the guard, a pull request from any fork is checked out in a privileged run, and the next step that executes something from it runs the attacker’s code.',
    recommendation:
      'Remove the input if the pull request’s code is not needed, or move that work to a `pull_request` workflow. Upgrade older pins to v2.8.0, v3.7.0, v4.4.0, v5.1.0, v6.1.0 or newer.',
    limits:
      'Composite actions, and reusable workflows called from other repositories, are not checked because the events that start them are not known. GitHub Enterprise Server may serve older releases under the same tag. A checkout of which no file runs is LOW where only git and tools that copy, filter or read data use it, or where the token can only change conversations.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-4',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://github.com/actions/checkout',
      'https://docs.github.com/actions/reference/security/secure-use#mitigating-the-risks-of-untrusted-code-checkout',
    ],
    messages: {
      open: 'The fork guard is disabled for {{source}}, so {{event}} runs can check out fork code with {{held}}.',
      closed: 'The fork guard is disabled for {{source}}; only the workflow’s conditions keep outsiders out.',
      needless: 'The fork guard is disabled although this step checks out the repository’s own code.',
      outdated:
        'actions/checkout {{version}} is older than the fork guard, and {{event}} runs can check out fork code here; {{guarded}} has the guard.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: pull_request_target
          jobs:
            read:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with:
                    ref: \${{ github.event.pull_request.head.sha }}
                    # expect: open LOW
                    allow-unsafe-pr-checkout: true
            scan:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with:
                    ref: \${{ github.event.pull_request.head.sha }}
                    # expect: open MEDIUM
                    allow-unsafe-pr-checkout: true
                - run: scan .
            maybe:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with:
                    ref: \${{ github.event.pull_request.head.sha }}
                    # expect: open HIGH
                    allow-unsafe-pr-checkout: \${{ vars.UNSAFE }}
                - run: npm test
            ours:
              if: github.event.pull_request.head.repo.full_name == github.repository
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with:
                    ref: \${{ github.event.pull_request.head.sha }}
                    # expect: closed
                    allow-unsafe-pr-checkout: true
        `,
      },
      {
        yaml: yaml`
          on: pull_request_target
          jobs:
            label:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6
                  with:
                    persist-credentials: false
                    # expect: needless
                    allow-unsafe-pr-checkout: true
            look:
              runs-on: ubuntu-latest
              steps:
                # expect: outdated
                - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0, pinned
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                # expect: outdated
                - uses: "actions/checkout@v4.1.0"
                  with: { ref: "refs/pull/\${{ github.event.number }}/merge" }
        `,
        fixed: yaml`
          on: pull_request_target
          jobs:
            label:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v6
                  with:
                    persist-credentials: false
                    # expect: needless
            look:
              runs-on: ubuntu-latest
              steps:
                # expect: outdated
                - uses: actions/checkout@fbc6f3992d24b796d5a048ff273f7fcc4a7b6c09 # v5.1.0, pinned
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                # expect: outdated
                - uses: "actions/checkout@v4.4.0"
                  with: { ref: "refs/pull/\${{ github.event.number }}/merge" }
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: [pull_request_target, issue_comment]
          jobs:
            guarded:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - uses: actions/checkout@d23441a48e516b6c34aea4fa41551a30e30af803 # v6.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}", allow-unsafe-pr-checkout: false }
            base:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0
            guard-does-not-apply:
              if: github.event_name == 'issue_comment'
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "refs/pull/\${{ github.event.issue.number }}/head" }
        `,
      },
      {
        yaml: yaml`
          on: { pull_request_target: { types: [closed] } }
          jobs:
            merged:
              if: github.event.pull_request.merged
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with: { fetch-depth: 0, allow-unsafe-pr-checkout: true }
        `,
      },
      {
        yaml: yaml`
          on: pull_request
          jobs:
            inert:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with: { fetch-depth: 0, allow-unsafe-pr-checkout: true }
        `,
      },
    ],
  },
  check: { workflow: check },
});

function* check(workflow: Workflow, { repository }: RuleContext): Generator<Report<Message>> {
  const events = guardedEvents(workflow, repository);
  if (events.length === 0) return;
  for (const job of workflow.jobs) {
    for (const step of job.steps) {
      if (actionOf(step)?.slug !== 'actions/checkout') continue;
      const optIn = inputOf(step, INPUT);
      const open = outsiderCheckouts(job, repository).find((checkout) => checkout.step === step);
      const report =
        optIn !== undefined && !isFalse(optIn)
          ? optedIn(step, job, optIn, open, events, repository)
          : open && outdated(step, open);
      if (report !== undefined) yield report;
    }
  }
}

function guardedEvents(workflow: Workflow, repository: Repository): EventOf[] {
  return directTriggers(workflow, repository).filter(
    ({ event }) => event === 'pull_request_target' || event === 'workflow_run',
  );
}

function optedIn(
  step: Step,
  job: Job,
  optIn: Text,
  open: OutsiderCheckout | undefined,
  events: readonly EventOf[],
  repository: Repository,
): Report<Message> | undefined {
  if (open !== undefined) {
    const all = checkoutsIn(job, open, repository);
    return {
      message: 'open',
      data: { source: open.foreign.source, event: open.event, held: heldBy(job) },
      at: step,
      span: optIn.span,
      facts: [checkoutFact(open)],
      severity: openSeverity(job, open, all, repository),
      attributes: { guard: 'opted-out', ref_kind: open.foreign.ref, events: open.events, trigger_trust: 'outsider' },
    };
  }
  const named = events.flatMap((event) => checkoutsIn(job, event, repository)).filter((found) => found.step === step);
  const foreign = named.find((found) => found.foreign !== undefined)?.foreign;
  if (foreign !== undefined) {
    return { message: 'closed', data: { source: foreign.source }, at: step, span: optIn.span, severity: 'INFO' };
  }
  // After a merge, the base’s head is the pull request’s merge commit, which the guard refuses too.
  const misfires = events.some(({ event, trigger }) => event !== 'pull_request_target' || hasClosed(trigger.types));
  return misfires
    ? undefined
    : { message: 'needless', at: step, span: optIn.span, severity: 'LOW', fix: withoutInput(step) };
}

function hasClosed(types: readonly string[] | undefined): boolean {
  return types?.includes('closed') === true;
}

function openSeverity(job: Job, open: OutsiderCheckout, all: readonly Checkout[], repository: Repository): Severity {
  const { held, strong } = privilegesOf(job);
  if (held.length === 0) return 'INFO';
  if (approvalBefore(open.step, open, repository) !== undefined) return 'LOW';
  const executed = executionsAfter(open, all);
  if (executed.some(({ runs }) => runs === 'certain')) return 'HIGH';
  return executed.length === 0 && (isOnlyData(open) || !strong) ? 'LOW' : 'MEDIUM';
}

function withoutInput(step: Step): Fix | undefined {
  const block = step.mapping.entries.get('with')?.value;
  const input = step.with?.get(INPUT);
  const edit = block?.kind === 'mapping' && input !== undefined ? removeKey(block, input.name) : undefined;
  return edit && { safety: 'review', edits: [edit] };
}

function outdated(step: Step, open: OutsiderCheckout): Report<Message> | undefined {
  const action = actionOf(step);
  const guardApplies = open.event === 'pull_request_target' || open.event === 'workflow_run';
  if (action === undefined || !guardApplies || guardOf(step, { platform: GITHUB_COM }) !== 'absent') return undefined;
  const release = CHECKOUT_RELEASES.find(({ tag, sha }) => action.ref === tag || action.ref.toLowerCase() === sha);
  if (release === undefined) return undefined;
  const major = release.tag.split('.')[0] ?? '';
  const guarded = CHECKOUT_RELEASES.find((other) => other.guarded && other.tag.startsWith(`${major}.`));
  if (guarded === undefined || step.uses === undefined) return undefined;
  return {
    message: 'outdated',
    data: { version: release.tag, event: open.event, guarded: guarded.tag },
    at: step,
    span: step.uses.text.span,
    facts: [checkoutFact(open)],
    severity: 'LOW',
    fix: raised(step.uses, action, guarded),
    attributes: { guard: 'absent', ref_kind: open.foreign.ref, events: open.events, trigger_trust: 'outsider' },
  };
}

function raised(
  uses: Uses,
  { ref, refStart }: { readonly ref: string; readonly refStart: number },
  guarded: { readonly tag: string; readonly sha: string },
): Fix | undefined {
  if (isFullSha(ref)) return pinTo(uses, guarded.sha, guarded.tag, 'review');
  return editUses(uses, { start: refStart, end: refStart + ref.length }, guarded.tag, 'review');
}
