import { yaml } from '#lib/scanner/engine/rule.ts';
import { CREDENTIAL, defineCombo, LOOSE_CREDENTIAL, WEAK_CREDENTIAL } from '../combo.ts';

export const commentCommandWithoutAuthorization = defineCombo({
  id: 'comment-command-without-authorization',
  title: 'Anyone can trigger a privileged comment command',
  severity: 'CRITICAL',
  slots: {
    trigger: {
      any: [{ fact: 'outsider-trigger', where: { events: ['issue_comment', 'discussion_comment', 'issues'] } }],
    },
    exposed: { optional: true, any: [{ rule: 'dangerous-triggers' }] },
    gate: {
      any: [
        { rule: 'missing-trigger-authorization', where: { message: ['executes', 'command'] } },
        { rule: 'improper-access-control', atLeast: 'MEDIUM' },
        { rule: 'unsound-contains', atLeast: 'MEDIUM' },
        { rule: 'unsound-condition', atLeast: 'MEDIUM' },
      ],
    },
    checkout: {
      any: [{ rule: 'untrusted-checkout', where: { executes: ['true', 'likely'], guard: ['absent', 'opted-out'] } }],
    },
    execution: { optional: true, any: [{ rule: 'untrusted-checkout-exec' }] },
    credential: CREDENTIAL,
    loose: LOOSE_CREDENTIAL,
  },
  join: { same: 'job' },
  modifiers: [
    {
      lower: 1,
      unless: { slot: 'checkout', where: { executes: 'true' } },
      because: 'Whether a later step runs a file of the checkout is likely and not certain.',
    },
    {
      lower: 2,
      unless: { slot: 'checkout', where: { message: 'open' } },
      because: 'Somebody approves the run first, as far as the file can tell.',
    },
    WEAK_CREDENTIAL,
    { lower: 1, when: 'private', because: 'The repository is private: only people with access can comment.' },
  ],
  stages: [
    {
      slot: 'exposed',
      title: 'A stranger comments a command',
      description: 'The event carries the base repository’s rights whoever writes the comment.',
    },
    {
      slot: 'gate',
      title: 'Nothing asks who they are',
      description: 'The check of the author is missing or lets everybody through.',
    },
    {
      slot: 'checkout',
      title: 'The pull request’s code is fetched',
      description: 'The guard that actions/checkout has for pull_request_target does not look at this event.',
    },
    { slot: 'execution', title: 'It is executed', description: 'A build or test step runs files of the pull request.' },
    { slot: 'loose', title: 'The credential leaves', description: 'The code reads the token or secret of the job.' },
  ],
  impact: 'Anybody with an account takes over the repository with a comment on their own pull request.',
  breakChain: {
    text: 'Ask the API for the author’s permission, and fetch only the commit that was approved.',
    slot: 'checkout',
  },
  references: [
    'https://github.com/web-infra-dev/rspack/issues/8767',
    'https://securitylab.github.com/resources/github-actions-preventing-pwn-requests/',
  ],
  since: '0.1.0',
  examples: {
    bad: [
      {
        yaml: yaml`
          on: issue_comment
          permissions: { contents: write }
          jobs:
            test:
              if: startsWith(github.event.comment.body, '/test')
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                  with: { ref: "refs/pull/\${{ github.event.issue.number }}/head" }
                - run: npm ci
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: issue_comment
          permissions: { contents: write }
          jobs:
            test:
              if: startsWith(github.event.comment.body, '/test') && github.event.comment.author_association == 'OWNER'
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v7
                - run: npm ci
        `,
      },
    ],
  },
});
