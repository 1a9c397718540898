import { isSingleUse, runnerKind } from '#lib/analysis/privileges/runners.ts';
import { isGated } from '#lib/analysis/reachability/approvals.ts';
import { outsiderEvents } from '#lib/analysis/reachability/outsider-reach.ts';
import type { Job, Step, Text } from '#lib/workflow/model/model.ts';
import { commandsOf } from '#lib/workflow/shell/shell.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';

type Message = 'container' | 'command' | 'reached';

export const privilegedContainer = defineRule({
  id: 'privileged-container',
  meta: {
    title: 'Container can escape to its runner',
    why: 'A container isolates a job’s code from the machine. With full privileges, the host’s namespaces or its container socket, that code can become root on the host.',
    attack:
      'Untrusted code in the job escapes from the container, stays on the runner and reads the secrets of later jobs.',
    recommendation:
      'Remove the option, or grant only the capability or device that is needed. Image builds can use a rootless or remote builder. If the option is unavoidable, use a runner that serves a single job.',
    limits:
      'Options assembled by expressions or scripts, and containers started by actions, are not detected. On a GitHub-hosted runner nothing is lost: the job can become root there anyway.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-7',
    surface: 'workflow',
    rulesets: ['owasp', 'slsa-build-l3'],
    since: '0.1.0',
    references: [
      'https://docs.docker.com/engine/containers/run/#runtime-privilege-and-linux-capabilities',
      'https://docs.docker.com/engine/security/#docker-daemon-attack-surface',
      'https://docs.github.com/actions/reference/security/secure-use#hardening-for-self-hosted-runners',
    ],
    messages: {
      container: 'The container {{name}} runs with {{options}}, which lets its code escape to the runner.',
      command: 'This container runs with {{options}}, which lets its code escape to the runner.',
      reached:
        'A container runs with {{options}} on a self-hosted runner, and anyone can run code in it through {{event}}.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              container:
                image: acme/build
                # expect: container
                options: --user root --privileged
              services:
                docker:
                  image: docker:dind
                  # expect: container
                  volumes: ["/var/run/docker.sock:/var/run/docker.sock", cache:/cache]
              steps:
                # expect: command
                - run: docker run --rm --cap-add=SYS_ADMIN --pid host acme/build make
                # expect: command
                - run: sudo podman run --security-opt seccomp=unconfined -v /:/host acme/build
        `,
      },
      {
        yaml: yaml`
          on: pull_request
          jobs:
            build:
              runs-on: [self-hosted, linux]
              steps:
                # expect: reached
                - run: docker run --privileged acme/build make
        `,
      },
      {
        yaml: yaml`
          on: { pull_request: { types: [labeled, synchronize] } }
          jobs:
            bench:
              if: contains(github.event.pull_request.labels.*.name, 'bench')
              runs-on: [self-hosted, linux]
              steps:
                # expect: reached MEDIUM
                - run: docker run --privileged acme/build make
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: [self-hosted, linux]
              container:
                image: acme/build
                options: --user root --cap-add NET_BIND_SERVICE --privileged=false --shm-size 16g
                volumes: [/data:/data, "/var/run/acme.sock:/var/run/acme.sock"]
              steps:
                - run: docker run --rm -v "$PWD:/src" --network build acme/build make
                - run: echo "docker run --privileged is not allowed"
                - run: docker build --network host .
            shared:
              runs-on: ubuntu-latest
              container: { image: acme/build, options: --ipc host }
              steps: [{ run: make }]
        `,
      },
    ],
  },
  check: { job: check },
});

const OPENINGS: readonly RegExp[] = [
  /(?:^|\s)--privileged(?:=true)?(?=\s|$)/,
  /(?:^|\s)--cap-add[= ](?:CAP_)?(?:ALL|SYS_ADMIN|SYS_MODULE|SYS_RAWIO|DAC_READ_SEARCH|BPF)(?=\s|$)/i,
  /(?:^|\s)--(?:pid|userns|cgroupns|uts)[= ]host(?=\s|$)/,
  /(?:^|\s)--security-opt[= ](?:seccomp|apparmor|label)[=:](?:unconfined|disable)(?=\s|$)/,
  /(?:^|\s)(?:-v|--volume)[= ]\/:\S+/,
  /(?:^|\s)(?:-v|--volume)[= ]\/(?:var\/)?run\/(?:docker|containerd\/containerd|podman\/podman|crio\/crio)\.sock:\S+/,
  /(?:^|\s)--mount[= ]\S*(?:source|src)=\/(?:var\/)?run\/docker\.sock\S*/,
];

const LESSER: readonly RegExp[] = [
  /(?:^|\s)--(?:ipc|net|network)[= ]host(?=\s|$)/,
  /(?:^|\s)--cap-add[= ](?:CAP_)?(?:SYS_PTRACE|NET_ADMIN)(?=\s|$)/i,
];

interface Opened {
  readonly options: string;
  readonly lesser: boolean;
}

function opened(text: string): Opened | undefined {
  const find = (patterns: readonly RegExp[]): string[] =>
    patterns.flatMap((pattern) => pattern.exec(text)?.[0].trim() ?? []);
  const found = find(OPENINGS);
  const options = found.length > 0 ? found : find(LESSER);
  return options.length === 0 ? undefined : { options: options.join(' and '), lesser: found.length === 0 };
}

function* check(job: Job, context: RuleContext): Generator<Report<Message>> {
  for (const container of [job.container, ...job.services]) {
    if (container === undefined) continue;
    const name = container.label === 'container' ? 'of the job' : container.label;
    for (const text of [container.options, ...container.volumes]) {
      const found = text === undefined ? undefined : opened(text === container.options ? text.value : asOption(text));
      if (text !== undefined && found !== undefined) yield* report(found, job, job, text.span, name, context);
    }
  }
  for (const step of job.steps) yield* judgeCommands(step, job, context);
}

function asOption({ value }: Text): string {
  return `-v ${value.trim()}`;
}

function* judgeCommands(step: Step, job: Job, context: RuleContext): Generator<Report<Message>> {
  if (!/\b(?:docker|podman|nerdctl)\b/.test(step.run?.value ?? '')) return;
  for (const { program, args, span } of commandsOf(step)) {
    if (program !== 'docker' && program !== 'podman' && program !== 'nerdctl') continue;
    const runs = args.findIndex(({ value }) => value === 'run' || value === 'create');
    if (runs === -1 || runs > 1) continue;
    const found = opened(
      args
        .slice(runs + 1)
        .map(({ value }) => value)
        .join(' '),
    );
    if (found !== undefined) yield* report(found, job, step, span, undefined, context);
  }
}

function* report(
  { options, lesser }: Opened,
  job: Job,
  at: Job | Step,
  span: Span,
  name: string | undefined,
  { repository }: RuleContext,
): Generator<Report<Message>> {
  const kind = runnerKind(job);
  if (lesser && kind !== 'self-hosted') return;
  const own = kind === 'self-hosted' && !isSingleUse(job) && !lesser;
  // A fork’s `pull_request` runs its own code in the container, unless an environment requires approval.
  const reached = own && job.environment === undefined;
  const event = reached ? outsiderEvents(at, repository).find(({ event }) => event === 'pull_request') : undefined;
  const gated = event !== undefined && isGated(job, event, repository);
  yield {
    message: event !== undefined ? 'reached' : name === undefined ? 'command' : 'container',
    data: { options, name: name ?? '', event: event?.event ?? '' },
    at,
    span,
    severity:
      event !== undefined && !gated
        ? 'HIGH'
        : own
          ? 'MEDIUM'
          : kind === 'own-label' || kind === 'self-hosted'
            ? 'LOW'
            : 'INFO',
    confidence: kind === 'self-hosted' || kind === 'hosted' ? 'high' : 'low',
    attributes: { options, labels: job.runsOn?.labels.map(({ value }) => value.toLowerCase()) ?? [] },
  };
}
