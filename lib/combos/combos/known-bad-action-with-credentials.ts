import { yaml } from '#lib/scanner/engine/rule.ts';
import { CREDENTIAL, defineCombo, LOOSE_CREDENTIAL, WORTH_STEALING } from '../combo.ts';

export const knownBadActionWithCredentials = defineCombo({
  id: 'known-bad-action-with-credentials',
  title: 'Known malicious or vulnerable action holds credentials',
  severity: 'CRITICAL',
  slots: {
    action: {
      any: [
        { rule: 'compromised-action-ref', atLeast: 'MEDIUM' },
        { rule: 'known-vulnerable-actions', atLeast: 'HIGH' },
      ],
    },
    // Malicious code takes even a read-only token, which opens the code of a private repository.
    credential: { any: [...CREDENTIAL.any, { fact: 'job-token' }] },
    loose: LOOSE_CREDENTIAL,
  },
  join: { same: 'job' },
  modifiers: [
    {
      lower: 1,
      unless: { slot: 'action', where: { active: true } },
      because: 'The version has a known vulnerability but is not known to be malicious.',
    },
    {
      lower: 1,
      unless: { slot: 'credential', where: { strength: WORTH_STEALING } },
      because:
        'The only credential in reach is a token that can only read or change conversations or packages that nothing publishes, or one whose permissions the files do not state.',
    },
  ],
  stages: [
    {
      slot: 'action',
      title: 'The affected version runs',
      description: 'The reference resolves to code that is known to be malicious or vulnerable.',
    },
    {
      title: 'The payload runs or the vulnerability is exploited',
      description: 'Malicious code needs nothing else; a vulnerability needs the input that its advisory describes.',
    },
    {
      slot: 'loose',
      title: 'The credential is stolen',
      description: 'The code reads the token or secret from the environment or the runner’s memory.',
    },
  ],
  impact: 'Treat everything the job holds as leaked, and rotate it.',
  breakChain: { text: 'Remove the action or use a clean version, then rotate the credentials.', slot: 'action' },
  references: [
    'https://github.com/advisories/GHSA-mrrh-fwg8-r2c3',
    'https://www.stepsecurity.io/blog/actions-cool-issues-helper-github-action-compromised-all-tags-point-to-imposter-commit-that-exfiltrates-ci-cd-credentials',
  ],
  since: '0.1.0',
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          permissions: { contents: write }
          jobs:
            lint:
              runs-on: ubuntu-latest
              steps:
                - uses: tj-actions/changed-files@0e58ed8671d6b60d0890c21b07f8835ace038e67
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { packages: write }
          jobs:
            lint:
              runs-on: ubuntu-latest
              steps:
                - uses: tj-actions/changed-files@0e58ed8671d6b60d0890c21b07f8835ace038e67
        `,
        severity: 'HIGH',
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          permissions: { contents: write }
          jobs:
            lint:
              runs-on: ubuntu-latest
              steps:
                - uses: tj-actions/changed-files@24d32ffd492484c1d75e0c0b894501ddb9d30d62 # v47.0.0
        `,
      },
    ],
  },
});
