import { yaml } from '#lib/scanner/engine/rule.ts';
import { CREDENTIAL, defineCombo, LOOSE_CREDENTIAL, WEAK_CREDENTIAL } from '../combo.ts';

export const inputLaundering = defineCombo({
  id: 'input-laundering',
  title: 'Untrusted input in the caller, injection in the callee',
  severity: 'CRITICAL',
  slots: {
    passed: { any: [{ fact: 'event-text-passed-as-input' }] },
    trigger: { any: [{ fact: 'outsider-trigger' }, { fact: 'pr-trigger' }] },
    exposed: { optional: true, any: [{ rule: 'dangerous-triggers' }, { rule: 'missing-trigger-authorization' }] },
    script: { any: [{ rule: 'reusable-workflow-taint', atLeast: 'MEDIUM' }] },
    credential: CREDENTIAL,
    loose: LOOSE_CREDENTIAL,
  },
  join: { from: ['passed'], by: 'call' },
  modifiers: [
    {
      lower: 1,
      unless: { slot: 'script', where: { severity: 'HIGH' } },
      because:
        'The text is restricted, has to pass through another person’s contribution, or is of a wiki that by default only collaborators can edit.',
    },
    ...WEAK_CREDENTIAL,
    { lower: 1, when: 'private', because: 'The repository is private: only people with access can trigger the event.' },
  ],
  stages: [
    {
      slot: 'exposed',
      title: 'An outsider writes the text',
      description: 'They put shell syntax into a title, a comment or a branch name.',
    },
    {
      title: 'The caller passes it on',
      description: 'As an input of a reusable workflow or action it looks like any other value.',
    },
    {
      slot: 'script',
      title: 'The callee inserts it into a script',
      description: 'Its author assumed that callers pass harmless values.',
    },
    {
      slot: 'loose',
      title: 'The credential is stolen',
      description: 'The injected command runs with everything the callee’s job holds.',
    },
  ],
  impact:
    'Anyone with a GitHub account can run commands with the job’s privileges, though each file looks harmless alone.',
  breakChain: {
    text: 'Pass the input to the callee’s script through `env:`, and use the quoted variable there.',
    slot: 'script',
  },
  references: [
    'https://securitylab.github.com/resources/github-actions-untrusted-input/',
    'https://www.usenix.org/conference/usenixsecurity23/presentation/muralee',
  ],
  since: '0.1.0',
  examples: {
    bad: [
      {
        yaml: {
          '.github/workflows/issue.yml': yaml`
            on: issues
            permissions: { contents: write }
            jobs:
              greet:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - uses: ./.github/actions/greet
                    with: { text: "\${{ github.event.issue.title }}" }
          `,
          '.github/actions/greet/action.yml': yaml`
            name: Greet
            description: Greets.
            inputs: { text: { description: What to say. } }
            runs:
              using: composite
              steps:
                - run: echo "\${{ inputs.text }}"
                  shell: bash
          `,
        },
      },
    ],
    good: [
      {
        yaml: {
          '.github/workflows/issue.yml': yaml`
            on: issues
            permissions: { contents: write }
            jobs:
              greet:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - uses: ./.github/actions/greet
                    with: { text: "\${{ github.event.issue.title }}" }
          `,
          '.github/actions/greet/action.yml': yaml`
            name: Greet
            description: Greets.
            inputs: { text: { description: What to say. } }
            runs:
              using: composite
              steps:
                - run: echo "$TEXT"
                  shell: bash
                  env: { TEXT: "\${{ inputs.text }}" }
          `,
        },
      },
    ],
  },
});
