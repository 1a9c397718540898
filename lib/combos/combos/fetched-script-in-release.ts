import { yaml } from '#lib/scanner/engine/rule.ts';
import { defineCombo, FOREIGN_CREDENTIAL, RELEASE_CREDENTIAL } from '../combo.ts';

export const fetchedScriptInRelease = defineCombo({
  id: 'fetched-script-in-release',
  title: 'Unverified download executed in a release job',
  severity: 'HIGH',
  slots: {
    script: { any: [{ rule: 'unverified-script-exec', atLeast: 'MEDIUM' }] },
    credential: RELEASE_CREDENTIAL,
    others: { optional: true, any: FOREIGN_CREDENTIAL.any },
    release: { any: [{ fact: 'publish-step' }] },
  },
  join: { same: 'job' },
  stages: [
    {
      title: 'The remote file changes',
      description: 'Its owner, whoever took over the server or account, or somebody on the way replaces it.',
    },
    {
      slot: 'script',
      title: 'The job executes it',
      description: 'Nothing compares what arrived with what was expected.',
    },
    {
      title: 'The credential leaves, or what is shipped changes',
      description: 'The script sees the environment and the files of the release.',
    },
  ],
  impact: 'The release is compromised by a file outside of the repository.',
  breakChain: { text: 'Keep the script in the repository, or compare its digest before it runs.', slot: 'script' },
  references: [
    'https://about.codecov.io/security-update/',
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
            publish:
              runs-on: ubuntu-latest
              steps:
                - run: curl -s https://tools.acme.example/setup.sh | bash
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: read }
          jobs:
            publish:
              runs-on: ubuntu-latest
              steps:
                - run: ./setup.sh
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
        `,
      },
    ],
  },
});
