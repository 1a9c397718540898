import { yaml } from '#lib/scanner/engine/rule.ts';
import { defineCombo, LITTLE_IDENTITY, RELEASED } from '../combo.ts';

export const mutableActionBesideWriteToken = defineCombo({
  id: 'mutable-action-beside-write-token',
  title: 'Mutable third-party action next to a token that releases or pushes',
  severity: 'HIGH',
  slots: {
    action: { any: [{ rule: 'unpinned-uses', atLeast: 'MEDIUM', where: { owner_trust: 'third-party' } }] },
    token: { any: [{ fact: 'token-write', where: { foremost: true } }] },
    identity: LITTLE_IDENTITY,
    release: RELEASED,
    weight: {
      optional: true,
      any: [
        { fact: 'id-token-write', where: { strength: 'signs' } },
        { rule: 'unpinned-uses', atLeast: 'HIGH', where: { owner_trust: 'third-party' } },
      ],
    },
  },
  join: { same: 'job' },
  modifiers: [
    {
      lower: 1,
      unless: { slot: 'action', where: { operator: false } },
      because: 'The actions belong to the clouds and registries themselves.',
    },
    {
      lower: 1,
      unless: { slot: 'weight', where: {} },
      because:
        'The action is used by tag: its publisher, or whoever takes over the account, has to move the tag; and nothing in the job signs what it releases.',
    },
  ],
  stages: [
    {
      slot: 'action',
      title: 'The action’s code changes',
      description: 'Its publisher, or someone who took over the account, pushes to the branch or moves the tag.',
    },
    {
      slot: 'token',
      title: 'The new code takes the job’s token',
      description: 'Every action of a job can read it, whether or not the step passes it on.',
    },
    {
      title: 'It pushes or replaces a release',
      description: 'While the job runs, the token changes branches, tags, releases or packages of this repository.',
    },
  ],
  impact: 'The attacker decides what the repository contains, or what its users download.',
  breakChain: {
    text: 'Pin the action to a full commit SHA, and give write access only to the job that releases.',
    slot: 'action',
  },
  references: [
    'https://github.com/advisories/GHSA-mrrh-fwg8-r2c3',
    'https://docs.github.com/actions/reference/security/secure-use#using-third-party-actions',
  ],
  since: '0.1.0',
  examples: {
    bad: [
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: write }
          jobs:
            release:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - uses: somebody/release@main
                - run: gh release create "$GITHUB_REF_NAME" dist/app.zip
                  env: { GH_TOKEN: "\${{ github.token }}" }
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: write, id-token: write }
          jobs:
            release:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - uses: softprops/action-gh-release@v2
                  with: { files: dist/app.zip }
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: write, id-token: write, attestations: write }
          jobs:
            release:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - uses: actions/attest@v4
                  with: { subject-path: dist/app.zip }
                - uses: softprops/action-gh-release@v2
                  with: { files: dist/app.zip }
        `,
      },
      {
        yaml: yaml`
          on: { push: { branches: [main] } }
          jobs:
            image:
              permissions: { contents: read, packages: write }
              runs-on: ubuntu-latest
              steps:
                - uses: somebody/setup@v1
                - uses: docker/login-action@0123456789abcdef0123456789abcdef01234567 # v3.0.0
                  with: { registry: ghcr.io, username: acme, password: "\${{ github.token }}" }
                - run: docker push ghcr.io/acme/app
        `,
        severity: 'MEDIUM',
      },
      {
        yaml: yaml`
          on: { schedule: [{ cron: '0 4 * * 1' }] }
          jobs:
            update:
              permissions: { contents: write }
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - uses: somebody/setup@v1
                - run: |
                    ./update.sh
                    git commit -am update
                    git push
        `,
        severity: 'MEDIUM',
      },
    ],
    good: [
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: write }
          jobs:
            release:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - uses: somebody/release@0123456789abcdef0123456789abcdef01234567 # v1.0.0
                - run: gh release create "$GITHUB_REF_NAME" dist/app.zip
                  env: { GH_TOKEN: "\${{ github.token }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: write, packages: write }
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - uses: somebody/setup@v1
                - run: make test
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: write, id-token: write }
          jobs:
            release:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - uses: somebody/setup@v1
                - run: npm publish
                - run: git push origin HEAD:main
        `,
      },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          permissions: { contents: write }
          jobs:
            release:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - uses: softprops/action-gh-release@v2
                - run: npm publish
                  env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
        `,
      },
    ],
  },
});
