import { yaml } from '#lib/scanner/engine/rule.ts';
import { defineCombo } from '../combo.ts';

const REVIEW = yaml`
  on: issues
  permissions: { contents: write, pull-requests: write }
  jobs:
    review:
      runs-on: ubuntu-latest
      steps:
        - uses: anthropics/claude-code-action@v1
          with:
            anthropic_api_key: \${{ secrets.ANTHROPIC_API_KEY }}
            allowed_non_write_users: '*'
            claude_args: --allowedTools Bash
            prompt: "Review this: \${{ github.event.issue.body }}"
`;

export const aiApprovalAutomerge = defineCombo({
  id: 'ai-approval-automerge',
  title: 'Prompt-injected agent can approve or merge',
  severity: 'HIGH',
  slots: {
    prompt: {
      any: [{ rule: 'ai-prompt-injection', atLeast: 'MEDIUM', where: { outsider: true, tools: ['shell', 'github'] } }],
    },
    approval: { any: [{ rule: 'actions-can-approve-prs' }, { rule: 'confused-deputy-auto-merge', atLeast: 'MEDIUM' }] },
    token: {
      optional: true,
      any: [{ fact: 'token-write', where: { code: true } }],
    },
  },
  join: { same: 'repository' },
  stages: [
    {
      title: 'An outsider’s pull request or issue contains instructions',
      description: 'They address the agent that reads it.',
    },
    { slot: 'prompt', title: 'The agent follows them', description: 'It has tools that can act on pull requests.' },
    {
      slot: 'approval',
      title: 'The approval counts',
      description: 'Workflows in this repository can approve pull requests, or an automation merges them.',
    },
  ],
  impact: 'Review is bypassed: unread code reaches the default branch.',
  breakChain: { text: 'Do not let a workflow that reads untrusted text approve or merge.', slot: 'prompt' },
  references: [
    'https://docs.github.com/repositories/managing-your-repositorys-settings-and-features/enabling-features-for-your-repository/managing-github-actions-settings-for-a-repository#preventing-github-actions-from-creating-or-approving-pull-requests',
    'https://www.aikido.dev/blog/promptpwnd-github-actions-ai-agents',
  ],
  since: '0.1.0',
  examples: {
    bad: [{ yaml: REVIEW, findings: [{ ruleId: 'actions-can-approve-prs' }] }],
    good: [
      {
        yaml: yaml`
          on: issues
          permissions: { contents: write, pull-requests: write }
          jobs:
            review:
              runs-on: ubuntu-latest
              steps:
                - uses: anthropics/claude-code-action@v1
                  with:
                    anthropic_api_key: \${{ secrets.ANTHROPIC_API_KEY }}
                    claude_args: --allowedTools Read
                    prompt: Look for dead code.
        `,
        findings: [{ ruleId: 'actions-can-approve-prs' }],
      },
      { yaml: REVIEW },
    ],
  },
});
