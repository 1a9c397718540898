import { yaml } from '#lib/scanner/engine/rule.ts';
import { CREDENTIAL, defineCombo, LOOSE_CREDENTIAL, WEAK_CREDENTIAL } from '../combo.ts';

export const aiAnswerBecomesCode = defineCombo({
  id: 'ai-answer-becomes-code',
  title: 'What a model answers to a stranger becomes code',
  severity: 'CRITICAL',
  slots: {
    answer: { any: [{ rule: 'ai-output-injection', atLeast: 'MEDIUM', where: { outsider: true } }] },
    prompt: { optional: true, any: [{ rule: 'ai-prompt-injection' }] },
    exposed: { optional: true, any: [{ rule: 'dangerous-triggers' }, { rule: 'ai-agent-unrestricted-trigger' }] },
    credential: CREDENTIAL,
    loose: LOOSE_CREDENTIAL,
  },
  join: { same: 'job' },
  modifiers: [
    {
      lower: 1,
      unless: { slot: 'answer', where: { severity: 'HIGH' } },
      because: 'What the answer is used for limits it, or the way of the text is likely and not certain.',
    },
    WEAK_CREDENTIAL,
    { lower: 1, when: 'private', because: 'The repository is private: only people with access can write to it.' },
  ],
  stages: [
    {
      slot: 'exposed',
      title: 'An outsider writes an issue or a comment',
      description: 'The job starts for whoever writes.',
    },
    { slot: 'prompt', title: 'The text enters the prompt', description: 'It tells the model what to answer.' },
    {
      slot: 'answer',
      title: 'The answer becomes part of a script',
      description: 'The job pastes it into a shell, a script or a file that is run.',
    },
    {
      slot: 'loose',
      title: 'The credential leaves',
      description: 'The command in the answer reads the token or secret of the job.',
    },
  ],
  impact: 'Anybody with an account runs commands in the job by way of the model, which needs no tool for it.',
  breakChain: { text: 'Give the answer to scripts through `env:` as data, and check it as a whole.', slot: 'answer' },
  references: [
    'https://genai.owasp.org/llmrisk/llm052025-improper-output-handling/',
    'https://www.aikido.dev/blog/promptpwnd-github-actions-ai-agents',
  ],
  since: '0.1.0',
  examples: {
    bad: [
      {
        yaml: yaml`
          on: issues
          permissions: { contents: write, models: read }
          jobs:
            label:
              runs-on: ubuntu-latest
              steps:
                - id: ask
                  uses: actions/ai-inference@v1
                  with: { prompt: "Name a label for: \${{ github.event.issue.body }}" }
                - run: gh issue edit --add-label "\${{ steps.ask.outputs.response }}"
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: issues
          permissions: { contents: write, models: read }
          jobs:
            label:
              runs-on: ubuntu-latest
              steps:
                - id: ask
                  uses: actions/ai-inference@v1
                  with: { prompt: "Name a label for: \${{ github.event.issue.body }}" }
                - run: gh issue edit --add-label bug
        `,
      },
    ],
  },
});
