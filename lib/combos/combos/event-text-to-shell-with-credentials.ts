import { yaml } from '#lib/scanner/engine/rule.ts';
import { CREDENTIAL, defineCombo, LOOSE_CREDENTIAL, WEAK_CREDENTIAL } from '../combo.ts';

export const eventTextToShellWithCredentials = defineCombo({
  id: 'event-text-to-shell-with-credentials',
  title: 'Untrusted text is inserted into a privileged script',
  severity: 'CRITICAL',
  slots: {
    trigger: { any: [{ fact: 'outsider-trigger' }, { fact: 'pr-trigger' }] },
    exposed: { optional: true, any: [{ rule: 'dangerous-triggers' }, { rule: 'missing-trigger-authorization' }] },
    script: { any: [{ rule: 'template-injection', atLeast: 'MEDIUM', where: { source: 'event' } }] },
    credential: CREDENTIAL,
    loose: LOOSE_CREDENTIAL,
  },
  join: { same: 'job' },
  modifiers: [
    {
      lower: 1,
      unless: { slot: 'script', where: { severity: 'HIGH' } },
      because:
        'The text is restricted, has to pass through another person’s contribution, or is of a wiki that by default only collaborators can edit.',
    },
    {
      lower: 1,
      unless: { slot: 'script', where: { approved: false } },
      because: 'As far as the file shows, someone approves the run first.',
    },
    ...WEAK_CREDENTIAL,
    { lower: 1, when: 'private', because: 'The repository is private: only people with access can trigger the event.' },
  ],
  stages: [
    {
      slot: 'exposed',
      title: 'An outsider writes the text',
      description: 'They put shell syntax into a branch name, a title or a comment.',
    },
    {
      slot: 'script',
      title: 'The text becomes part of a script',
      description: 'GitHub inserts the text before the shell or interpreter parses the script.',
    },
    {
      slot: 'loose',
      title: 'The credential is stolen',
      description: 'The injected command reads the job’s token or secret and sends it away.',
    },
  ],
  impact: 'Anyone with a GitHub account can run commands with the job’s privileges, without submitting code.',
  breakChain: {
    text: 'Pass the value to the script through `env:`, and use the quoted variable there.',
    slot: 'script',
  },
  references: [
    'https://securitylab.github.com/resources/github-actions-untrusted-input/',
    'https://github.com/advisories/GHSA-cxm3-wv7p-598c',
    'https://blog.pypi.org/posts/2024-12-11-ultralytics-attack-analysis/',
    'https://grafana.com/blog/2025/04/27/grafana-security-update-no-customer-impact-from-github-workflow-vulnerability/',
  ],
  since: '0.1.0',
  examples: {
    bad: [
      {
        severity: 'HIGH',
        yaml: yaml`
          on: gollum
          permissions: { contents: write }
          jobs:
            wiki:
              runs-on: ubuntu-latest
              steps:
                - run: git commit -m "\${{ github.event.pages[0].title }}"
        `,
      },
      {
        yaml: yaml`
          on: issues
          permissions: { contents: write }
          jobs:
            greet:
              runs-on: ubuntu-latest
              steps:
                - run: echo "\${{ github.event.issue.title }}"
        `,
      },
      {
        yaml: {
          '.github/workflows/format.yml': yaml`
            on: pull_request_target
            permissions: { contents: write }
            jobs:
              format:
                runs-on: ubuntu-latest
                steps:
                  - uses: actions/checkout@v7
                  - uses: ./.github/actions/format
          `,
          '.github/actions/format/action.yml': yaml`
            name: Format
            description: Formats.
            runs:
              using: composite
              steps:
                - run: git pull origin "\${{ github.head_ref }}"
                  shell: bash
          `,
        },
      },
    ],
    good: [
      {
        yaml: yaml`
          on: issues
          permissions: { contents: write }
          jobs:
            greet:
              runs-on: ubuntu-latest
              steps:
                - run: echo "$TITLE"
                  env: { TITLE: "\${{ github.event.issue.title }}" }
        `,
      },
      {
        yaml: yaml`
          on: issues
          permissions: {}
          jobs:
            greet:
              runs-on: ubuntu-latest
              steps:
                - run: echo "\${{ github.event.issue.title }}"
        `,
      },
    ],
  },
});
