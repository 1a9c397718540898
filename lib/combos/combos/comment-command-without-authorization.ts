import { yaml } from '#lib/scanner/engine/rule.ts';
import { CREDENTIAL, defineCombo, LOOSE_CREDENTIAL, MISSING_PROGRAM, WEAK_CREDENTIAL } from '../combo.ts';

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
      any: [
        {
          rule: 'untrusted-checkout',
          where: { executes: ['true', 'likely', 'absent'], guard: ['absent', 'opted-out'], holds: true },
        },
      ],
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
      because: 'It is likely but not certain that a later step runs a file of the checkout.',
    },
    MISSING_PROGRAM,
    {
      lower: 2,
      unless: { slot: 'checkout', where: { message: 'open' } },
      because: 'As far as the file shows, someone approves the run first.',
    },
    ...WEAK_CREDENTIAL,
    { lower: 1, when: 'private', because: 'The repository is private: only people with access can comment.' },
  ],
  stages: [
    {
      slot: 'exposed',
      title: 'An outsider comments a command',
      description: 'The event runs with the base repository’s privileges no matter who wrote the comment.',
    },
    {
      slot: 'gate',
      title: 'The workflow does not check the author',
      description: 'The authorization check is missing or lets everyone through.',
    },
    {
      slot: 'checkout',
      title: 'The job checks out the pull request',
      description: 'The protection that actions/checkout has for pull_request_target does not cover this event.',
    },
    {
      slot: 'execution',
      title: 'The job executes its code',
      description: 'A build or test step runs files of the pull request.',
    },
    { slot: 'loose', title: 'The credential is stolen', description: 'The code reads the job’s token or secret.' },
  ],
  impact: 'Anyone with a GitHub account can take over the repository by commenting on their own pull request.',
  breakChain: {
    text: 'Check the author’s permission through the API, and check out only the approved commit.',
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
