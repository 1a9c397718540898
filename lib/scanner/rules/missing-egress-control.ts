import { runsForeignCode } from '#lib/analysis/privileges/foreign-code.ts';
import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { runnerKind } from '#lib/analysis/privileges/runners.ts';
import { publishesIn } from '#lib/analysis/publishing/publish.ts';
import { expandedSteps } from '#lib/analysis/publishing/releases.ts';
import type { Facts } from '#lib/facts/facts.ts';
import { insertStepBefore } from '#lib/workflow/edits/steps.ts';
import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import type { Job, Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';
import { EGRESS_MONITOR, factsWith, pinned } from '../remedies/inserted-actions.ts';
import { jobNames } from '../shared/job-names.ts';

type Message = 'none' | 'uncovered' | 'late' | 'audit' | 'broad';

const MONITORS: ReadonlySet<string> = new Set([
  'bullfrogsec/bullfrog',
  'cycodelabs/cimon-action',
  'kondukto-io/kntrl-action',
  'step-security/harden-runner',
]);

export const missingEgressControl = defineRule({
  id: 'missing-egress-control',
  meta: {
    title: 'No network egress control in publishing jobs',
    why: 'An attacker who gets code into a publishing job has to send its secrets somewhere. A network monitor or firewall on the runner blocks that, or at least records where the secrets went.',
    attack:
      'A compromised dependency reads the job’s secrets and posts them to the attacker’s server. Nobody notices: the job passes, and no log shows the address.',
    recommendation:
      'Make a network monitor the first step of jobs that publish, sign or deploy: start in audit mode, then restrict it to the hosts that the job needs.',
    limits:
      'Recognizes a few monitors by their action. Firewall rules around self-hosted or larger runners are not visible. A monitor is itself a powerful third-party action, so weigh its risk too.',
    severity: 'INFO',
    confidence: 'medium',
    category: 'CICD-SEC-10',
    surface: 'workflow',
    rulesets: [],
    pedantic: true,
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/security/secure-use',
      'https://docs.stepsecurity.io/harden-runner',
      'https://www.cisa.gov/news-events/alerts/2025/03/18/supply-chain-compromise-third-party-tj-actionschanged-files-cve-2025-30066-and-reviewdogaction',
    ],
    messages: {
      none: 'No network monitor watches or limits outgoing traffic of {{jobs}}.',
      uncovered: 'Other jobs use a network monitor, but none watches outgoing traffic of {{jobs}}.',
      late: 'The network monitor starts after {{before}} and misses what runs before it.',
      audit: 'The network monitor of the job {{job}} only records traffic and blocks nothing.',
      broad: 'The allowed hosts include {{host}}, where anyone can receive data.',
    },
  },
  examples: {
    bad: [
      {
        facts: factsWith([EGRESS_MONITOR]),
        yaml: yaml`
          on: { push: { tags: [v*] } }
          jobs:
            # expect: none
            publish:
              runs-on: ubuntu-latest
              steps:
                # The sources, and nothing else.
                - name: Fetch
                  uses: actions/checkout@v5

                - name: Publish
                  run: npm ci && npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
            image:
              runs-on: ubuntu-latest
              permissions: { packages: write }
              steps:
              - run: make && docker push ghcr.io/acme/image
        `,
        fixed: yaml`
          on: { push: { tags: [v*] } }
          jobs:
            # expect: none
            publish:
              runs-on: ubuntu-latest
              steps:
                - name: Monitor outgoing traffic
                  uses: step-security/harden-runner@1111111111111111111111111111111111111111 # v2.99.0
                  with:
                    egress-policy: audit

                # The sources, and nothing else.
                - name: Fetch
                  uses: actions/checkout@v5

                - name: Publish
                  run: npm ci && npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
            image:
              runs-on: ubuntu-latest
              permissions: { packages: write }
              steps:
              - uses: step-security/harden-runner@1111111111111111111111111111111111111111 # v2.99.0
                with:
                  egress-policy: audit
              - run: make && docker push ghcr.io/acme/image
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: [v*] } }
          jobs:
            # expect: none
            publish:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                - run: npm ci
                - run: npm publish
                  env:
                    NODE_AUTH_TOKEN: \${{ secrets.NPM_TOKEN }}
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: [v*] } }
          jobs:
            # expect: uncovered
            publish:
              runs-on: ubuntu-latest
              permissions: { id-token: write }
              steps:
                - run: npm ci && npm publish
            # expect: audit
            image:
              runs-on: ubuntu-latest
              permissions: { packages: write }
              steps:
                - uses: step-security/harden-runner@v2
                  with:
                    egress-policy: audit
                - run: make && docker push ghcr.io/acme/image
            release:
              runs-on: ubuntu-latest
              permissions: { contents: write }
              steps:
                - run: make dist
                # expect: late
                - uses: step-security/harden-runner@v2
                  with:
                    egress-policy: block
                    # expect: broad
                    allowed-endpoints: >
                      api.github.com:443
                      *.s3.amazonaws.com:443
                - run: gh release create v1 dist/*
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - run: npm ci && npm test
            publish:
              runs-on: ubuntu-latest
              permissions: { id-token: write }
              steps:
                - uses: step-security/harden-runner@v2
                  with:
                    egress-policy: block
                    allowed-endpoints: registry.npmjs.org:443 *.actions.githubusercontent.com:443
                - run: npm ci && npm publish
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            watched:
              runs-on: ubuntu-latest
              permissions: { id-token: write }
              steps:
                - uses: step-security/harden-runner@v2
                  with: { egress-policy: audit }
                - run: npm ci && npm publish
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            publish:
              runs-on: ubuntu-latest
              permissions: { contents: write }
              steps:
                - uses: actions/download-artifact@v5
                - run: gh release create v1 dist/*
            own:
              runs-on: [self-hosted, release]
              permissions: { id-token: write }
              steps:
                - run: npm ci && npm publish
        `,
      },
    ],
  },
  check: { repository: check },
});

function* check(repository: Repository, { facts }: RuleContext): Generator<Report<Message>> {
  const jobs = repository.workflows.flatMap((workflow) => workflow.jobs);
  const sensitive = jobs.filter((job) => isSensitive(job, repository));
  const bare = sensitive.filter((job) => monitorOf(job) === undefined);
  const blocking = jobs.find((job) => isBlocking(monitorOf(job)));
  const [first] = bare;
  if (first !== undefined) {
    const anywhere = jobs.some((job) => monitorOf(job) !== undefined);
    yield {
      message: anywhere ? 'uncovered' : 'none',
      data: { jobs: jobNames([...new Set(bare.map(({ id }) => id))]) },
      at: first,
      span: first.idSpan,
      anchor: 'no egress control',
      ...watch(
        bare.filter(({ workflow }) => workflow === first.workflow),
        blocking,
        facts,
      ),
    };
  }
  const audited = blocking === undefined ? undefined : sensitive.find((job) => isAudit(monitorOf(job)));
  if (audited !== undefined) {
    yield { message: 'audit', data: { job: audited.id }, at: audited, span: audited.idSpan, anchor: 'egress audit' };
  }
  for (const job of sensitive) {
    const monitor = monitorOf(job);
    if (monitor !== undefined) yield* weaknesses(monitor, job);
  }
}

function isSensitive(job: Job, repository: Repository): boolean {
  if (runnerKind(job) !== 'hosted' || !credentialsOf(job).any) return false;
  const steps = expandedSteps(job, repository);
  return steps.some(handsOut) && steps.some(runsOthersCode);
}

function handsOut(step: Step): boolean {
  return publishesIn(step).some(({ kind }) => kind !== 'sign' && kind !== 'attest');
}

function runsOthersCode(step: Step): boolean {
  return step.run !== undefined && runsForeignCode(step);
}

function monitorOf(job: Job): Step | undefined {
  return job.steps.find((step) => MONITORS.has(actionOf(step)?.slug ?? ''));
}

function isAudit(monitor: Step | undefined): boolean {
  return monitor !== undefined && inputOf(monitor, 'egress-policy')?.value.trim() === 'audit';
}

function isBlocking(monitor: Step | undefined): boolean {
  return monitor !== undefined && inputOf(monitor, 'egress-policy')?.value.trim() === 'block';
}

function watch(jobs: readonly Job[], blocking: Job | undefined, facts: Facts): Pick<Report, 'fix' | 'advice'> {
  const byHand =
    'Make `step-security/harden-runner` the first step of these jobs, with `egress-policy: audit` until you know which hosts they need.';
  if (blocking !== undefined) {
    return { advice: `Copy the monitor of the job ${blocking.id}, and allow the hosts that these jobs need.` };
  }
  const action = pinned(EGRESS_MONITOR, facts);
  if ('refusal' in action) return { advice: `${byHand} ${action.refusal}` };
  if (jobs.some(({ container }) => container !== undefined)) {
    return { advice: `${byHand} It does not monitor jobs that run in a container.` };
  }
  const edits = jobs.flatMap((job) => {
    const [step] = job.steps;
    const edit =
      step &&
      insertStepBefore(step, job, {
        name: 'Monitor outgoing traffic',
        lines: [`uses: ${action.name}@${action.commit} # ${action.version}`, 'with:', '  egress-policy: audit'],
      });
    return edit ?? [];
  });
  if (edits.length < jobs.length) return { advice: byHand };
  return {
    fix: {
      safety: 'review',
      edits,
      note: 'The monitor step-security/harden-runner runs with full privileges on the runner. It sends the hosts that the job contacts, and the programs that do so, to its vendor’s service, which makes this public for public repositories. It blocks nothing until `egress-policy` is `block`.',
    },
  };
}

const OPEN_HOST =
  /(?:^|[\s,"'])(\*(?:\.(?:com|net|org|io|dev|app))?(?::\d+)?(?=$|[\s,"'])|(?:\*\.)(?:s3[\w.-]*\.amazonaws\.com|amazonaws\.com|blob\.core\.windows\.net|windows\.net|herokuapp\.com|ngrok\.(?:io|app)|ngrok-free\.app|workers\.dev|pages\.dev|vercel\.app|netlify\.app|github\.io|githubusercontent\.com|cloudfront\.net|azurewebsites\.net|appspot\.com|run\.app|firebaseio\.com|trycloudflare\.com)(?::\d+)?|webhook\.site(?::\d+)?|pastebin\.com(?::\d+)?|api\.telegram\.org(?::\d+)?|discord\.com(?::\d+)?|requestbin\.\w{2,10}(?::\d+)?|gist\.github\.com(?::\d+)?|transfer\.sh(?::\d+)?)/;

function* weaknesses(monitor: Step, job: Job): Generator<Report<Message>> {
  const before = job.steps.slice(0, monitor.index).find((step) => runsForeignCode(step));
  if (before !== undefined && monitor.uses !== undefined) {
    const name = before.name?.value ?? before.uses?.text.value ?? 'another step';
    yield { message: 'late', data: { before: name }, at: monitor, span: monitor.uses.span };
  }
  const allowed = inputOf(monitor, 'allowed-endpoints') ?? inputOf(monitor, 'allowed-domains');
  const host = OPEN_HOST.exec(allowed?.value ?? '')?.[1];
  if (allowed !== undefined && host !== undefined) {
    yield { message: 'broad', data: { host }, at: monitor, span: allowed.span };
  }
}
