import { yaml } from '#lib/scanner/engine/rule.ts';
import { defineCombo } from '../combo.ts';

export const botImpersonationAutomerge = defineCombo({
  id: 'bot-impersonation-automerge',
  title: 'Spoofable bot check guards an auto-merge',
  severity: 'HIGH',
  slots: {
    check: { any: [{ rule: 'bot-conditions', atLeast: 'MEDIUM' }] },
    merge: { any: [{ rule: 'confused-deputy-auto-merge', atLeast: 'MEDIUM' }] },
    credential: { any: [{ fact: 'token-write' }, { fact: 'secret-use' }] },
  },
  join: { same: 'job' },
  modifiers: [
    {
      lower: 1,
      unless: { slot: 'merge', where: { severity: 'HIGH' } },
      because: 'Another condition protects the merge, or the merge is not automatic.',
    },
  ],
  stages: [
    {
      title: 'A bot is the last actor on an outsider’s pull request',
      description: 'The outsider gets the bot to update or rebase their branch, which makes the bot the actor.',
    },
    {
      slot: 'check',
      title: 'The actor check passes',
      description: 'The condition checks who acted last, not who wrote the change.',
    },
    {
      slot: 'merge',
      title: 'The change is approved or merged',
      description: 'The job acts with the repository’s privileges on code that no one has read.',
    },
  ],
  impact: 'An outsider’s unreviewed code reaches the default branch.',
  breakChain: {
    text: 'Check `github.event.pull_request.user.login`, and that the head branch belongs to this repository.',
    slot: 'check',
  },
  references: ['https://www.synacktiv.com/publications/github-actions-exploitation-dependabot'],
  since: '0.1.0',
  examples: {
    bad: [
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: write, pull-requests: write }
          jobs:
            merge:
              if: github.actor == 'dependabot[bot]'
              runs-on: ubuntu-latest
              steps:
                - run: gh pr merge --auto --squash "$URL"
                  env: { URL: "\${{ github.event.pull_request.html_url }}", GH_TOKEN: "\${{ github.token }}" }
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: write, pull-requests: write }
          jobs:
            merge:
              if: github.event.pull_request.user.login == 'dependabot[bot]'
              runs-on: ubuntu-latest
              steps:
                - run: gh pr merge --auto --squash "$URL"
                  env: { URL: "\${{ github.event.pull_request.html_url }}", GH_TOKEN: "\${{ github.token }}" }
        `,
      },
    ],
  },
});
