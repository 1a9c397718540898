import { agentsOf } from '#lib/analysis/agents/catalog.ts';
import { exposureOf } from '#lib/analysis/agents/exposure.ts';
import { outsideInput } from '#lib/analysis/agents/input.ts';
import { checkoutsIn, isGuarded, outsiderCheckouts } from '#lib/analysis/checkouts/checkouts.ts';
import { evalSinksOf } from '#lib/analysis/dataflow/eval-sinks.ts';
import { scriptSinksOf } from '#lib/analysis/dataflow/script-sinks.ts';
import { isFromRun, taintsIn } from '#lib/analysis/dataflow/taint.ts';
import type { Taint } from '#lib/analysis/dataflow/taint-order.ts';
import { eventOf } from '#lib/analysis/dataflow/taint-order.ts';
import { oidcRight } from '#lib/analysis/privileges/oidc.ts';
import { type Approval, approvalBefore } from '#lib/analysis/reachability/approvals.ts';
import { withInnerSteps } from '#lib/analysis/reachability/composites.ts';
import { BY_COLLABORATORS } from '#lib/analysis/reachability/events.ts';
import { mayRun, privilegedOutsiderEvents, scenariosOf } from '#lib/analysis/reachability/outsider-reach.ts';
import { isBehindRefusedCheckout } from '#lib/analysis/reachability/refused-checkouts.ts';
import { type ArtifactUse, useOf } from '#lib/analysis/workspace/artifact-consumers.ts';
import { foreignDownloads } from '#lib/analysis/workspace/artifacts.ts';
import { executionsAfter } from '#lib/analysis/workspace/workspace-execution.ts';
import { type Job, type Step, sourceOf, type Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { type Confidence, defineRule, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';
import { isReachedWithPrivileges } from '../shared/when.ts';

type Message = 'code' | 'text' | 'artifact' | 'agent';

export const oidcExposedToUntrustedTrigger = defineRule({
  id: 'oidc-exposed-to-untrusted-trigger',
  meta: {
    title: 'OIDC token available to untrusted code',
    why: 'With `id-token: write`, any code in the job can request a token that identifies the repository and workflow. Clouds, registries and signing services trust that token. When an outsider’s event runs with the base repository’s permissions, the token speaks for the default branch.',
    attack:
      'An outsider’s code, title or artifact is executed in the job, requests a token, and logs in to the cloud, publishes a package or signs a build in the project’s name.',
    recommendation:
      'Move whatever needs the token to a separate job that runs nothing untrusted, or behind an environment that the trust policy names and that requires approval.',
    limits:
      'What the token grants is decided by the cloud or registry and not known here. Fork `pull_request` runs cannot get such a token and are not reported.',
    severity: 'HIGH',
    confidence: 'high',
    category: 'CICD-SEC-2',
    surface: 'workflow',
    rulesets: ['owasp', 'slsa-build-l2'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/concepts/security/openid-connect',
      'https://docs.github.com/actions/reference/security/oidc',
      'https://securitylab.github.com/resources/github-actions-preventing-pwn-requests/',
    ],
    messages: {
      code: 'The job {{job}} can request OIDC tokens, and {{what}} in line {{line}} runs code that anyone can submit through {{event}}{{approval}}.',
      text: 'The job {{job}} can request OIDC tokens, and {{what}}, which anyone can set through {{event}}, is executed as code in line {{line}}{{approval}}.',
      artifact:
        'The job {{job}} can request OIDC tokens, and downloads an artifact that a fork can create in line {{line}}; {{what}} then trusts it.',
      agent:
        'The job {{job}} can request OIDC tokens, and runs {{what}} with shell access in line {{line}} on text that anyone can write through {{event}}.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: gollum
          permissions:
            # expect: text MEDIUM
            id-token: write
          jobs:
            wiki:
              runs-on: ubuntu-latest
              steps:
                - run: echo "\${{ github.event.pages[0].title }}"
        `,
      },
      {
        yaml: yaml`
          on: pull_request_target
          permissions:
            contents: read
          jobs:
            preview:
              permissions:
                contents: read
                # expect: code
                id-token: write
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.2.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: npm ci && npm run build
                - uses: aws-actions/configure-aws-credentials@v5
                  with: { role-to-assume: "arn:aws:iam::402918374650:role/preview", aws-region: eu-west-1 }
        `,
      },
      {
        yaml: {
          '.github/workflows/outsiders.yml': yaml`
            on:
              issues: { types: [opened] }
              workflow_run: { workflows: [Build] }
            # expect: text, artifact, agent
            permissions: write-all
            jobs:
              title:
                if: github.event_name == 'issues'
                runs-on: ubuntu-latest
                steps:
                  - run: echo "\${{ github.event.issue.title }}"
              report:
                if: github.event_name == 'workflow_run'
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/download-artifact@v4
                    with: { name: site, path: out, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: bash out/deploy.sh
              triage:
                if: github.event_name == 'issues'
                runs-on: ubuntu-latest
                steps:
                  - uses: google-github-actions/run-gemini-cli@v0
                    with: { prompt: "Triage: \${{ github.event.issue.body }}" }
          `,
          '.github/workflows/build.yml': yaml`
            name: Build
            on: pull_request
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/upload-artifact@v4
                    with: { name: site, path: out }
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/outsiders.yml': yaml`
            on: { issues: { types: [opened] } }
            # expect: text
            permissions: write-all
            jobs:
              title:
                runs-on: ubuntu-latest
                steps:
                  - uses: ./.github/actions/title
          `,
          '.github/actions/title/action.yml': yaml`
            name: Title
            description: Prints the title
            runs:
              using: composite
              steps:
                - run: echo "\${{ github.event.issue.title }}"
                  shell: bash
          `,
        },
      },
    ],
    good: [
      {
        yaml: {
          '.github/workflows/outsiders.yml': yaml`
            on: { issues: { types: [opened] }, push: {} }
            jobs:
              title:
                if: github.event_name == 'issues'
                runs-on: ubuntu-latest
                permissions: {}
                steps:
                  - uses: ./.github/actions/title
                    with: { title: "\${{ github.event.issue.title }}" }
              release:
                if: github.event_name == 'push'
                runs-on: ubuntu-latest
                permissions: { id-token: write }
                steps:
                  - uses: ./.github/actions/title
                    with: { title: Release }
          `,
          '.github/actions/title/action.yml': yaml`
            name: Title
            description: Prints the title
            inputs: { title: { description: The title } }
            runs:
              using: composite
              steps:
                - run: echo "\${{ inputs.title }}"
                  shell: bash
                - run: echo "\${{ github.event.issue.title }}"
                  shell: bash
          `,
        },
      },
      {
        yaml: yaml`
          on: pull_request
          permissions: { id-token: write }
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
          on: pull_request_target
          permissions: { contents: read }
          jobs:
            label:
              permissions: { id-token: write }
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.2.2
                - run: ./label.sh "$TITLE"
                  env: { TITLE: "\${{ github.event.pull_request.title }}" }
            read:
              permissions: { id-token: write }
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.2.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}", path: pr }
                - run: git -C pr diff --stat
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.2.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: npm ci
        `,
      },
    ],
  },
  when: isReachedWithPrivileges,
  check: { workflow: check },
});

function* check(workflow: Workflow, { repository }: RuleContext): Generator<Report<Message>> {
  for (const job of workflow.jobs) {
    const right = oidcRight(job, repository);
    if (right === undefined || privilegedOutsiderEvents(job, repository).length === 0) continue;
    const exposure = worstExposure(job, repository);
    if (exposure === undefined) continue;
    const { message, what, event, span, severity, confidence, approval } = exposure;
    yield {
      message,
      data: {
        job: job.id,
        what,
        event: eventOf({ event }),
        line: String(sourceOf(job).position(span.start).line),
        approval: approval === undefined ? '' : `; ${APPROVALS[approval]}`,
      },
      at: job,
      span: right.from === 'caller' ? job.idSpan : right.span,
      severity,
      confidence,
      attributes: { kind: 'oidc', by: message, events: [event], trigger_trust: 'outsider' },
    };
  }
}

interface Exposure {
  readonly message: Message;
  readonly what: string;
  readonly event: string;
  readonly span: Span;
  readonly severity: Severity;
  readonly confidence: Confidence;
  readonly approval?: Approval | undefined;
}

const APPROVALS: Readonly<Record<Approval, string>> = {
  label: 'someone with triage rights must set a label first',
  'standing-label': 'a label that was set once is the only approval',
  elsewhere: 'a workflow of another repository may check who started the run',
  permission: 'an earlier step checks who triggered the run',
  environment: 'an environment may require approval first',
};

const WEAK: ReadonlySet<Approval> = new Set(['elsewhere', 'environment', 'standing-label']);

const ORDER: readonly Severity[] = ['HIGH', 'MEDIUM', 'LOW'];

function worstExposure(job: Job, repository: Repository): Exposure | undefined {
  const found = [
    ...codeExposures(job, repository),
    ...textExposures(job, repository),
    ...artifactExposures(job, repository),
    ...agentExposures(job, repository),
  ];
  return found.sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity))[0];
}

function approved(severity: Severity, approval: Approval | undefined): Severity {
  if (approval === undefined) return severity;
  return severity === 'HIGH' && approval !== undefined && WEAK.has(approval) ? 'MEDIUM' : 'LOW';
}

function* codeExposures(job: Job, repository: Repository): Generator<Exposure> {
  for (const checkout of outsiderCheckouts(job, repository)) {
    if (isGuarded(checkout)) continue;
    const scenarios = scenariosOf(checkout);
    const executions = executionsAfter(checkout, checkoutsIn(job, checkout, repository), (step) =>
      scenarios.some((scenario) => mayRun(step, scenario) && !isBehindRefusedCheckout(step, scenario, repository)),
    );
    const execution = executions.find(({ runs }) => runs === 'certain') ?? executions[0];
    if (execution === undefined) continue;
    const approval = approvalBefore(execution.step, checkout, repository);
    const certain = execution.runs === 'certain';
    yield {
      message: 'code',
      what: execution.what,
      event: checkout.event,
      span: execution.span,
      severity: approved(certain ? 'HIGH' : 'MEDIUM', approval),
      confidence: certain ? 'high' : 'medium',
      approval,
    };
  }
}

function* textExposures(job: Job, repository: Repository): Generator<Exposure> {
  for (const { step, caller = step } of withInnerSteps(job.steps, repository)) {
    const places = [
      ...[...scriptSinksOf(step)].map(({ text }) => ({ taints: taintsIn(text, step, repository), span: text.span })),
      ...evalSinksOf(step, repository),
    ];
    for (const { taints, span } of places) {
      const taint = taints.find(
        (each) => isOutsiders(each) && (caller === step || isFromRun(each, caller, repository)),
      );
      if (taint === undefined) continue;
      const approval = approvalOf(caller, taint, repository);
      yield {
        message: 'text',
        what: taint.source,
        event: taint.event,
        span: caller === step ? span : (caller.uses?.text.span ?? caller.span),
        severity: approved(BY_COLLABORATORS.has(taint.event) ? 'MEDIUM' : 'HIGH', approval),
        confidence: taint.via.length > 1 ? 'medium' : 'high',
        approval,
      };
    }
  }
}

function isOutsiders({ writer, reach, text }: Taint): boolean {
  return writer === 'outsider' && reach === 'outsider-privileged' && text !== 'structured';
}

function approvalOf(step: Step, { event }: Taint, repository: Repository): Approval | undefined {
  const candidate = privilegedOutsiderEvents(step, repository).find((one) => one.event === event);
  return candidate === undefined ? undefined : approvalBefore(step, candidate, repository);
}

const RUNS: ReadonlySet<ArtifactUse['kind']> = new Set(['executed', 'expanded', 'variables', 'overwrites']);

function* artifactExposures(job: Job, repository: Repository): Generator<Exposure> {
  for (const download of foreignDownloads(job, repository)) {
    const use = download.trust === 'fork' ? useOf(download, repository) : undefined;
    if (use === undefined || !RUNS.has(use.kind)) continue;
    yield {
      message: 'artifact',
      what: use.detail,
      event: 'workflow_run',
      span: download.span,
      // Unknown which of its files the command reads.
      severity: use.kind === 'overwrites' ? 'MEDIUM' : 'HIGH',
      confidence: 'medium',
    };
  }
}

/** MEDIUM: the agent has to be persuaded, and some agent actions check permissions themselves. */
function* agentExposures(job: Job, repository: Repository): Generator<Exposure> {
  for (const step of job.steps) {
    for (const agent of agentsOf(step)) {
      const exposure = agent.tools.includes('shell') ? exposureOf(agent, repository) : undefined;
      const input = exposure?.byOutsider === true ? outsideInput(agent, exposure.events, repository) : undefined;
      if (input === undefined) continue;
      yield {
        message: 'agent',
        what: agent.name,
        event: exposure?.events[0]?.event ?? '',
        span: agent.span,
        severity: 'MEDIUM',
        confidence: input.certain ? 'high' : 'medium',
      };
    }
  }
}
