import { yaml } from '#lib/scanner/engine/rule.ts';
import { defineCombo } from '../combo.ts';

export const forkCodeOnPersistentRunner = defineCombo({
  id: 'fork-code-on-persistent-runner',
  title: 'Fork pull requests run on a persistent self-hosted runner',
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
  join: { same: 'repository' },
  modifiers: [
    {
      lower: 2,
      unless: { slot: 'runner', where: { severity: 'HIGH' } },
      because:
        'It is likely but not certain that the label belongs to a self-hosted runner, that pull requests reach it, or that the machine outlives the job.',
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
      title: 'An outsider becomes a contributor',
      description:
        'By default only the first pull request needs approval; fixing a typo earns the right to run workflows.',
    },
    {
      slot: 'runner',
      title: 'Their pull request runs on the machine',
      description: 'It executes the fork’s code and the fork’s own version of the workflow.',
    },
    { slot: 'machine', title: 'A process stays behind', description: 'The machine is not discarded after the job.' },
    {
      title: 'The process steals from later jobs',
      description: 'It reads the tokens and secrets of every later job and can reach the internal network.',
    },
  ],
  impact: 'An outsider controls a machine inside the network, and with it every secret of later jobs.',
  breakChain: {
    text: 'Run pull requests on hosted runners, or on runners that are discarded after each job.',
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
