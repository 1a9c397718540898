import { taintsOfWord } from '#lib/analysis/dataflow/eval-sinks.ts';
import { taintsIn } from '#lib/analysis/dataflow/taint.ts';
import type { Taint } from '#lib/analysis/dataflow/taint-order.ts';
import { worstTaint } from '#lib/analysis/dataflow/taint-order.ts';
import { heldBy } from '#lib/analysis/privileges/describe-privileges.ts';
import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { runnerKind } from '#lib/analysis/privileges/runners.ts';
import { privilegedOutsiderEvents } from '#lib/analysis/reachability/outsider-reach.ts';
import { expressionsIn, flowingAccesses } from '#lib/workflow/expressions/expression.ts';
import { inputOf, runsAction } from '#lib/workflow/model/action-uses.ts';
import type { Container, Job, Step, Text } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { commandsOf, type ShellCommand, type ShellWord } from '#lib/workflow/shell/shell.ts';
import { MAX_RELATED_COMMANDS } from '#lib/workflow/text/limits.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { defineRule, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';

type Message = 'image' | 'tag' | 'options' | 'credentials';

export const untrustedContainerImage = defineRule({
  id: 'untrusted-container-image',
  meta: {
    title: 'Outsider can choose a container image or its options',
    why: 'A job’s container runs the job’s steps, with its secrets in the environment and the workspace mounted. Whoever chooses the image, or its options, controls what those steps run on.',
    attack:
      'An outsider’s text selects an image of theirs. The steps use its shell and programs, so it can read every secret of the job; options can mount the host’s disk.',
    recommendation:
      'Use a literal image with its digest, or select it from a literal matrix or a `choice` input. Let outsiders choose at most between names that the workflow lists.',
    limits:
      'Follows values within the repository. Images that an outsider’s code builds and the same job then runs are reported by untrusted-checkout-exec.',
    severity: 'HIGH',
    confidence: 'high',
    category: 'CICD-SEC-4',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/how-tos/write-workflows/choose-where-workflows-run/run-jobs-in-a-container',
      'https://docs.github.com/actions/reference/security/secure-use',
    ],
    messages: {
      image:
        '{{source}}, which anyone can set through {{event}}, selects the image of {{place}}; the job holds {{held}}.',
      tag: '{{source}}, which anyone can set through {{event}}, selects the image tag of {{place}}: any tag ever pushed to that repository.',
      options:
        '{{source}}, which anyone can set through {{event}}, is part of the options of {{place}}; the job holds {{held}}.',
      credentials:
        '{{source}}, which anyone can set through {{event}}, selects the registry that the password of {{place}} is sent to.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: [pull_request_target, push]
          permissions: { contents: write }
          jobs:
            fork:
              runs-on: ubuntu-latest
              # expect: image HIGH
              container: ghcr.io/\${{ github.event.pull_request.head.repo.full_name }}:dev
              steps: [{ run: make }]
            author:
              runs-on: ubuntu-latest
              container:
                # expect: image HIGH
                image: \${{ github.actor }}/tools:latest
              steps: [{ run: make }]
        `,
      },
      {
        yaml: yaml`
          on: issue_comment
          permissions: { contents: write }
          jobs:
            bench:
              runs-on: ubuntu-latest
              container:
                # expect: image
                image: \${{ github.event.comment.body }}
              steps:
                - run: make bench
        `,
      },
      {
        yaml: yaml`
          on: pull_request_target
          jobs:
            login:
              runs-on: ubuntu-latest
              container:
                # expect: credentials
                image: \${{ github.event.pull_request.body }}/app:1
                credentials: { username: bot, password: "\${{ secrets.REGISTRY }}" }
                # expect: options
                options: --name \${{ github.event.pull_request.title }}
              services:
                database:
                  # expect: tag
                  image: ghcr.io/acme/database:\${{ github.head_ref }}
              steps:
                # expect: image
                - run: docker run --rm "$IMAGE" make
                  env: { IMAGE: "\${{ github.event.pull_request.title }}" }
                - uses: addnab/docker-run-action@v3
                  with:
                    # expect: image
                    image: \${{ github.event.pull_request.title }}
                    run: make
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: [pull_request_target, push]
          permissions: { contents: write }
          jobs:
            own:
              runs-on: ubuntu-latest
              container: ghcr.io/\${{ github.repository_owner }}/tools:latest
              steps: [{ run: make }]
            base:
              runs-on: ubuntu-latest
              container: ghcr.io/\${{ github.event.pull_request.base.repo.full_name }}:dev
              steps: [{ run: make }]
            named:
              runs-on: ubuntu-latest
              container: ghcr.io/owner/tools-\${{ github.actor }}
              steps: [{ run: make }]
            pushed:
              if: github.event_name == 'push'
              runs-on: ubuntu-latest
              container: ghcr.io/\${{ github.actor }}/tools:latest
              steps: [{ run: make }]
        `,
      },
      {
        yaml: yaml`
          on:
            issue_comment:
            workflow_dispatch:
              inputs:
                image: { type: string }
          jobs:
            chosen:
              strategy: { matrix: { image: ['node:22', 'node:24'] } }
              runs-on: ubuntu-latest
              container: \${{ matrix.image }}
              services:
                database:
                  image: \${{ contains(github.event.comment.body, 'pg') && 'postgres:17' || 'mysql:9' }}
              steps:
                - run: docker run --rm -e BODY node:22 node check.js "$BODY"
                  env: { BODY: "\${{ github.event.comment.body }}" }
            dispatched:
              if: github.event_name == 'workflow_dispatch'
              runs-on: ubuntu-latest
              container: \${{ inputs.image }}
              steps:
                - run: make
            member:
              if: github.event.comment.author_association == 'MEMBER'
              runs-on: ubuntu-latest
              container: \${{ github.event.comment.body }}
              steps:
                - run: make
        `,
      },
    ],
  },
  check: { job: check },
});

function* check(job: Job, { repository }: RuleContext): Generator<Report<Message>> {
  for (const container of [job.container, ...job.services]) {
    if (container !== undefined) yield* ofContainer(container, job, repository);
  }
  for (const step of job.steps) yield* ofStep(step, job, repository);
}

function* ofContainer(container: Container, job: Job, repository: Repository): Generator<Report<Message>> {
  const place = container === job.container ? 'the job’s container' : `the service ${container.label}`;
  const { image, options, password } = container;
  const imageTaint =
    image === undefined ? undefined : (outsidersIn(image, job, repository) ?? ownerIn(image, job, repository));
  if (image !== undefined && imageTaint !== undefined) {
    const part = chosenPart(
      image.value,
      expressionsIn(image).map(({ range }) => range),
    );
    const message = part === 'tag' ? 'tag' : part === 'host' && password !== undefined ? 'credentials' : 'image';
    yield report(message, imageTaint, place, job, job, image.span);
  }
  const optionsTaint = options === undefined ? undefined : outsidersIn(options, job, repository);
  if (options !== undefined && optionsTaint !== undefined) {
    yield report('options', optionsTaint, place, job, job, options.span);
  }
}

function* ofStep(step: Step, job: Job, repository: Repository): Generator<Report<Message>> {
  const image = runsAction(step, 'addnab/docker-run-action') ? inputOf(step, 'image') : undefined;
  const taint = image === undefined ? undefined : outsidersIn(image, step, repository);
  if (image !== undefined && taint !== undefined) yield report('image', taint, 'the step', job, step, image.span);
  if (!/\b(?:docker|podman)\b/.test(step.run?.value ?? '')) return;
  for (const command of commandsOf(step).slice(0, MAX_RELATED_COMMANDS)) {
    const word = imageWord(command);
    const found = word === undefined ? undefined : outsiders(taintsOfWord(word, step, repository));
    // Only the start of a word selects the repository; later parts are a tag or path.
    if (word === undefined || found === undefined || !word.value.startsWith('$')) continue;
    yield report('image', found, `${command.program} run`, job, step, command.span);
  }
}

const FLAG = /^(?:--(?:rm|detach|init|interactive|privileged|read-only|tty|quiet)|-[dit]+)$|=/;

function imageWord({ program, args }: ShellCommand): ShellWord | undefined {
  if ((program !== 'docker' && program !== 'podman') || args[0]?.value !== 'run') return undefined;
  for (let at = 1; at < args.length; at += 1) {
    const { value } = args[at] as ShellWord;
    if (!value.startsWith('-')) return args[at];
    if (!FLAG.test(value)) at += 1;
  }
  return undefined;
}

function outsidersIn(text: Text, at: Step | Job, repository: Repository): Taint | undefined {
  return text.value.includes('${{') ? outsiders(taintsIn(text, at, repository)) : undefined;
}

function outsiders(taints: readonly Taint[]): Taint | undefined {
  return worstTaint(taints.filter(({ writer, text }) => writer === 'outsider' && text !== 'structured'));
}

/** Names of accounts and repositories: an image below an outsider's name is the outsider's. */
const OWNERS: readonly (readonly [name: RegExp, events: RegExp])[] = [
  [/^github\.(?:actor|triggering_actor|event\.sender\.login)$/, /./],
  [/^github\.event\.comment\.user\.login$/, /comment$/],
  [/^github\.event\.issue\.user\.login$/, /^issue/],
  [/^github\.event\.discussion\.user\.login$/, /^discussion/],
  [
    /^github\.event\.pull_request\.(?:user\.login|head\.(?:user\.login|repo\.(?:full_name|owner\.login)))$/,
    /^pull_request/,
  ],
  [/^github\.event\.workflow_run\.(?:actor\.login|head_repository\.(?:full_name|owner\.login))$/, /^workflow_run$/],
];
const NAMESPACE = /^(?:docker:\/\/)?(?:[\w-]+(?:\.[\w-]+)+(?::\d+)?\/)?$/;

function ownerIn(image: Text, job: Job, repository: Repository): Taint | undefined {
  const [first] = expressionsIn(image);
  if (first?.node === undefined || !NAMESPACE.test(image.value.slice(0, first.range.start).trim())) return undefined;
  const paths = flowingAccesses(first.node).map(({ path }) => path.join('.'));
  for (const { event } of privilegedOutsiderEvents(job, repository)) {
    const source = paths.find((path) => OWNERS.some(([name, events]) => name.test(path) && events.test(event)));
    if (source !== undefined)
      return { source, text: 'structured', writer: 'outsider', reach: 'outsider-privileged', event, via: [] };
  }
  return undefined;
}

function chosenPart(image: string, expressions: readonly Span[]): 'host' | 'name' | 'tag' {
  const before = image
    .slice(0, expressions[0]?.start ?? 0)
    .trim()
    .replace(/^docker:\/\//, '');
  if (/[^/:][:@][\w.-]*$/.test(before)) return 'tag';
  return before.includes('/') ? 'name' : 'host';
}

function report(message: Message, taint: Taint, place: string, job: Job, at: Job | Step, span: Span): Report<Message> {
  return {
    message,
    data: { source: [...taint.via, taint.source].join(' ← '), event: taint.event, place, held: heldBy(job) },
    at,
    span,
    severity: severityOf(message, taint, job),
    confidence: taint.via.length > 1 ? 'medium' : 'high',
    attributes: { source: 'event', event: taint.event, sink: message, trigger_trust: 'outsider' },
  };
}

/** A tag can only select one of the owner’s images, and without credentials only the run itself is at stake. */
function severityOf(message: Message, { reach }: Taint, job: Job): Severity {
  if (reach !== 'outsider-privileged' || message === 'tag') return 'LOW';
  const { any, mayWrite } = credentialsOf(job);
  return message === 'credentials' || any || mayWrite || runnerKind(job) === 'self-hosted' ? 'HIGH' : 'LOW';
}
