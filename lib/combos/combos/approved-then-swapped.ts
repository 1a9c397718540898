import { yaml } from '#lib/scanner/engine/rule.ts';
import { CREDENTIAL, defineCombo, LOOSE_CREDENTIAL, WEAK_CREDENTIAL } from '../combo.ts';

export const approvedThenSwapped = defineCombo({
  id: 'approved-then-swapped',
  title: 'Head changes between approval and checkout',
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
      because: 'The code that is fetched is not certain to run, or what approves is not certain to be asked for.',
    },
    WEAK_CREDENTIAL,
  ],
  stages: [
    {
      title: 'A maintainer approves a harmless head',
      description: 'They comment, set a label or let the environment go on after reading the code.',
    },
    {
      slot: 'race',
      title: 'The author pushes other code',
      description: 'The run resolves the branch after the approval, so it fetches what was pushed in between.',
    },
    { slot: 'execution', title: 'The job executes it', description: 'A build or test step runs what nobody has read.' },
    { slot: 'loose', title: 'The credential leaves', description: 'The code reads the token or secret of the job.' },
  ],
  impact: 'The approval becomes a formality: unread code runs with the repository’s rights.',
  breakChain: { text: 'Check out the commit that stood there when it was approved, by its hash.', slot: 'race' },
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
