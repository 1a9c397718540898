import { isGuarded, outsiderCheckouts } from '#lib/analysis/checkouts/checkouts.ts';
import { isFromRun, taintsIn } from '#lib/analysis/dataflow/taint.ts';
import type { Taint } from '#lib/analysis/dataflow/taint-order.ts';
import { memoInRepository } from '#lib/analysis/memo.ts';
import { heldBy, privilegesIn } from '#lib/analysis/privileges/describe-privileges.ts';
import { type Approval, approvalBefore, isLabelled } from '#lib/analysis/reachability/approvals.ts';
import { type PlacedStep, withInnerSteps } from '#lib/analysis/reachability/composites.ts';
import { BY_COLLABORATORS } from '#lib/analysis/reachability/events.ts';
import {
  type OutsiderEvent,
  privilegedOutsiderEvents,
  scenariosOf,
} from '#lib/analysis/reachability/outsider-reach.ts';
import { isOnlyData } from '#lib/analysis/workspace/data-only.ts';
import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import type { Job, Step, Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { commandsOf } from '#lib/workflow/shell/shell.ts';
import { joinList } from '#lib/workflow/text/join-list.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';
import { checkoutFact, type FactKind, factOf } from '../shared/shared-facts.ts';
import { isReachedWithPrivileges } from '../shared/when.ts';

type Message = 'exposed' | 'mitigated';

export const dangerousTriggers = defineRule({
  id: 'dangerous-triggers',
  meta: {
    title: 'Privileged job triggered by outsiders handles their content',
    why: 'Events such as pull_request_target, workflow_run and issue_comment run with the base repository’s token and secrets although anyone can trigger them. That is safe for a job that only labels or greets, but not for one that touches the outsider’s code, files or text.',
    attack:
      'An attacker opens a pull request, an issue or a comment, and so chooses when a privileged run starts and what it works on. Any mistake in that job becomes exploitable.',
    recommendation:
      'Use `pull_request` if no privileges are needed. Otherwise split the work: an unprivileged workflow handles the content, and a `workflow_run` workflow uses the privileges and treats the result as data. Grant the job only the permissions it uses.',
    limits:
      'A job that does not check out outside code, download artifacts, interpolate event text into a script or start an AI agent is considered harmless. What third-party actions do with the event is not analysed. A job in which only git and tools that copy, filter or read data use a checkout is LOW.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-4',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/workflows-and-actions/events-that-trigger-workflows',
      'https://securitylab.github.com/resources/github-actions-preventing-pwn-requests/',
    ],
    messages: {
      exposed: 'Anyone can start the job {{job}} ({{event}}). It {{exposure}} and holds {{held}}.',
      mitigated:
        'Anyone can trigger {{event}}, on which the job {{job}} {{exposure}} and holds {{held}}. Mitigated: {{mitigation}}.',
    },
  },
  examples: {
    bad: [
      {
        yaml: {
          '.github/workflows/wiki.yml': yaml`
            on: gollum
            permissions: { contents: write }
            jobs:
              # expect: mitigated LOW
              wiki:
                runs-on: ubuntu-latest
                steps:
                  - run: git commit -m "\${{ github.event.pages[0].title }}"
          `,
          '.github/workflows/both.yml': yaml`
            on: [gollum, issues]
            permissions: { contents: write }
            jobs:
              # expect: exposed MEDIUM
              both:
                runs-on: ubuntu-latest
                steps:
                  - run: git commit -m "\${{ github.event.pages[0].title || github.event.issue.title }}"
          `,
        },
      },
      {
        yaml: yaml`
          on: [pull_request_target, issue_comment]
          jobs:
            # expect: exposed
            build:
              runs-on: ubuntu-latest
              permissions: { contents: write }
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: scan .
            # expect: mitigated
            compare:
              runs-on: ubuntu-latest
              permissions: { contents: write }
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: git diff --stat origin/main
            # expect: exposed
            reply:
              runs-on: ubuntu-latest
              steps:
                - run: echo "\${{ github.event.comment.body }}"
                - run: ./deploy.sh
                  env: { TOKEN: "\${{ secrets.DEPLOY_TOKEN }}" }
            # expect: mitigated
            guarded:
              runs-on: ubuntu-latest
              permissions: { id-token: write }
              steps:
                - uses: actions/checkout@v7
                  if: github.event_name == 'pull_request_target'
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
            # expect: mitigated
            protected:
              environment: preview
              runs-on: ubuntu-latest
              steps:
                - run: gh pr checkout \${{ github.event.issue.number }}
            # expect: mitigated
            few-rights:
              runs-on: ubuntu-latest
              permissions: { issues: write }
              steps:
                - run: echo "\${{ github.event.comment.body }}"
        `,
      },
      {
        yaml: yaml`
          on: { workflow_run: { workflows: [CI], types: [completed] } }
          jobs:
            # expect: mitigated
            publish:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/download-artifact@v5
                  with: { name: site, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                - run: ./publish
                  env: { TOKEN: "\${{ secrets.SITE_TOKEN }}" }
        `,
      },
      {
        yaml: {
          '.github/workflows/reply.yml': yaml`
            on: issue_comment
            jobs:
              # expect: exposed
              reply:
                runs-on: ubuntu-latest
                steps:
                  - uses: ./.github/actions/greet
                  - run: ./deploy.sh
                    env: { TOKEN: "\${{ secrets.DEPLOY_TOKEN }}" }
          `,
          '.github/actions/greet/action.yml': yaml`
            name: Greet
            description: Thanks for a comment
            runs:
              using: composite
              steps:
                - run: echo "\${{ github.event.comment.body }}"
                  shell: bash
          `,
        },
      },
    ],
    good: [
      {
        yaml: yaml`
          on: [pull_request_target, issues]
          permissions: { contents: read, pull-requests: write, issues: write }
          jobs:
            label:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/labeler@v5
            greet:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/first-interaction@v3
                  with: { repo-token: "\${{ secrets.BOT_TOKEN }}", pr-message: Hello }
                - uses: actions/github-script@v8
                  with:
                    script: |
                      github.rest.issues.addLabels({ ...context.repo, issue_number: context.issue.number, labels: ['new'] })
            agent-for-members:
              runs-on: ubuntu-latest
              steps:
                - uses: anthropics/claude-code-action@v1
                  with: { anthropic_api_key: "\${{ secrets.ANTHROPIC_API_KEY }}" }
            base:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                - run: npm ci && node check-title.js "$TITLE"
                  env: { TITLE: "\${{ github.event.pull_request.title }}", TOKEN: "\${{ secrets.TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: pull_request_target
          permissions: {}
          jobs:
            nothing-to-take:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
            own-branches:
              if: github.event.pull_request.head.repo.fork == false
              permissions: { contents: write }
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.1.0
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
        `,
      },
      {
        yaml: yaml`
          on: { workflow_run: { workflows: [Release], types: [completed] } }
          jobs:
            notify:
              if: github.event.workflow_run.event == 'push'
              runs-on: ubuntu-latest
              steps:
                - uses: actions/download-artifact@v5
                  with: { run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ secrets.TOKEN }}" }
        `,
      },
    ],
  },
  when: isReachedWithPrivileges,
  check: { workflow: check },
});

function* check(workflow: Workflow, { repository }: RuleContext): Generator<Report<Message>> {
  for (const job of workflow.jobs) {
    const events = privilegedOutsiderEvents(job, repository);
    const [first] = events;
    if (first === undefined || privilegesIn(job, events.flatMap(scenariosOf)).held.length === 0) continue;
    const exposures = exposuresOf(job, repository);
    if (exposures.length > 0) yield report(job, events, first, exposures, repository);
  }
}

interface Exposure {
  readonly facts: readonly string[];
  readonly text: string;
  readonly guarded?: boolean;
  /** Reading files is how split workflows are meant to work; other rules report their misuse. */
  readonly filesOnly?: boolean;
  readonly dataOnly?: boolean;
}

function exposuresOf(job: Job, repository: Repository): Exposure[] {
  const exposures: Exposure[] = [];
  const checkouts = outsiderCheckouts(job, repository);
  if (checkouts.length > 0) {
    exposures.push({
      text: 'checks out the pull request’s code',
      facts: checkouts.map(checkoutFact),
      guarded: checkouts.every(isGuarded),
      dataOnly: checkouts.every(isOnlyData),
    });
  }
  const steps = job.steps.filter((step) => privilegedOutsiderEvents(step, repository).length > 0);
  const add = (kind: FactKind, text: string, found: readonly Step[], filesOnly = false): void => {
    if (found.length > 0) exposures.push({ text, filesOnly, facts: found.map((step) => factOf(kind, step)) });
  };
  const reading = steps.filter((step) => readsArtifacts(step, repository));
  add('download', 'reads files from the triggering run', reading, true);
  const pasting = withInnerSteps(steps, repository).filter((placed) => pastesText(placed, repository));
  add('text', 'interpolates event text into a script', [...new Set(pasting.map(({ step, caller = step }) => caller))]);
  add('agent', 'starts an AI agent', steps.filter(startsAgent));
  return exposures;
}

const DOWNLOADERS: ReadonlySet<string> = new Set(['actions/download-artifact', 'dawidd6/action-download-artifact']);

/** Agents that read the triggering item themselves, with the input that admits users without write access; undefined if the action never checks. */
const AGENTS: ReadonlyMap<string, string | undefined> = new Map([
  ['anthropics/claude-code-action', 'allowed_non_write_users'],
  ['anthropics/claude-code-base-action', undefined],
  ['google-github-actions/run-gemini-cli', undefined],
  ['openai/codex-action', 'allow-users'],
]);

function startsAgent(step: Step): boolean {
  const slug = actionOf(step)?.slug ?? '';
  if (!AGENTS.has(slug)) return false;
  const opening = AGENTS.get(slug);
  return opening === undefined || inputOf(step, opening) !== undefined;
}

function readsArtifacts(step: Step, repository: Repository): boolean {
  if (!privilegedOutsiderEvents(step, repository).some(({ event }) => event === 'workflow_run')) return false;
  const action = actionOf(step);
  if (action?.slug === 'actions/github-script') return /downloadArtifact/.test(inputOf(step, 'script')?.value ?? '');
  if (action !== undefined) {
    const other = inputOf(step, 'run-id') ?? inputOf(step, 'run_id') ?? inputOf(step, 'workflow');
    return DOWNLOADERS.has(action.slug) && other !== undefined;
  }
  return commandsOf(step).some(({ program, text }) => program === 'gh' && /\brun download\b/.test(text));
}

function pastesText({ step, caller }: PlacedStep, repository: Repository): boolean {
  const pasted = textsPasted(step, repository);
  return caller === undefined ? pasted.length > 0 : pasted.some((taint) => isFromRun(taint, caller, repository));
}

const textsPasted = memoInRepository((step: Step, repository): readonly Taint[] => {
  const script = step.run ?? (actionOf(step)?.slug === 'actions/github-script' ? inputOf(step, 'script') : undefined);
  if (script === undefined) return [];
  return taintsIn(script, step, repository).filter(
    ({ writer, reach, text }) => writer === 'outsider' && reach === 'outsider-privileged' && text !== 'structured',
  );
});

function report(
  job: Job,
  events: readonly OutsiderEvent[],
  first: OutsiderEvent,
  exposures: readonly Exposure[],
  repository: Repository,
): Report<Message> {
  const privileges = privilegesIn(job, events.flatMap(scenariosOf));
  const { strong, assumed } = privileges;
  const approvals = events.map((event) => approvalBefore(job, event, repository));
  const approval = approvals.includes(undefined) ? undefined : approvals[0];
  const mitigations: string[] = [];
  if (approval !== undefined) mitigations.push(APPROVALS[approval]);
  if (exposures.every(({ guarded }) => guarded === true)) mitigations.push('actions/checkout refuses fork code here');
  if (exposures.every(({ filesOnly }) => filesOnly === true))
    mitigations.push('files are harmless unless they are run or trusted');
  if (exposures.some(({ dataOnly }) => dataOnly === true) && exposures.every((each) => each.dataOnly || each.filesOnly))
    mitigations.push('only git and tools that copy, filter or read data use the checkout');
  if (events.every(({ event }) => BY_COLLABORATORS.has(event)))
    mitigations.push('by default only collaborators can edit the wiki of a public repository');
  if (!strong) mitigations.push('the token cannot change code');
  const message = mitigations.length === 0 ? 'exposed' : 'mitigated';
  return {
    message,
    data: {
      job: job.id,
      event: joinList([...new Set(events.map(({ event }) => event))]),
      exposure: joinList(exposures.map(({ text }) => text)),
      held: heldBy(job, privileges),
      ...(message === 'exposed' ? {} : { mitigation: joinList(mitigations) }),
    },
    at: job,
    span: job.idSpan,
    facts: exposures.flatMap(({ facts }) => facts),
    severity: message === 'exposed' ? 'MEDIUM' : 'LOW',
    confidence: assumed ? 'medium' : 'high',
    attributes: {
      events: events.map(({ event }) => event),
      types: first.trigger.types ?? [],
      trigger_trust: isLabelled(approval) ? 'maintainer' : 'outsider',
    },
  };
}

const APPROVALS: Readonly<Record<Approval, string>> = {
  label: 'a label must be set first',
  'standing-label': 'a label must be set once',
  elsewhere: 'a workflow of another repository may check who started it',
  permission: 'a step checks the permission of whoever triggered it',
  environment: 'an environment may require approval',
};
