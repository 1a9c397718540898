import { yaml } from '#lib/scanner/engine/rule.ts';
import { defineCombo, RELEASE_CREDENTIAL, WORTH_STEALING } from '../combo.ts';

export const mutableImageBesideCredentials = defineCombo({
  id: 'mutable-image-beside-credentials',
  title: 'Container image by tag in a privileged job',
  severity: 'HIGH',
  slots: {
    image: { any: [{ rule: 'unpinned-images', where: { role: ['container', 'step', 'action'], own: false } }] },
    credential: RELEASE_CREDENTIAL,
  },
  join: { same: 'job' },
  modifiers: [
    {
      lower: 1,
      unless: { slot: 'image', where: { message: 'moving' } },
      because: 'The image tag is a version: its publisher has to overwrite that version.',
    },
    {
      lower: 1,
      unless: { slot: 'credential', where: { strength: WORTH_STEALING } },
      because: 'Nothing in the job is known to use the only credential in reach, or it opens a build cache only.',
    },
  ],
  stages: [
    {
      title: 'The image is replaced',
      description: 'Its publisher, or someone who took over the account, pushes different content under the tag.',
    },
    {
      slot: 'image',
      title: 'The job runs in it',
      description: 'The next run pulls whatever the tag refers to by then.',
    },
    {
      title: 'The credential is stolen',
      description: 'Programs in the image can read the environment, the workspace and every token the job requests.',
    },
  ],
  impact: 'The release or cloud account is taken over through an image that no one in this repository changed.',
  breakChain: { text: 'Reference the image by digest.', slot: 'image' },
  references: [
    'https://docs.docker.com/reference/cli/docker/image/pull/',
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
              container: somebody/builder:latest
              steps:
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: workflow_dispatch
          permissions: { contents: read, id-token: write }
          jobs:
            bump:
              runs-on: ubuntu-latest
              steps:
                - id: jwt
                  uses: docker://somebody/sign-jwt:latest
                  env: { PRIVATE_KEY: "\${{ secrets.APP_KEY }}" }
                - run: ./bump.sh
                  env: { TOKEN: "\${{ steps.jwt.outputs.jwt }}" }
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: workflow_dispatch
          permissions: { contents: read, id-token: write }
          jobs:
            bump:
              runs-on: ubuntu-latest
              steps:
                - uses: docker://somebody/tools:latest
                - uses: aws-actions/configure-aws-credentials@7474bc4690e29a8392af63c5b98e7449536d5c3a
                  with: { role-to-assume: arn:aws:iam::123456789012:role/bump, aws-region: eu-west-1 }
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
              container: somebody/builder@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
              steps:
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: read }
          jobs:
            publish:
              if: github.repository == 'acme/app'
              runs-on: ubuntu-latest
              steps:
                - uses: docker://ghcr.io/acme/tools:latest
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
        `,
      },
    ],
  },
});
