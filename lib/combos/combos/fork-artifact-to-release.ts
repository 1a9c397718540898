import { yaml } from '#lib/scanner/engine/rule.ts';
import { defineCombo } from '../combo.ts';

export const forkArtifactToRelease = defineCombo({
  id: 'fork-artifact-to-release',
  title: 'Fork-built artifact is published',
  severity: 'CRITICAL',
  slots: {
    upload: { any: [{ fact: 'artifact-upload', where: { outsider: true } }, { fact: 'pull-request-artifact' }] },
    artifact: { any: [{ rule: 'artifact-poisoning', atLeast: 'MEDIUM', where: { use: ['shipped', 'published'] } }] },
    unverified: { optional: true, any: [{ rule: 'unverified-artifact-consumption' }] },
    release: { any: [{ fact: 'publish-step' }] },
  },
  join: { from: ['upload'], by: 'artifact' },
  modifiers: [
    {
      lower: 1,
      unless: { slot: 'artifact', where: { use: 'shipped', severity: 'HIGH' } },
      because: 'It is likely but not certain that the published files come from the artifact.',
    },
    {
      lower: 1,
      unless: { slot: 'release', where: { kind: ['package', 'image', 'release', 'attest', 'sign'] } },
      because: 'The run publishes a site or preview, not something that others install.',
    },
    {
      lower: 1,
      when: 'private',
      because: 'The repository is private: only people with access can open a pull request.',
    },
  ],
  stages: [
    {
      title: 'A fork’s pull request uploads a file',
      description: 'Its run uses the fork’s own version of the workflow, so the file contains whatever the fork wants.',
    },
    {
      slot: 'artifact',
      title: 'A privileged run downloads it by name',
      description: 'No digest or attestation ties it to a trusted build.',
    },
    {
      title: 'It is published under the project’s name',
      description: 'The run publishes, signs or attests it with the project’s credentials.',
    },
  ],
  impact: 'An outsider’s file is released or signed as the project’s own.',
  breakChain: {
    text: 'Build releases from the merged commit, or verify the file’s digest or attestation first.',
    slot: 'artifact',
  },
  references: ['https://www.legitsecurity.com/blog/artifact-poisoning-vulnerability-discovered-in-rust'],
  since: '0.1.0',
  examples: {
    bad: [
      {
        yaml: {
          '.github/workflows/test.yml': yaml`
            name: Test
            on: pull_request
            jobs:
              test:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/upload-artifact@v4
                    with: { name: package, path: dist }
          `,
          '.github/workflows/ship.yml': yaml`
            on: { workflow_run: { workflows: [Test], types: [completed] } }
            permissions: { contents: write }
            jobs:
              ship:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/download-artifact@v4
                    with: { name: package, path: dist, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
                  - run: npm publish dist/app.tgz
                    env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
          `,
        },
      },
    ],
    good: [
      {
        yaml: {
          '.github/workflows/test.yml': yaml`
            name: Test
            on: pull_request
            jobs:
              test:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/upload-artifact@v4
                    with: { name: package, path: dist }
          `,
          '.github/workflows/ship.yml': yaml`
            on: { push: { tags: ['v*'] } }
            permissions: { contents: write }
            jobs:
              ship:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - run: npm publish
                    env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
          `,
        },
      },
    ],
  },
});
