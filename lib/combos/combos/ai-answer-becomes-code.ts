import { yaml } from '#lib/scanner/engine/rule.ts';
import { CREDENTIAL, defineCombo, LOOSE_CREDENTIAL, WEAK_CREDENTIAL } from '../combo.ts';

export const aiAnswerBecomesCode = defineCombo({
  id: 'ai-answer-becomes-code',
  title: 'A model’s answer to untrusted text becomes code',
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
      because:
        'The use of the answer limits what it can do, or it is likely but not certain that the text reaches the model.',
    },
    ...WEAK_CREDENTIAL,
    { lower: 1, when: 'private', because: 'The repository is private: only people with access can write to it.' },
  ],
  stages: [
    {
      slot: 'exposed',
      title: 'An outsider writes an issue or a comment',
      description: 'The job starts no matter who wrote it.',
    },
    { slot: 'prompt', title: 'The text enters the prompt', description: 'It dictates what the model answers.' },
    {
      slot: 'answer',
      title: 'The answer becomes part of a script',
      description: 'The job inserts it into a shell command, a script or a file that is executed.',
    },
    {
      slot: 'loose',
      title: 'The credential is stolen',
      description: 'The command in the answer reads the job’s token or secret.',
    },
  ],
  impact: 'Anyone with a GitHub account can run commands in the job through the model, which needs no tools.',
  breakChain: {
    text: 'Pass the answer to scripts as data through `env:`, and validate the whole value.',
    slot: 'answer',
  },
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
