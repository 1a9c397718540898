import { isSingleUse, ownLabels, runnerKind } from '#lib/analysis/privileges/runners.ts';
import type { Job } from '#lib/workflow/model/model.ts';
import { defineRule, type Report, yaml } from '../engine/rule.ts';

type Message = 'own' | 'likely';

export const selfHostedRunner = defineRule({
  id: 'self-hosted-runner',
  meta: {
    title: 'Job runs on a self-hosted runner',
    why: 'A self-hosted runner keeps files, processes and network access between jobs, and its owner has to patch and isolate it. Any earlier job can tamper with what a build on it produces.',
    attack:
      'An attacker who gets code into one job leaves something behind on the machine, which then tampers with or spies on later jobs.',
    recommendation:
      'Use GitHub-hosted runners where possible. Otherwise use ephemeral runners, keep runners of public and private repositories apart, and restrict which repositories can use their group.',
    limits:
      'The machine itself is not visible: whether it is ephemeral, who can use it, and whether a custom label belongs to a larger GitHub-hosted runner. Groups and computed labels are not reported.',
    severity: 'INFO',
    confidence: 'high',
    category: 'CICD-SEC-7',
    surface: 'workflow',
    rulesets: ['owasp', 'slsa-build-l2'],
    pedantic: true,
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/security/secure-use#hardening-for-self-hosted-runners',
      'https://slsa.dev/spec/v1.2/build-requirements',
    ],
    messages: {
      own: 'The job {{job}} runs on a self-hosted runner: {{labels}}.',
      likely: 'The job {{job}} runs on {{labels}}, which may be a self-hosted runner.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              # expect: own
              runs-on: [self-hosted, linux]
              steps: [{ run: make }]
            choose:
              # expect: own
              runs-on: \${{ inputs.big && 'self-hosted' || 'ubuntu-latest' }}
              steps: [{ run: make }]
            label:
              # expect: likely
              runs-on: big-box
              steps: [{ run: make }]
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          jobs:
            hosted:
              strategy: { matrix: { os: [ubuntu-latest, windows-2025, macos-15-xlarge] } }
              runs-on: \${{ matrix.os }}
              steps: [{ run: make }]
            larger:
              runs-on: ubuntu-2404-8x-x64
              steps: [{ run: make }]
            rented:
              runs-on: \${{ github.repository == 'acme/app' && 'blacksmith-4vcpu-ubuntu-2404' || 'ubuntu-latest' }}
              steps: [{ run: make }]
            computed:
              runs-on: \${{ inputs.runner }}
              steps: [{ run: make }]
            called:
              uses: acme/ci/.github/workflows/build.yml@v1
        `,
      },
    ],
  },
  check: { job: check },
});

function* check(job: Job): Generator<Report<Message>> {
  const kind = runnerKind(job);
  if (job.runsOn === undefined || (kind !== 'self-hosted' && kind !== 'own-label')) return;
  const labels = ownLabels(job);
  yield {
    message: kind === 'self-hosted' ? 'own' : 'likely',
    data: { job: job.id, labels: labels.join(', ') },
    at: job,
    span: job.runsOn.span,
    confidence: kind === 'self-hosted' ? 'high' : 'low',
    attributes: { labels, ephemeral: isSingleUse(job) },
  };
}
