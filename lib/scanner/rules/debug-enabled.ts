import { heldBy } from '#lib/analysis/privileges/describe-privileges.ts';
import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { evaluates } from '#lib/analysis/reachability/conditions.ts';
import { outsiderEvents } from '#lib/analysis/reachability/outsider-reach.ts';
import { conditionOf } from '#lib/workflow/expressions/expression.ts';
import { actionOf, inputOf, isFalse, isTrue } from '#lib/workflow/model/action-uses.ts';
import { type Job, jobOf, type Step, type Variable, type Variables, type Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { commandsOf, type ShellCommand } from '#lib/workflow/shell/shell.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';

type Message = 'session' | 'outsiders' | 'verbose' | 'requests';

export const debugEnabled = defineRule({
  id: 'debug-enabled',
  meta: {
    title: 'Debug session or debug logging left enabled',
    why: 'A debug session gives anyone who knows its address a shell in the job, and the address is printed to the log, which is public in a public repository. Debug logging prints the inputs of steps, and request logs print the headers that carry tokens.',
    attack:
      'An attacker watches the log of a failed run, connects to the address that the session prints, and takes the job’s secrets and token before the session ends.',
    recommendation:
      'Remove the session when you are done. If it must stay, start it only for a `workflow_dispatch` input and with `limit-access-to-actor: true`. Enable debug logging for a single run in the “Re-run jobs” dialog, never in the file.',
    limits:
      'Sessions started by a script in the repository are not seen, nor is debug logging enabled through a repository variable or secret.',
    severity: 'LOW',
    confidence: 'high',
    category: 'CICD-SEC-10',
    surface: 'workflow',
    rulesets: ['owasp', 'slsa-build-l3'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/how-tos/monitor-workflows/enable-debug-logging',
      'https://github.com/mxschmitt/action-tmate#use-registered-public-ssh-keys',
      'https://curl.se/docs/manpage.html#-v',
    ],
    messages: {
      session: '{{what}} opens a shell in a job that holds {{held}}; {{who}} can use it.',
      outsiders:
        '{{what}} opens a shell on {{event}}, which anyone can trigger, in a job that holds {{held}}; {{who}} can use it.',
      verbose: '{{name}} makes every run print the inputs of its steps to the log.',
      requests: '{{name}} prints HTTP requests with their headers to the log.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          permissions: { contents: write }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - run: make
                # expect: session
                - uses: mxschmitt/action-tmate@v3
                  if: failure()
        `,
      },
      {
        yaml: yaml`
          on: [push, issue_comment]
          permissions: { contents: read }
          env:
            # expect: verbose
            ACTIONS_STEP_DEBUG: true
          jobs:
            build:
              runs-on: ubuntu-latest
              env: { KEY: "\${{ secrets.KEY }}" }
              steps:
                # expect: outsiders
                - uses: lhotari/action-upterm@v1
                # expect: outsiders
                - run: ngrok tcp 22
                - run: git push
                  env:
                    # expect: requests
                    GIT_TRACE_CURL: 1
            quiet:
              runs-on: ubuntu-latest
              steps:
                # expect: outsiders
                - run: ssh -N -R 2222:localhost:22 tunnel@example.com
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on:
            push:
            workflow_dispatch: { inputs: { debug: { type: boolean } } }
          jobs:
            build:
              runs-on: ubuntu-latest
              env:
                RUNNER_DEBUG: \${{ inputs.debug }}
                ACTIONS_STEP_DEBUG: \${{ secrets.ACTIONS_STEP_DEBUG }}
                GIT_TRACE_CURL: 0
              steps:
                - uses: mxschmitt/action-tmate@v3
                  if: github.event_name == 'workflow_dispatch' && inputs.debug
                  with: { limit-access-to-actor: true }
                - uses: mxschmitt/action-tmate@v3
                  if: \${{ false }}
                - run: tmate -V && ngrok version && brew install tmate
                - run: ssh -L 80:localhost:80 host true
        `,
      },
    ],
  },
  check: { workflow: check },
});

function* check(workflow: Workflow, { repository }: RuleContext): Generator<Report<Message>> {
  yield* noisyVariables(workflow.env, workflow, workflow.jobs);
  for (const job of workflow.jobs) {
    yield* noisyVariables(job.env, job, [job]);
    for (const step of job.steps) {
      yield* noisyVariables(step.env, step, [job]);
      const session = sessionOf(step);
      if (session !== undefined) yield* judge(session, step, repository);
    }
  }
}

const DEBUG: ReadonlySet<string> = new Set(['actions_step_debug', 'actions_runner_debug', 'runner_debug']);
const REQUEST_LOGS: ReadonlySet<string> = new Set(['git_trace_curl', 'git_curl_verbose']);

function* noisyVariables(
  variables: Variables | undefined,
  at: Workflow | Job | Step,
  jobs: readonly Job[],
): Generator<Report<Message>> {
  for (const variable of variables?.entries ?? []) {
    const message = noiseOf(variable);
    if (message === undefined) continue;
    const { name, span } = variable;
    const severity = message === 'requests' && jobs.some((job) => credentialsOf(job).any) ? 'LOW' : 'INFO';
    yield { message, data: { name }, at, span, severity };
  }
}

function noiseOf({ name, value }: Variable): 'verbose' | 'requests' | undefined {
  const on = /^(?:1|true)$/i.test(value.value.trim());
  if (!on) return undefined;
  const known = name.toLowerCase();
  return DEBUG.has(known) ? 'verbose' : REQUEST_LOGS.has(known) ? 'requests' : undefined;
}

interface Session {
  readonly what: string;
  readonly span: Span;
  readonly limited: 'actor' | 'maybe' | 'no';
}

function sessionOf(step: Step): Session | undefined {
  const { uses } = step;
  if (uses !== undefined) {
    const action = actionOf(step);
    const name =
      action === undefined ? undefined : [action.name, action.slug].find((each) => SESSION_ACTIONS.has(each));
    return name === undefined ? undefined : { what: name, span: uses.span, limited: limitOf(step, name) };
  }
  if (!/tmate|upterm|ngrok|\bssh\b|\bbore\b/.test(step.run?.value ?? '')) return undefined;
  const command = commandsOf(step).find(opensSession);
  return command === undefined
    ? undefined
    : { what: `${command.program} ${command.args[0]?.value ?? ''}`.trim(), span: command.span, limited: 'no' };
}

const SESSION_ACTIONS: ReadonlySet<string> = new Set([
  'mxschmitt/action-tmate',
  'lhotari/action-upterm',
  'owenthereal/action-upterm',
  'csexton/debugger-action',
  'namespacelabs/breakpoint-action',
  'fleetdm/fleet/.github/actions/tmate',
  'valeriangalliat/action-sshd-cloudflared',
]);

function limitOf(step: Step, action: string): Session['limited'] {
  const limit = inputOf(step, 'limit-access-to-actor');
  const users = inputOf(step, 'limit-access-to-users') ?? inputOf(step, 'authorized-users');
  if (isTrue(limit) || (users !== undefined && users.value.trim() !== '')) return 'actor';
  // By default, tmate restricts access to the actor's registered keys if there are any.
  return action === 'mxschmitt/action-tmate' && !isFalse(limit) ? 'maybe' : 'no';
}

function opensSession({ program, args }: ShellCommand): boolean {
  const [first = ''] = args.map(({ value }) => value);
  switch (program) {
    case 'tmate':
      return !/^(?:-V|--version)$/.test(first);
    case 'upterm':
      return first === 'host';
    case 'ngrok':
      return first === 'tcp' || first === 'start';
    case 'ssh':
      return args.some(({ value }) => /^-[a-zA-Z]*R/.test(value)) && !args.some(({ value }) => value === '-V');
    default:
      return false;
  }
}

function* judge({ what, span, limited }: Session, step: Step, repository: Repository): Generator<Report<Message>> {
  const job = jobOf(step);
  if (job === undefined || isOff(step) || (limited === 'actor' && isAskedFor(step, job))) return;
  const stakes = credentialsOf(job);
  const outsiders = outsiderEvents(step, repository);
  const event = (outsiders.find(({ reach }) => reach === 'outsider-privileged') ?? outsiders[0])?.event;
  const privileged = outsiders.some(({ reach }) => reach === 'outsider-privileged');
  const open = limited === 'no';
  const severity =
    limited === 'actor' || !(stakes.any || stakes.mayWrite)
      ? 'LOW'
      : privileged && open && stakes.any
        ? 'HIGH'
        : stakes.any && !isAskedFor(step, job)
          ? 'MEDIUM'
          : 'LOW';
  const who = {
    actor: 'whoever started the run',
    maybe: 'anyone who can read the log, unless the actor has registered an SSH key,',
    no: 'anyone who can read the log',
  }[limited];
  yield {
    message: event === undefined ? 'session' : 'outsiders',
    data: { what, held: heldBy(job), who, event: event ?? '' },
    at: step,
    span,
    severity,
    attributes: { trigger_trust: event === undefined ? 'member' : 'outsider' },
  };
}

function isOff({ condition }: Step): boolean {
  const node = condition === undefined ? undefined : conditionOf(condition).node;
  return node !== undefined && evaluates(node, { event: 'push', by: 'anyone' }) === false && node.type === 'literal';
}

function isAskedFor(step: Step, job: Job): boolean {
  const asks = /\binputs\.|\bworkflow_dispatch\b|runner\.debug/i;
  if (asks.test(step.condition?.value ?? '') || asks.test(job.condition?.value ?? '')) return true;
  return job.workflow.triggers.every(({ event }) => event === 'workflow_dispatch');
}
