import { yaml } from '#lib/scanner/engine/rule.ts';
import { CREDENTIAL, defineCombo, LOOSE_CREDENTIAL, WEAK_CREDENTIAL } from '../combo.ts';

export const approvedThenSwapped = defineCombo({
  id: 'approved-then-swapped',
  title: 'Pull request changes between approval and checkout',
  severity: 'HIGH',
  slots: {
    race: { any: [{ rule: 'untrusted-checkout-toctou', atLeast: 'MEDIUM' }] },
    checkout: { optional: true, any: [{ rule: 'untrusted-checkout' }] },
    execution: { optional: true, any: [{ rule: 'untrusted-checkout-exec' }] },
    credential: CREDENTIAL,
    loose: LOOSE_CREDENTIAL,
  },
  join: { same: 'job' },
  modifiers: [
    {
      lower: 1,
      unless: { slot: 'race', where: { severity: 'HIGH' } },
      because: 'It is not certain that the fetched code runs, or that the approval is required.',
    },
    ...WEAK_CREDENTIAL,
  ],
  stages: [
    {
      title: 'A maintainer approves a harmless commit',
      description: 'After reading the code, they comment, set a label or approve the deployment to an environment.',
    },
    {
      slot: 'race',
      title: 'The author pushes different code',
      description: 'The run resolves the branch only after the approval, so it checks out the newer commit.',
    },
    {
      slot: 'execution',
      title: 'The job executes it',
      description: 'A build or test step runs code that no one has read.',
    },
    { slot: 'loose', title: 'The credential is stolen', description: 'The code reads the job’s token or secret.' },
  ],
  impact: 'The approval is worthless: unreviewed code runs with the repository’s privileges.',
  breakChain: { text: 'Check out the approved commit by its SHA.', slot: 'race' },
  references: [
    'https://github.com/AdnaneKhan/ActionsTOCTOU',
    'https://codeql.github.com/codeql-query-help/actions/actions-untrusted-checkout-toctou-high/',
  ],
  since: '0.1.0',
  examples: {
    bad: [
      {
        yaml: yaml`
          on: { pull_request_target: { types: [labeled] } }
          permissions: { contents: write }
          jobs:
            test:
              if: contains(github.event.pull_request.labels.*.name, 'safe')
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.2.2
                  with: { ref: "\${{ github.event.pull_request.head.ref }}", repository: "\${{ github.event.pull_request.head.repo.full_name }}" }
                - run: npm ci
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: { pull_request_target: { types: [labeled] } }
          permissions: { contents: write }
          jobs:
            test:
              if: contains(github.event.pull_request.labels.*.name, 'safe')
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.2.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: npm ci
        `,
      },
    ],
  },
});
