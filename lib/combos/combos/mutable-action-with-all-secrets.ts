import { yaml } from '#lib/scanner/engine/rule.ts';
import { defineCombo } from '../combo.ts';

export const mutableActionWithAllSecrets = defineCombo({
  id: 'mutable-action-with-all-secrets',
  title: 'Every secret is loaded next to untrusted action code',
  severity: 'HIGH',
  slots: {
    secrets: { any: [{ rule: 'overprovisioned-secrets' }] },
    action: {
      any: [
        { rule: 'unpinned-uses', atLeast: 'MEDIUM', where: { owner_trust: 'third-party' } },
        { rule: 'known-vulnerable-actions', atLeast: 'HIGH' },
        { rule: 'compromised-action-ref' },
      ],
    },
  },
  join: { same: 'job' },
  modifiers: [
    {
      lower: 1,
      unless: { slot: 'secrets', where: { severity: ['HIGH', 'MEDIUM'] } },
      because: 'Only the names listed in the matrix or choice are meant to be read.',
    },
    {
      lower: 1,
      unless: {
        slot: 'action',
        where: [{ operator: false }, { message: ['affected', 'affectedByComment', 'several'] }, { malware: true }],
      },
      because: 'The actions belong to the clouds and registries themselves.',
    },
    {
      lower: 1,
      unless: {
        slot: 'action',
        where: [{ vendors_keys: false }, { message: ['affected', 'affectedByComment', 'several'] }, { malware: true }],
      },
      because:
        'The job’s secrets and identity only open the service of the action’s publisher, as their names and its sign-in say.',
    },
  ],
  stages: [
    {
      slot: 'secrets',
      title: 'The runner receives every secret',
      description: 'The expression does not name a single secret, so GitHub sends all of them.',
    },
    {
      slot: 'action',
      title: 'Mutable code runs next to them',
      description: 'The action’s publisher, or someone who took over the account, decides what it does.',
    },
    { title: 'All secrets are stolen', description: 'The code reads them from the runner’s memory.' },
  ],
  impact: 'One malicious action exposes every secret of the repository.',
  breakChain: { text: 'Reference only the secrets that the step needs, by name.', slot: 'secrets' },
  references: [
    'https://github.com/advisories/GHSA-mrrh-fwg8-r2c3',
    'https://docs.github.com/actions/reference/security/secure-use#use-secrets-for-sensitive-information',
  ],
  since: '0.1.0',
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                - uses: somebody/setup@v1
                - run: ./deploy.sh
                  env: { ALL: "\${{ toJSON(secrets) }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                - uses: docker/setup-buildx-action@v3
                - run: ./deploy.sh
                  env: { ALL: "\${{ toJSON(secrets) }}" }
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: write }
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                - uses: docker/setup-buildx-action@0123456789abcdef0123456789abcdef01234567 # v3.0.0
                - uses: actions/download-artifact@v4.1.2
                - run: ./deploy.sh
                  env: { ALL: "\${{ toJSON(secrets) }}" }
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                - uses: somebody/setup@v1
                - run: ./deploy.sh
                  env: { KEY: "\${{ secrets.DEPLOY_KEY }}" }
        `,
      },
    ],
  },
});
