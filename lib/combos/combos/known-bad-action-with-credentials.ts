import { yaml } from '#lib/scanner/engine/rule.ts';
import { CREDENTIAL, defineCombo, LOOSE_CREDENTIAL } from '../combo.ts';

export const knownBadActionWithCredentials = defineCombo({
  id: 'known-bad-action-with-credentials',
  title: 'Known malicious or exploitable action holds credentials',
  severity: 'CRITICAL',
  slots: {
    action: {
      any: [
        { rule: 'compromised-action-ref', atLeast: 'MEDIUM' },
        { rule: 'known-vulnerable-actions', atLeast: 'HIGH' },
      ],
    },
    // Malicious code takes what it finds: the token of a job that only reads opens a private repository's code.
    credential: { any: [...CREDENTIAL.any, { fact: 'job-token' }] },
    loose: LOOSE_CREDENTIAL,
  },
  join: { same: 'job' },
  modifiers: [
    {
      lower: 1,
      unless: { slot: 'action', where: { active: true } },
      because: 'The version has a known weakness and is not known to be malicious now.',
    },
    {
      lower: 1,
      unless: { slot: 'credential', where: { strength: 'strong' } },
      because:
        'All there is to take is a token that reads, or changes conversation only, or one whose rights the files do not say.',
    },
  ],
  stages: [
    {
      slot: 'action',
      title: 'The affected version runs',
      description: 'The reference names code that is known to be malicious, or that can be exploited.',
    },
    {
      title: 'The payload or exploit works',
      description: 'Malicious code needs nothing more; a weakness needs the input that its advisory names.',
    },
    {
      slot: 'loose',
      title: 'The credential leaves',
      description: 'The code reads the token or secret from the environment or the runner’s memory.',
    },
  ],
  impact: 'Assume that what the job holds is known to others, and replace it.',
  breakChain: { text: 'Remove the action or use a clean version, then replace the credentials.', slot: 'action' },
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
