import { yaml } from '#lib/scanner/engine/rule.ts';
import { defineCombo } from '../combo.ts';

export const passwordInPublicFile = defineCombo({
  id: 'password-in-public-file',
  title: 'Plaintext password in the workflow gives access to a service that the job uses',
  severity: 'HIGH',
  slots: {
    password: {
      any: [{ rule: 'hardcoded-container-credentials' }, { rule: 'hardcoded-secret', atLeast: 'HIGH' }],
    },
    image: { optional: true, any: [{ rule: 'unpinned-images' }] },
  },
  join: { same: 'job' },
  modifiers: [
    { lower: 1, when: 'private', because: 'The repository is private: only people with access can read the file.' },
  ],
  stages: [
    {
      slot: 'password',
      title: 'An attacker reads the file',
      description: 'The password is in the file, and stays in its history after removal.',
    },
    { title: 'They sign in with it', description: 'The registry or service accepts the sign-in from anywhere.' },
    {
      slot: 'image',
      title: 'Their changes reach runs and users',
      description: 'They receive the pushed image or the changed data.',
    },
  ],
  impact: 'Anyone who can read the repository can use the account behind the password.',
  breakChain: { text: 'Rotate the password, and store the new one as a secret.', slot: 'password' },
  references: ['https://docs.github.com/actions/reference/security/secure-use#use-secrets-for-sensitive-information'],
  since: '0.1.0',
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            test:
              runs-on: ubuntu-latest
              container:
                image: registry.acme.example/tools:1
                credentials: { username: ci, password: hunter2hunter2 }
              steps:
                - run: make test
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            test:
              runs-on: ubuntu-latest
              container:
                image: registry.acme.example/tools:1
                credentials: { username: ci, password: "\${{ secrets.REGISTRY_PASSWORD }}" }
              steps:
                - run: make test
        `,
      },
    ],
  },
});
