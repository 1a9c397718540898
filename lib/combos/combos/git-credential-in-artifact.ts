import { yaml } from '#lib/scanner/engine/rule.ts';
import { CREDENTIAL, defineCombo, WEAK_CREDENTIAL } from '../combo.ts';

export const gitCredentialInArtifact = defineCombo({
  id: 'git-credential-in-artifact',
  title: 'Checkout token is uploaded with the workspace',
  severity: 'HIGH',
  slots: {
    stored: { any: [{ rule: 'artipacked', atLeast: 'MEDIUM', where: { message: 'artifact' } }] },
    upload: { any: [{ fact: 'artifact-upload' }] },
    credential: CREDENTIAL,
  },
  join: { same: 'job' },
  order: [['stored', 'upload']],
  modifiers: [
    {
      lower: 1,
      unless: { slot: 'stored', where: { severity: 'HIGH' } },
      because: 'The files do not state the permissions of the stored token.',
    },
    ...WEAK_CREDENTIAL,
    {
      lower: 1,
      when: 'private',
      because: 'The repository is private: only people with access can download artifacts.',
    },
  ],
  stages: [
    {
      slot: 'stored',
      title: 'The checkout stores the token',
      description: 'Git’s configuration in the workspace keeps it for later commands.',
    },
    {
      title: 'The whole workspace is uploaded',
      description: 'The artifact includes the hidden `.git` directory and its configuration.',
    },
    {
      title: 'An outsider downloads it while the job runs',
      description:
        'Anyone with a GitHub account can download artifacts of public repositories, even before the job ends.',
    },
    { title: 'They use the token', description: 'It can push or publish releases until the job ends.' },
  ],
  impact: 'Outsiders get write access for as long as the token lives; a stored personal access token stays valid.',
  breakChain: {
    text: 'Set `persist-credentials: false` on the checkout, and upload only build output.',
    slot: 'stored',
  },
  references: ['https://unit42.paloaltonetworks.com/github-repo-artifacts-leak-tokens/'],
  since: '0.1.0',
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          permissions: { contents: write }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.2.2
                - uses: actions/upload-artifact@v4.3.0
                  with: { name: workspace, path: . }
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            docs:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4
                - uses: actions/upload-artifact@v4.1.0
                  with: { name: tree, path: . }
                - run: git commit -am docs && git push origin HEAD
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          permissions: { contents: write }
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.2.2
                  with: { persist-credentials: false }
                - uses: actions/upload-artifact@v4.3.0
                  with: { name: workspace, path: . }
        `,
      },
    ],
  },
});
