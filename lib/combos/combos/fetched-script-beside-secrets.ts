import { yaml } from '#lib/scanner/engine/rule.ts';
import { defineCombo, FOREIGN_CREDENTIAL, WORTH_STEALING } from '../combo.ts';

export const fetchedScriptBesideSecrets = defineCombo({
  id: 'fetched-script-beside-secrets',
  title: 'Unverified download executed next to secrets',
  severity: 'HIGH',
  slots: {
    script: { any: [{ rule: 'unverified-script-exec', atLeast: 'MEDIUM' }] },
    credential: FOREIGN_CREDENTIAL,
  },
  join: { same: 'job' },
  modifiers: [
    {
      lower: 1,
      unless: { slot: 'credential', where: { strength: WORTH_STEALING } },
      because: 'The only credential in reach is a key that only sends data to a service.',
    },
  ],
  stages: [
    {
      title: 'The remote file changes',
      description: 'Its owner, someone who took over the server or account, or a man in the middle replaces it.',
    },
    {
      slot: 'script',
      title: 'The job executes it',
      description: 'No checksum is compared before it runs.',
    },
    {
      title: 'The secrets are stolen',
      description: 'The script reads the environment, git’s configuration or the runner’s memory, and sends them away.',
    },
  ],
  impact: 'An attacker can use everything the job’s secrets unlock, unnoticed for as long as the file stays changed.',
  breakChain: { text: 'Keep the script in the repository, or compare its digest before running it.', slot: 'script' },
  references: ['https://about.codecov.io/security-update/'],
  since: '0.1.0',
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            coverage:
              runs-on: ubuntu-latest
              steps:
                - run: bash <(curl -s https://uploads.acme.example/bash)
                  env: { UPLOAD_TOKEN: "\${{ secrets.UPLOAD_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            measure:
              runs-on: ubuntu-latest
              steps:
                - run: bash <(curl -s https://tools.acme.example/install)
                - run: ./measure
                  env: { DATADOG_API_KEY: "\${{ secrets.DATADOG_API_KEY }}" }
        `,
        severity: 'MEDIUM',
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            coverage:
              runs-on: ubuntu-latest
              steps:
                - run: ./upload.sh
                  env: { UPLOAD_TOKEN: "\${{ secrets.UPLOAD_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            coverage:
              runs-on: ubuntu-latest
              steps:
                - run: bash <(curl -s https://uploads.acme.example/bash)
        `,
      },
    ],
  },
});
