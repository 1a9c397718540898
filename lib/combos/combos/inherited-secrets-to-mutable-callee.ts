import { yaml } from '#lib/scanner/engine/rule.ts';
import { defineCombo } from '../combo.ts';

export const inheritedSecretsToMutableCallee = defineCombo({
  id: 'inherited-secrets-to-mutable-callee',
  title: 'All secrets are passed to another account’s mutable workflow',
  severity: 'MEDIUM',
  slots: {
    secrets: { any: [{ rule: 'secrets-inherit', atLeast: 'MEDIUM', where: { message: 'movable' } }] },
    callee: { any: [{ rule: 'unpinned-uses', where: { owner_trust: ['third-party', 'unclear'] } }] },
  },
  join: { same: 'job' },
  stages: [
    {
      slot: 'callee',
      title: 'The callee’s ref moves',
      description: 'Its owner, or someone who took over the account, points the branch or tag to other code.',
    },
    {
      slot: 'secrets',
      title: 'The caller passes every secret',
      description: '`secrets: inherit` passes all secrets instead of named ones.',
    },
    { title: 'The secrets are stolen', description: 'The changed workflow sends them away in its next run.' },
  ],
  impact:
    'An attacker obtains every secret of the caller, if GitHub passes them on: it does so within one organization or enterprise.',
  breakChain: { text: 'Pass only the secrets that the callee needs, by name.', slot: 'secrets' },
  references: [
    'https://docs.github.com/actions/how-tos/reuse-automations/reuse-workflows#passing-inputs-and-secrets-to-a-reusable-workflow',
    'https://docs.github.com/actions/reference/security/secure-use',
  ],
  since: '0.1.0',
  examples: {
    bad: [
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: read }
          jobs:
            release:
              if: github.repository_owner == 'acme'
              uses: build-kit/workflows/.github/workflows/release.yml@main
              secrets: inherit
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: read }
          jobs:
            release:
              if: github.repository_owner == 'acme'
              uses: build-kit/workflows/.github/workflows/release.yml@main
              secrets: { token: "\${{ secrets.RELEASE_TOKEN }}" }
        `,
      },
    ],
  },
});
