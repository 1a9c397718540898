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
      because: 'Something else stands before the merge, or it does not follow by itself.',
    },
  ],
  stages: [
    {
      title: 'A bot acts last on a stranger’s pull request',
      description: 'The stranger brings it to update or rebase their branch, which makes it the actor.',
    },
    {
      slot: 'check',
      title: 'The test of the actor passes',
      description: 'The condition looks at who acted last and not at who wrote the change.',
    },
    {
      slot: 'merge',
      title: 'The change is approved or merged',
      description: 'The job acts for the repository on code that nobody has read.',
    },
  ],
  impact: 'Unreviewed code of a stranger reaches the default branch.',
  breakChain: {
    text: 'Test `github.event.pull_request.user.login`, and that the head belongs to this repository.',
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
