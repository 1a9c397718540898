import { yaml } from '#lib/scanner/engine/rule.ts';
import { CREDENTIAL, defineCombo, LOOSE_CREDENTIAL, WEAK_CREDENTIAL } from '../combo.ts';

export const aiAgentWithHands = defineCombo({
  id: 'ai-agent-with-hands',
  title: 'Untrusted text drives an AI agent that has tools and credentials',
  severity: 'CRITICAL',
  slots: {
    prompt: {
      any: [
        {
          rule: 'ai-prompt-injection',
          atLeast: 'MEDIUM',
          where: { outsider: true, tools: ['shell', 'edit', 'github'] },
        },
      ],
    },
    trigger: { optional: true, any: [{ rule: 'ai-agent-unrestricted-trigger' }, { rule: 'dangerous-triggers' }] },
    tools: { optional: true, any: [{ rule: 'ai-agent-excessive-tools' }, { rule: 'ai-agent-unsafe-sandbox' }] },
    credential: CREDENTIAL,
    loose: LOOSE_CREDENTIAL,
  },
  join: { same: 'job' },
  modifiers: [
    {
      lower: 2,
      unless: { slot: 'prompt', where: { severity: 'HIGH' } },
      because: 'It is likely but not certain that the text reaches the agent, or that its tools reach the credential.',
    },
    ...WEAK_CREDENTIAL,
    { lower: 1, when: 'private', because: 'The repository is private: only people with access can write to it.' },
  ],
  stages: [
    {
      slot: 'trigger',
      title: 'An outsider writes an issue or a comment',
      description: 'The agent starts no matter who wrote it.',
    },
    {
      slot: 'prompt',
      title: 'The text enters the prompt',
      description: 'The model cannot tell it from the instructions around it.',
    },
    {
      slot: 'tools',
      title: 'The agent calls a tool',
      description: 'It runs a command, edits a file or calls the API, as the text instructs.',
    },
    {
      slot: 'loose',
      title: 'The credential is stolen or the repository is changed',
      description: 'A secret is printed or sent away, or the token pushes on the outsider’s behalf.',
    },
  ],
  impact: 'A paragraph of text is enough to take over the repository.',
  breakChain: {
    text: 'Let only people with write access start the agent; for everyone else, give it read-only tools and no credential.',
    slot: 'prompt',
  },
  references: [
    'https://adnanthekhan.com/posts/clinejection/',
    'https://www.aikido.dev/blog/promptpwnd-github-actions-ai-agents',
  ],
  since: '0.1.0',
  examples: {
    bad: [
      {
        yaml: yaml`
          on: issues
          permissions: { contents: write, issues: write }
          jobs:
            triage:
              runs-on: ubuntu-latest
              steps:
                - uses: anthropics/claude-code-action@v1
                  with:
                    anthropic_api_key: \${{ secrets.ANTHROPIC_API_KEY }}
                    allowed_non_write_users: '*'
                    claude_args: --allowedTools Bash
                    prompt: "Triage this issue: \${{ github.event.issue.body }}"
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: { workflow_dispatch: {} }
          permissions: { contents: write }
          jobs:
            triage:
              runs-on: ubuntu-latest
              steps:
                - uses: anthropics/claude-code-action@v1
                  with:
                    anthropic_api_key: \${{ secrets.ANTHROPIC_API_KEY }}
                    claude_args: --allowedTools Bash
                    prompt: Look for dead code.
        `,
      },
    ],
  },
});
