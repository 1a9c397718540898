import { yaml } from '#lib/scanner/engine/rule.ts';
import { defineCombo, RELEASE_CREDENTIAL, WORTH_STEALING } from '../combo.ts';

export const mutableImageBesideCredentials = defineCombo({
  id: 'mutable-image-beside-credentials',
  title: 'Container image by tag in a privileged job',
  severity: 'HIGH',
  slots: {
    image: {
      any: [
        { rule: 'unpinned-images', where: { role: ['container', 'step', 'action'], own: false } },
        { rule: 'unpinned-images', where: { handed: true } },
      ],
    },
    credential: { any: [...RELEASE_CREDENTIAL.any, { rule: 'unpinned-images', where: { handed: true } }] },
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
      unless: { slot: 'credential', where: [{ strength: WORTH_STEALING }, { handed: true }] },
      because:
        'Nothing in the job is known to use the only credential in reach, or it only signs or opens a build cache.',
    },
    {
      lower: 1,
      unless: { slot: 'image', where: { vendors_keys: false } },
      because:
        'The job’s secrets and identity only open the service of the image’s publisher, as their names and its sign-in say.',
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
  impact:
    'The release, the cloud account or whatever the key opens is taken over through an image that no one in this repository changed.',
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
                - uses: docker://somebody/tools:latest
                - id: jwt
                  uses: docker://somebody/sign-jwt@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
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
                  with: { role-to-assume: arn:aws:iam::402918374650:role/bump, aws-region: eu-west-1 }
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
                - uses: docker://somebody/sign-jwt:latest
                  env: { PRIVATE_KEY: "\${{ secrets.APP_KEY }}" }
                - run: make
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            sync:
              runs-on: ubuntu-latest
              steps:
                - uses: docker://somebody/mirror
                  with: { token: "\${{ secrets.MIRROR_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            sync:
              runs-on: ubuntu-latest
              container: somebody/tools:latest
              steps:
                - run: ./sync.sh
                  env: { TOKEN: "\${{ secrets.MIRROR_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            sync:
              runs-on: ubuntu-latest
              steps:
                - run: docker run --rm -e TOKEN somebody/mirror:latest push
                  env: { TOKEN: "\${{ secrets.MIRROR_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            scan:
              runs-on: ubuntu-latest
              environment: scans
              container: semgrep/semgrep
              steps:
                - run: semgrep ci
                  env: { SEMGREP_APP_TOKEN: "\${{ secrets.SEMGREP_APP_TOKEN }}" }
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read, id-token: write }
          jobs:
            scan:
              runs-on: ubuntu-latest
              environment: scans
              container: semgrep/semgrep
              steps:
                - run: semgrep ci
                  env: { SEMGREP_APP_TOKEN: "\${{ secrets.SEMGREP_APP_TOKEN }}" }
                - uses: aws-actions/configure-aws-credentials@7474bc4690e29a8392af63c5b98e7449536d5c3a
                  with: { role-to-assume: "\${{ vars.ROLE }}", aws-region: eu-west-1 }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            scan:
              runs-on: ubuntu-latest
              container: semgrep/semgrep
              steps:
                - run: semgrep ci && ./report.sh
                  env: { SEMGREP_APP_TOKEN: "\${{ secrets.SEMGREP_APP_TOKEN }}", TOKEN: "\${{ secrets.REPORTS_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            sync:
              runs-on: ubuntu-latest
              container: { image: "somebody/tools", env: { TOKEN: "\${{ secrets.MIRROR_TOKEN }}" } }
              steps:
                - run: ./sync.sh
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
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            scan:
              runs-on: ubuntu-latest
              steps:
                - uses: docker://semgrep/semgrep:latest
                  env: { SEMGREP_APP_TOKEN: "\${{ secrets.SEMGREP_APP_TOKEN }}", HOOK: "\${{ secrets.SLACK_HOOK }}" }
                - uses: docker://tencentcom/git-sync
                  env: { PLUGIN_PASSWORD: "\${{ secrets.DOCS_CNB_TOKEN }}" }
                - uses: docker://somebody/lint:latest
                  env: { GITHUB_TOKEN: "\${{ secrets.GITHUB_TOKEN }}", HOST: "\${{ secrets.MIRROR_HOST }}" }
                - uses: docker://somebody/mirror:1.2.3
                  env: { TOKEN: "\${{ secrets.MIRROR_TOKEN }}" }
                - uses: docker://123456789012.dkr.ecr.eu-west-1.amazonaws.com/mirror:latest
                  env: { TOKEN: "\${{ secrets.MIRROR_TOKEN }}" }
                - run: docker run --rm somebody/lint:latest && ./sync.sh
                  env: { TOKEN: "\${{ secrets.MIRROR_TOKEN }}" }
                - run: docker run --rm -v "$PWD:/work" somebody/lint:latest /work && ./sync.sh
                  env: { TOKEN: "\${{ secrets.MIRROR_TOKEN }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            sync:
              runs-on: ubuntu-latest
              container: somebody/tools:latest
              steps:
                - run: make
                - uses: acme/sync@0123456789abcdef0123456789abcdef01234567
                  with: { token: "\${{ secrets.MIRROR_TOKEN }}" }
        `,
      },
    ],
  },
});
