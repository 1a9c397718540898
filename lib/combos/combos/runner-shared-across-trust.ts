import { yaml } from '#lib/scanner/engine/rule.ts';
import { defineCombo } from '../combo.ts';

export const runnerSharedAcrossTrust = defineCombo({
  id: 'runner-shared-across-trust',
  title: 'Release shares a runner with low-trust jobs',
  severity: 'HIGH',
  slots: {
    shared: { any: [{ rule: 'runner-shared-across-trust', where: { message: ['outsiders', 'members'] } }] },
    machine: { optional: true, any: [{ rule: 'self-hosted-runner' }] },
    credential: {
      any: [{ fact: 'secret-use' }, { fact: 'id-token-write' }, { fact: 'token-write', where: { strength: 'strong' } }],
    },
  },
  join: { same: 'job' },
  modifiers: [
    {
      lower: 1,
      unless: { slot: 'shared', where: { message: 'outsiders', severity: 'MEDIUM' } },
      because:
        'Only people with write access start the other job, or the labels name a machine that is started on demand.',
    },
  ],
  stages: [
    {
      title: 'Untrusted code runs on the machine',
      description: 'Another workflow brings unreviewed code to a runner with the same labels.',
    },
    {
      slot: 'machine',
      title: 'It persists',
      description: 'A process, a git or runner hook, or a changed tool waits on the machine.',
    },
    {
      slot: 'shared',
      title: 'The release is scheduled there',
      description: 'Its job runs on a machine that the attacker has prepared.',
    },
    {
      title: 'The credential is stolen',
      description: 'The attacker reads the release’s token, secret or identity and uses it elsewhere.',
    },
  ],
  impact: 'Anyone who can run a low-trust job can compromise the release.',
  breakChain: {
    text: 'Give releases dedicated runners, in a runner group that only their workflow can use.',
    slot: 'shared',
  },
  references: [
    'https://docs.github.com/actions/reference/security/secure-use#hardening-for-self-hosted-runners',
    'https://docs.github.com/actions/concepts/runners/runner-groups',
  ],
  since: '0.1.0',
  examples: {
    bad: [
      {
        yaml: {
          '.github/workflows/test.yml': yaml`
            on: pull_request
            permissions: { contents: read }
            jobs:
              test:
                runs-on: [self-hosted, builder]
                steps:
                  - uses: actions/checkout@v7
                  - run: make test
          `,
          '.github/workflows/release.yml': yaml`
            on: { push: { tags: ['v*'] } }
            permissions: { contents: read }
            jobs:
              release:
                runs-on: [self-hosted, builder]
                steps:
                  - run: npm publish
                    env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
          `,
        },
      },
    ],
    good: [
      {
        yaml: {
          '.github/workflows/test.yml': yaml`
            on: pull_request
            permissions: { contents: read }
            jobs:
              test:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - run: make test
          `,
          '.github/workflows/release.yml': yaml`
            on: { push: { tags: ['v*'] } }
            permissions: { contents: read }
            jobs:
              release:
                runs-on: [self-hosted, builder]
                steps:
                  - run: npm publish
                    env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
          `,
        },
      },
    ],
  },
});
