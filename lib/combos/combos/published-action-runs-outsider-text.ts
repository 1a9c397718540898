import { yaml } from '#lib/scanner/engine/rule.ts';
import { defineCombo } from '../combo.ts';

export const publishedActionRunsOutsiderText = defineCombo({
  id: 'published-action-runs-outsider-text',
  title: 'Published action runs untrusted text as code',
  severity: 'HIGH',
  slots: {
    text: { any: [{ rule: 'template-injection', atLeast: 'HIGH', where: { published: true } }] },
  },
  join: { same: 'file' },
  stages: [
    {
      title: 'Someone uses the action on events that outsiders cause',
      description: 'The workflow is in another repository, and its author sees only the action’s inputs.',
    },
    {
      slot: 'text',
      title: 'The action inserts the event’s text into its script',
      description: 'Its author cannot know who calls it, and callers do not pass the text, so they cannot quote it.',
    },
    {
      title: 'The outsider’s code runs in the caller’s job',
      description: 'It gets the token and the secrets of every job that uses the action on such an event.',
    },
  ],
  impact: 'Every workflow that uses this action on a pull request or issue runs code that anyone can write into it.',
  breakChain: {
    text: 'Read the text from an environment variable in the action’s script, and release a new version.',
    slot: 'text',
  },
  references: [
    'https://securitylab.github.com/resources/github-actions-untrusted-input/',
    'https://docs.github.com/actions/reference/security/secure-use#good-practices-for-mitigating-script-injection-attacks',
  ],
  since: '0.1.0',
  examples: {
    bad: [
      {
        yaml: {
          'action.yml': yaml`
            name: Notes
            description: Prepares notes
            runs:
              using: composite
              steps:
                - run: echo "for=\${{ github.head_ref }}" >> "$GITHUB_OUTPUT"
                  shell: bash
          `,
        },
      },
      {
        yaml: {
          'greet/action.yml': yaml`
            name: Greet
            description: Greets whoever opens an issue
            branding: { icon: box, color: blue }
            runs:
              using: composite
              steps:
                - uses: actions/github-script@v8
                  with: { script: "core.info('\${{ github.event.issue.title }}')" }
          `,
        },
      },
    ],
    good: [
      {
        yaml: {
          'action.yml': yaml`
            name: Notes
            description: Prepares notes
            runs:
              using: composite
              steps:
                - run: echo "\${{ github.event.pull_request.number }} \${{ github.repository }}"
                  shell: bash
                - run: echo "$BRANCH"
                  shell: bash
                  env: { BRANCH: "\${{ github.head_ref }}" }
          `,
        },
      },
      {
        yaml: {
          '.github/actions/notes/action.yml': yaml`
            name: Notes
            description: Serves the workflows of this repository
            runs:
              using: composite
              steps:
                - run: echo "for=\${{ github.head_ref }}"
                  shell: bash
          `,
        },
      },
    ],
  },
});
