import { yaml } from '#lib/scanner/engine/rule.ts';
import { CREDENTIAL, defineCombo, LOOSE_CREDENTIAL, WEAK_CREDENTIAL } from '../combo.ts';

export const agentConfiguredByFork = defineCombo({
  id: 'agent-configured-by-fork',
  title: 'A fork’s files configure an AI agent that holds credentials',
  severity: 'CRITICAL',
  slots: {
    config: { any: [{ rule: 'ai-agent-untrusted-config', atLeast: 'MEDIUM', where: { outsider: true } }] },
    checkout: { optional: true, any: [{ rule: 'untrusted-checkout' }, { rule: 'artifact-poisoning' }] },
    exposed: { optional: true, any: [{ rule: 'dangerous-triggers' }, { rule: 'ai-agent-unrestricted-trigger' }] },
    credential: CREDENTIAL,
    loose: LOOSE_CREDENTIAL,
  },
  join: { same: 'job' },
  modifiers: [
    {
      lower: 1,
      unless: { slot: 'config', where: { severity: 'HIGH' } },
      because:
        'The files only instruct the agent, or it is likely but not certain that the pull request’s files reach it.',
    },
    ...WEAK_CREDENTIAL,
    {
      lower: 1,
      when: 'private',
      because: 'The repository is private: only people with access can open a pull request.',
    },
  ],
  stages: [
    {
      slot: 'exposed',
      title: 'An outsider opens a pull request',
      description: 'It adds or changes the files that configure the agent.',
    },
    {
      slot: 'checkout',
      title: 'The job checks out the pull request',
      description: 'The agent starts in a directory that contains the pull request’s files.',
    },
    {
      slot: 'config',
      title: 'The agent obeys the files',
      description: 'Hooks and tool servers run commands; instruction files steer the agent.',
    },
    {
      slot: 'loose',
      title: 'The credential is stolen',
      description: 'The injected commands read the job’s token or secret.',
    },
  ],
  impact: 'Anyone with a GitHub account can run commands with the agent’s privileges.',
  breakChain: {
    text: 'Start the agent in a checkout of the base branch, and pass the pull request to it as data.',
    slot: 'config',
  },
  references: [
    'https://github.com/anthropics/claude-code-action/blob/main/docs/security.md',
    'https://securitylab.github.com/resources/github-actions-preventing-pwn-requests/',
  ],
  since: '0.1.0',
  examples: {
    bad: [
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: write }
          jobs:
            review:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.2.2
                  with: { ref: "\${{ github.event.pull_request.head.sha }}" }
                - run: npx @anthropic-ai/claude-code -p "Review the change"
                  env: { ANTHROPIC_API_KEY: "\${{ secrets.ANTHROPIC_API_KEY }}" }
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: pull_request_target
          permissions: { contents: write }
          jobs:
            review:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v4.2.2
                - run: npx @anthropic-ai/claude-code -p "Review the change"
                  env: { ANTHROPIC_API_KEY: "\${{ secrets.ANTHROPIC_API_KEY }}" }
        `,
      },
    ],
  },
});
