import { yaml } from '#lib/scanner/engine/rule.ts';
import { defineCombo } from '../combo.ts';

export const passwordInPublicFile = defineCombo({
  id: 'password-in-public-file',
  title: 'Password in the workflow opens what the job runs in',
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
      title: 'Somebody reads the file',
      description: 'The password stands in it, and in the history after it is removed.',
    },
    { title: 'They sign in with it', description: 'The registry or service does not ask from where.' },
    {
      slot: 'image',
      title: 'What they leave there is used',
      description: 'A pushed image or changed data comes back into runs and to users.',
    },
  ],
  impact: 'Whoever can read the repository uses the account behind the password.',
  breakChain: { text: 'Replace the password, and keep the new one as a secret.', slot: 'password' },
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
