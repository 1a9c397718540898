import { yaml } from '#lib/scanner/engine/rule.ts';
import { defineCombo } from '../combo.ts';

export const personalTokenToMovableAction = defineCombo({
  id: 'personal-token-to-movable-action',
  title: 'Mutable action receives a personal token',
  severity: 'HIGH',
  slots: {
    action: { any: [{ rule: 'unpinned-uses', atLeast: 'MEDIUM', where: { owner_trust: 'third-party' } }] },
    token: { any: [{ fact: 'personal-token' }] },
    chance: {
      any: [
        { fact: 'personal-token', where: { lasting: true } },
        { rule: 'unpinned-uses', where: { mutability: ['branch', 'channel'] } },
      ],
    },
  },
  join: { same: 'step' },
  modifiers: [
    {
      lower: 1,
      unless: { slot: 'action', where: { mutability: ['branch', 'channel'] } },
      because: 'The action is used by tag: its publisher, or whoever takes over the account, has to move the tag.',
    },
    {
      lower: 1,
      unless: { slot: 'token', where: { lasting: true } },
      because:
        'Only the token of an app is in reach: it expires within the hour and gives what the app was installed for.',
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
      title: 'The job passes it a stored token',
      description:
        'The step hands it over, or an earlier one left it on disk. It belongs to a person, a bot, an app or the repository, not to this run.',
    },
    {
      title: 'The token works elsewhere',
      description: 'It gives access to every repository its owner can access, and stays valid after the run.',
    },
  ],
  impact:
    'The attacker acts as the person, bot or app in every repository that the token can access, until it is revoked.',
  breakChain: {
    text: 'Pin the action to a full commit SHA, and give it the job’s own token where that is enough.',
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
          on: push
          permissions: { contents: read }
          jobs:
            sync:
              runs-on: ubuntu-latest
              steps:
                - uses: acme/mirror@main
                  with: { github_token: "\${{ secrets.BOT_PAT }}" }
        `,
      },
      {
        severity: 'MEDIUM',
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            release:
              runs-on: ubuntu-latest
              steps:
                - uses: acme/release@v2
                  env: { GITHUB_TOKEN: "\${{ secrets.RELEASE_TOKEN || secrets.GITHUB_TOKEN }}" }
        `,
      },
      {
        severity: 'MEDIUM',
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            app:
              runs-on: ubuntu-latest
              steps:
                - uses: acme/app-token@v1
                  with: { app_id: "1", private_key: "\${{ secrets.RELEASE_APP_PRIVATE_KEY }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            release:
              if: github.repository_owner == 'octo-org'
              uses: acme/workflows/.github/workflows/release.yml@main
              secrets: { token: "\${{ secrets.RELEASE_PAT }}" }
        `,
      },
      {
        severity: 'MEDIUM',
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            sync:
              if: github.repository_owner == 'octo-org'
              uses: acme/workflows/.github/workflows/sync.yml@v3
              with: { bot: octobot }
              secrets: { github_pat: "\${{ secrets.OCTOBOT }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            format:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with: { token: "\${{ secrets.BOT_PAT }}" }
                - uses: acme/format@main
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            key:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with: { ssh-key: "\${{ secrets.DEPLOY_KEY }}" }
                - uses: acme/format@main
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            remote:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - run: git remote set-url origin "https://bot:$BOT_PAT@github.com/$GITHUB_REPOSITORY"
                  env: { BOT_PAT: "\${{ secrets.BOT_PAT }}" }
                - uses: acme/format@main
        `,
      },
      {
        severity: 'MEDIUM',
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            release:
              runs-on: ubuntu-latest
              steps:
                - id: app
                  uses: actions/create-github-app-token@v3
                  with: { app-id: "1", private-key: "\${{ secrets.RELEASE_APP_KEY }}" }
                - uses: acme/release@main
                  with: { token: "\${{ steps.app.outputs.token }}" }
        `,
      },
      {
        severity: 'MEDIUM',
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            disk:
              runs-on: ubuntu-latest
              steps:
                - id: app
                  uses: actions/create-github-app-token@v3
                  with: { app-id: "1", private-key: "\${{ secrets.RELEASE_APP_KEY }}" }
                - uses: actions/checkout@v7
                  with: { token: "\${{ steps.app.outputs.token }}" }
                - uses: acme/setup@v1
                - uses: acme/format@main
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            sync:
              runs-on: ubuntu-latest
              steps:
                - uses: acme/mirror@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v1.0.0
                  with: { github_token: "\${{ secrets.BOT_PAT }}" }
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
                - uses: acme/mirror@main
                  with: { github_token: "\${{ secrets.GITHUB_TOKEN }}" }
                - uses: acme/coverage@main
                  with: { token: "\${{ secrets.CODECOV_TOKEN }}" }
                - uses: acme/notify@main
                  with: { token: "\${{ secrets.SLACK_TOKEN }}" }
                - uses: actions/checkout@v7
                  with: { token: "\${{ secrets.BOT_PAT }}" }
                - run: ./sync.sh
                  env: { GH_TOKEN: "\${{ secrets.BOT_PAT }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            release:
              if: github.repository_owner == 'octo-org'
              uses: acme/workflows/.github/workflows/release.yml@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v1.0.0
              secrets: { token: "\${{ secrets.RELEASE_PAT }}" }
            preview:
              uses: acme/workflows/.github/workflows/preview.yml@main
              secrets: { token: "\${{ secrets.GITHUB_TOKEN }}", netlify: "\${{ secrets.NETLIFY_TOKEN }}" }
            own:
              uses: ./.github/workflows/own.yml
              secrets: { token: "\${{ secrets.RELEASE_PAT }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            format:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with: { token: "\${{ secrets.BOT_PAT }}", persist-credentials: false }
                - uses: acme/format@main
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            release:
              runs-on: ubuntu-latest
              steps:
                - id: app
                  uses: actions/create-github-app-token@v3
                  with: { app-id: "1", private-key: "\${{ secrets.RELEASE_APP_KEY }}" }
                - uses: acme/release@v2
                  with: { token: "\${{ steps.app.outputs.token }}" }
        `,
      },
    ],
  },
});
