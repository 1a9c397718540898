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
      because: 'The files do not say what the stored token may do.',
    },
    WEAK_CREDENTIAL,
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
      description: 'Git’s configuration in the workspace holds it for later commands.',
    },
    {
      title: 'The whole workspace is uploaded',
      description: 'The artifact takes in the hidden folder with the configuration.',
    },
    {
      title: 'A stranger downloads it in time',
      description:
        'Artifacts of public repositories can be read by everybody with an account, while the job still runs.',
    },
    { title: 'They use the token', description: 'It pushes or releases until the job ends.' },
  ],
  impact: 'Strangers get write access for as long as the token lives; a stored personal token lives on.',
  breakChain: {
    text: 'Set `persist-credentials: false` on the checkout, and upload only what was built.',
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
