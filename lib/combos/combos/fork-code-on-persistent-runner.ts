import { yaml } from '#lib/scanner/engine/rule.ts';
import { defineCombo } from '../combo.ts';

export const forkCodeOnPersistentRunner = defineCombo({
  id: 'fork-code-on-persistent-runner',
  title: 'Fork pull requests run on a long-lived machine',
  severity: 'CRITICAL',
  slots: {
    trigger: { any: [{ fact: 'pr-trigger' }, { fact: 'outsider-trigger' }] },
    runner: {
      any: [
        { rule: 'self-hosted-runner-pr', atLeast: 'MEDIUM', where: { message: ['code', 'likely'], ephemeral: false } },
      ],
    },
    machine: { optional: true, any: [{ rule: 'self-hosted-runner' }] },
    policy: { any: [{ rule: 'fork-pr-policy' }, { fact: 'approval-policy-unknown' }] },
  },
  // One machine serves many jobs: the path is the repository's, and all of them are its evidence.
  join: { same: 'repository' },
  modifiers: [
    {
      lower: 2,
      unless: { slot: 'runner', where: { severity: 'HIGH' } },
      because:
        'That the label belongs to a machine of the project’s own, or that pull requests reach it, is likely and not certain.',
    },
    {
      lower: 1,
      when: 'private',
      because: 'The repository is private: only people with access can open a pull request.',
    },
  ],
  stages: [
    {
      slot: 'policy',
      title: 'A stranger becomes a contributor',
      description:
        'By default only the first pull request waits for an approval; a corrected typo earns the right to run.',
    },
    {
      slot: 'runner',
      title: 'Their pull request runs on the machine',
      description: 'The fork’s own version of the workflow and its code are executed there.',
    },
    { slot: 'machine', title: 'A process stays', description: 'The machine is not thrown away after the job.' },
    {
      title: 'Later jobs are harvested',
      description: 'The process reads the tokens and secrets of every job that comes after, and sees the network.',
    },
  ],
  impact: 'A stranger holds a machine inside the network, and with it every secret that later jobs bring there.',
  breakChain: {
    text: 'Run pull requests on hosted machines, or on ones that are thrown away after each job.',
    slot: 'runner',
  },
  references: [
    'https://johnstawinski.com/2024/01/11/playing-with-fire-how-we-executed-a-critical-supply-chain-attack-on-pytorch/',
    'https://docs.github.com/actions/reference/security/secure-use#hardening-for-self-hosted-runners',
  ],
  since: '0.1.0',
  examples: {
    bad: [
      {
        yaml: yaml`
          on: pull_request
          permissions: { contents: read }
          jobs:
            gpu:
              runs-on: [self-hosted, linux, gpu]
              steps:
                - uses: actions/checkout@v7
                - run: make test
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: pull_request
          permissions: { contents: read }
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - run: make test
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            gpu:
              runs-on: [self-hosted, linux, gpu]
              steps:
                - uses: actions/checkout@v7
                - run: make test
        `,
      },
    ],
  },
});
