import { yaml } from '#lib/scanner/engine/rule.ts';
import { CREDENTIAL, defineCombo, LOOSE_CREDENTIAL, WEAK_CREDENTIAL } from '../combo.ts';

export const envFileHijack = defineCombo({
  id: 'env-file-hijack',
  title: 'Untrusted text reaches GITHUB_ENV before a privileged step',
  severity: 'HIGH',
  slots: {
    write: { any: [{ rule: 'github-env', atLeast: 'MEDIUM' }] },
    source: {
      optional: true,
      any: [{ rule: 'dangerous-triggers' }, { rule: 'artifact-poisoning', atLeast: 'MEDIUM' }],
    },
    credential: CREDENTIAL,
    loose: LOOSE_CREDENTIAL,
  },
  join: { same: 'job' },
  order: [['write', 'credential']],
  modifiers: [
    {
      lower: 1,
      unless: { slot: 'write', where: { severity: 'HIGH' } },
      because: 'It is likely but not certain that the text is untrusted, or that it can set a variable of its own.',
    },
    ...WEAK_CREDENTIAL,
  ],
  stages: [
    {
      slot: 'source',
      title: 'An outsider writes the text',
      description: 'It is in the event, in a file of their pull request or in an artifact they produced.',
    },
    {
      slot: 'write',
      title: 'The text is written to the environment file',
      description: 'A line break starts another variable of their choice, such as LD_PRELOAD or NODE_OPTIONS.',
    },
    {
      title: 'The next step loads it',
      description: 'The shell, the linker or the interpreter runs the code that the variable points to.',
    },
    { slot: 'loose', title: 'The credential is stolen', description: 'The code reads the job’s token or secret.' },
  ],
  impact: 'An outsider’s code runs in a privileged job without any script injection.',
  breakChain: { text: 'Write a single validated value to `GITHUB_OUTPUT` instead.', slot: 'write' },
  references: [
    'https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands#setting-an-environment-variable',
    'https://www.legitsecurity.com/blog/github-privilege-escalation-vulnerability',
  ],
  since: '0.1.0',
  examples: {
    bad: [
      {
        yaml: yaml`
          on: issue_comment
          permissions: { contents: write }
          jobs:
            parse:
              runs-on: ubuntu-latest
              steps:
                - run: echo "BODY=$BODY" >> "$GITHUB_ENV"
                  env: { BODY: "\${{ github.event.comment.body }}" }
                - run: ./build.sh
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: issue_comment
          permissions: { contents: write }
          jobs:
            parse:
              runs-on: ubuntu-latest
              steps:
                - run: echo "number=$NUMBER" >> "$GITHUB_OUTPUT"
                  env: { NUMBER: "\${{ github.event.issue.number }}" }
                - run: ./build.sh
        `,
      },
    ],
  },
});
