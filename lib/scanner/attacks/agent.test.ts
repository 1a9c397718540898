import { describe } from 'vitest';
import {
  CALLED,
  composite,
  jobs,
  LOCAL,
  main,
  missed,
  row,
  type StepLike,
  script,
  testSuite,
  workflow,
} from '../../../tests/support/attack-rows.ts';

const BODY = '${{ github.event.issue.body }}';
const ENV = { B: BODY };
const KEY = { anthropic_api_key: '${{ secrets.KEY }}', allowed_non_write_users: '*' };
const CLAUDE = 'anthropics/claude-code-action@v1';
const SHA = '${{ github.event.pull_request.head.sha }}';

const onIssue = (...steps: StepLike[]): string => workflow({ issues: { types: ['opened'] } }, steps);
const asks = (name: string, run: string, rest: object = {}): ReturnType<typeof row> =>
  row(name, onIssue({ env: ENV, run, ...rest }));
const prompts = (name: string, ref: string, inputs: object): ReturnType<typeof row> =>
  row(name, onIssue({ uses: ref, with: inputs }));
const AGENT: StepLike = { id: 'ai', uses: 'actions/ai-inference@v1', with: { prompt: `Label this: ${BODY}` } };
const ANSWER = '${{ steps.ai.outputs.response }}';

const PROMPTS = [
  prompts('the Claude action', CLAUDE, { ...KEY, prompt: `Triage: ${BODY}`, claude_args: '--allowedTools "Bash"' }),
  prompts('the Claude action by number', CLAUDE, {
    ...KEY,
    prompt: 'Triage issue ${{ github.event.issue.number }}',
    claude_args: '--allowedTools "Bash(gh:*)"',
  }),
  prompts('the Claude action without a prompt', CLAUDE, { ...KEY, claude_args: '--allowedTools "Bash"' }),
  prompts('the Claude base action', 'anthropics/claude-code-base-action@beta', { prompt: BODY, allowed_tools: 'Bash' }),
  prompts('the Codex action', 'openai/codex-action@v1', {
    prompt: `Triage: ${BODY}`,
    sandbox: 'danger-full-access',
    'allow-users': '*',
  }),
  prompts('the Gemini action', 'google-github-actions/run-gemini-cli@v0', { prompt: `Triage: ${BODY}` }),
  prompts('the action of models', 'actions/ai-inference@v1', {
    prompt: BODY,
    'enable-github-mcp': true,
    token: '${{ secrets.PAT }}',
  }),
  asks('OpenCode with a pipe', 'echo "$B" | opencode run'),
  prompts('an unknown action with a prompt and a model', 'acme/agent@v1', {
    prompt: `Triage: ${BODY}`,
    model: 'gpt-5',
  }),
  prompts('an unknown action with a prompt and a key', 'acme/agent@v1', {
    prompt: BODY,
    openai_api_key: '${{ secrets.K }}',
  }),
  asks('claude', 'claude -p "Triage: $B" --dangerously-skip-permissions'),
  asks('claude with a pipe', 'echo "Triage: $B" | claude -p --dangerously-skip-permissions'),
  asks('claude with a here-document', 'claude -p --dangerously-skip-permissions <<EOF\nTriage: $B\nEOF'),
  asks('claude with a file', 'echo "$B" > p.md\nclaude -p "$(cat p.md)" --dangerously-skip-permissions'),
  asks('claude from npx', 'npx @anthropic-ai/claude-code -p "$B" --dangerously-skip-permissions'),
  asks('claude from bunx', 'bunx @anthropic-ai/claude-code -p "$B" --dangerously-skip-permissions'),
  asks('claude by its path', '~/.local/bin/claude -p "$B" --dangerously-skip-permissions'),
  asks('claude with a time limit', 'timeout 600 claude -p "$B" --dangerously-skip-permissions'),
  asks('codex', 'codex exec --full-auto "$B"'),
  asks('codex with all rights', 'codex exec --dangerously-bypass-approvals-and-sandbox "$B"'),
  asks('gemini', 'gemini --yolo -p "$B"'),
  asks('gemini from npx', 'npx @google/gemini-cli --yolo -p "$B"'),
  asks('copilot', 'copilot --allow-all-tools -p "$B"'),
  asks('aider', 'aider --yes --message "$B"'),
  asks('goose', 'goose run -t "$B"'),
  asks('opencode', 'opencode run "$B"'),
  asks('Cursor', 'cursor-agent -p --force "$B"'),
  asks('Cursor by its new name', 'agent -p --force "$B"'),
  asks('Amp', 'amp -x "$B" --dangerously-allow-all'),
  asks('Qwen', 'qwen --yolo -p "$B"'),
  asks('Crush', 'crush run "$B"'),
  asks('Droid', 'droid exec --auto high "$B"'),
  asks('llm', 'llm "$B" --functions tools.py'),
  missed(
    'what a program does that the run builds is not in the files',
    asks('an agent that is built in the run', 'npm install && npm run build && node dist/agent.js --prompt "$B"'),
  ),
  row(
    'an agent that fetches the issue',
    onIssue({
      run: 'claude -p "$(gh issue view $N --json body -q .body)" --dangerously-skip-permissions',
      env: { N: '${{ github.event.issue.number }}' },
    }),
  ),
  row(
    'an agent with the payload',
    onIssue('claude -p "$(jq -r .issue.body "$GITHUB_EVENT_PATH")" --dangerously-skip-permissions'),
  ),
  row(
    'an agent with a step output',
    onIssue(
      { id: 'a', env: ENV, run: 'echo "b=$B" >> "$GITHUB_OUTPUT"' },
      { uses: CLAUDE, with: { ...KEY, prompt: '${{ steps.a.outputs.b }}', claude_args: '--allowedTools Bash' } },
    ),
  ),
  row(
    'an agent with an output of a job',
    jobs('issues', {
      a: { outputs: { b: BODY }, steps: ['true'] },
      b: {
        needs: 'a',
        steps: [
          { uses: CLAUDE, with: { ...KEY, prompt: '${{ needs.a.outputs.b }}', claude_args: '--allowedTools Bash' } },
        ],
      },
    }),
  ),
  row(
    'an agent in a composite',
    main(
      onIssue({ uses: LOCAL, with: { p: BODY } }),
      composite([{ uses: CLAUDE, with: { ...KEY, prompt: '${{ inputs.p }}', claude_args: '--allowedTools Bash' } }], {
        inputs: { p: { description: 'x' } },
      }),
    ),
  ),
  row(
    'an agent in a called workflow',
    main(jobs('issues', { a: { uses: CALLED, with: { p: BODY } } }), {
      [CALLED.slice(2)]: workflow({ workflow_call: { inputs: { p: { type: 'string' } } } }, [
        { uses: CLAUDE, with: { ...KEY, prompt: '${{ inputs.p }}', claude_args: '--allowedTools Bash' } },
      ]),
    }),
  ),
  row(
    'an agent over the head',
    workflow('pull_request_target', [
      { uses: 'actions/checkout@v4.1.0', with: { ref: SHA } },
      'claude -p "Review it" --dangerously-skip-permissions',
    ]),
  ),
  row(
    'an agent over a fetched head',
    workflow('pull_request_target', [
      'gh pr checkout ${{ github.event.number }}',
      { uses: CLAUDE, with: { ...KEY, prompt: 'Review it', claude_args: '--allowedTools Bash' } },
    ]),
  ),
  row(
    'an agent over a diff',
    workflow('pull_request_target', [
      'gh pr diff ${{ github.event.number }} | claude -p "Review it" --dangerously-skip-permissions',
    ]),
  ),
  row(
    'an agent that anyone starts by a comment',
    workflow('issue_comment', [{ uses: CLAUDE, with: { ...KEY, claude_args: '--allowedTools Bash' } }], {
      if: "contains(github.event.comment.body, '@claude')",
    }),
  ),
];

const ANSWERS = [
  row('an answer in a script', onIssue(AGENT, `echo "${ANSWER}"`)),
  row('an answer in a variable that is evaluated', onIssue(AGENT, { env: { A: ANSWER }, run: 'eval "$A"' })),
  row(
    'an answer as an argument of a shell',
    onIssue(AGENT, { env: { A: ANSWER }, run: 'bash -c "gh issue edit 1 --add-label $A"' }),
  ),
  row('an answer in github-script', onIssue(AGENT, script(`const a = \`${ANSWER}\``))),
  row('an answer for all steps', onIssue(AGENT, { env: { A: ANSWER }, run: 'echo "L=$A" >> "$GITHUB_ENV"' })),
  row('an answer as a ref', onIssue(AGENT, { uses: 'actions/checkout@v4', with: { ref: ANSWER } })),
  row(
    'an answer of a program',
    onIssue({ env: ENV, run: 'a=$(claude -p "Label: $B")\neval "gh issue edit 1 --add-label $a"' }),
  ),
  row(
    'an answer of a program as an output',
    onIssue(
      { id: 'ai', env: ENV, run: 'echo "r=$(claude -p "Label: $B")" >> "$GITHUB_OUTPUT"' },
      'gh issue edit 1 --add-label ${{ steps.ai.outputs.r }}',
    ),
  ),
  row(
    'an answer of a program in a file',
    onIssue({ env: ENV, run: 'claude -p "Write a script: $B" > x.sh\nbash x.sh' }),
  ),
  row('an answer of a program in a pipe', onIssue({ env: ENV, run: 'claude -p "Write a script: $B" | bash' })),
  row(
    'an answer of the API of a model',
    onIssue({
      env: ENV,
      run: 'a=$(curl -s https://api.openai.com/v1/chat/completions -H "Authorization: Bearer $K" -d "{\\"input\\": \\"$B\\"}" | jq -r .choices[0].message.content)\neval "$a"',
    }),
  ),
  row(
    'an answer of the API of a model as an output',
    onIssue(
      {
        id: 'ai',
        env: ENV,
        run: 'a=$(curl -s https://api.anthropic.com/v1/messages -d "$B" | jq -r .content[0].text)\necho "a=$a" >> $GITHUB_OUTPUT',
      },
      'bash -c "${{ steps.ai.outputs.a }}"',
    ),
  ),
];

const GEMINI = 'google-github-actions/run-gemini-cli@v0';
const listed = (...tools: string[]): object => ({
  settings: JSON.stringify({ coreTools: tools.map((tool) => `run_shell_command(${tool})`) }),
});
const LISTS: StepLike = {
  id: 'find',
  run: 'ISSUES="$(gh issue list --json number,title,body)"\necho "issues=${ISSUES}" >> "$GITHUB_OUTPUT"',
};
const FOUND = { I: '${{ steps.find.outputs.issues }}' };
const onSchedule = (...steps: StepLike[]): string => workflow({ schedule: [{ cron: '0 * * * *' }] }, steps);

const ALL_TEXT = `gh issue list --json number,title,body`;
const listedBefore = (run: string, prompt: string, fixes: object = {}): string =>
  jobs(
    { schedule: [{ cron: '0 * * * *' }] },
    {
      list: { outputs: { issues: '${{ steps.find.outputs.issues }}' }, steps: [{ id: 'find', run }] },
      fix: { needs: 'list', ...fixes, steps: [{ uses: GEMINI, with: { prompt } }] },
    },
  );
const MATRIX = { strategy: { matrix: { issue: '${{ fromJSON(needs.list.outputs.issues) }}' } } };
const NEEDED = 'Fix ${{ needs.list.outputs.issues }}';
const IN_A_BLOCK = `{\n  echo 'issues<<EOF'\n  ${ALL_TEXT}\n  echo EOF\n} >> "$GITHUB_OUTPUT"`;
const IN_A_LINE = `echo "issues=$(${ALL_TEXT} | jq -c .)" >> "$GITHUB_OUTPUT"`;

const OWN_PROMPT: StepLike = { uses: GEMINI, with: { gemini_api_key: '${{ secrets.KEY }}' } };

const SCHEDULED = [
  row('the event for an agent with a prompt of the author', onIssue({ uses: GEMINI, with: { prompt: 'Triage' } })),
  row('files that an agent without a prompt finds', onIssue({ uses: 'actions/checkout@v5' }, OWN_PROMPT)),
  row('files that a script makes for it', onIssue({ env: ENV, run: 'echo "$B" > GEMINI.md' }, OWN_PROMPT)),
  row('settings of an agent without a prompt', onIssue({ uses: GEMINI, with: { settings: '{"hooks":{}}' } })),
  row(
    'extensions of an agent without a prompt',
    onIssue({ uses: GEMINI, with: { extensions: '["https://a.example"]' } }),
  ),
  row(
    'an agent without a prompt in a local action',
    main(onIssue({ uses: 'actions/checkout@v5' }, { uses: LOCAL }), composite([OWN_PROMPT])),
  ),
  row(
    'the comment that the Claude action reads',
    workflow('issue_comment', [{ uses: CLAUDE, with: { ...KEY, claude_args: '--allowedTools Bash' } }]),
  ),
  row('issues of another job in a prompt', listedBefore(IN_A_BLOCK, NEEDED)),
  row('titles of another job in a matrix', listedBefore(IN_A_LINE, 'Fix ${{ matrix.issue.title }}', MATRIX)),
  row('one title of another job', listedBefore(IN_A_LINE, 'Fix ${{ fromJSON(needs.list.outputs.issues)[0].title }}')),
  row(
    'issues of two lists in a prompt',
    listedBefore(
      `A="$(${ALL_TEXT} -l a)"\nB="$(${ALL_TEXT} -l b)"\necho "issues=$(echo "$A" "$B" | jq -c -s 'add | unique_by(.number)')" >> "$GITHUB_OUTPUT"`,
      NEEDED,
    ),
  ),
  row('issues in the arguments of a command', onSchedule(`gemini --yolo -p "Label $(${ALL_TEXT})"`)),
  row('issues in a pipe to a command', onSchedule(`${ALL_TEXT} | gemini --yolo -p "Label these"`)),
  missed(
    'a script composes the list',
    row(
      'issues that a script lists',
      onSchedule(
        script(
          'const { data } = await github.rest.issues.listForRepo(context.repo);\nreturn data.map((one) => `${one.title}`);',
          { id: 'find' },
        ),
        { uses: GEMINI, with: { prompt: 'Label ${{ steps.find.outputs.result }}' } },
      ),
    ),
  ),
  row(
    'issues in a prompt',
    onSchedule(LISTS, { uses: GEMINI, with: { prompt: 'Label ${{ steps.find.outputs.issues }}' } }),
  ),
  row(
    'issues in a variable that the agent can print',
    onSchedule(LISTS, {
      uses: GEMINI,
      env: FOUND,
      with: { ...listed('echo', 'gh issue edit'), prompt: 'Label "${I}"' },
    }),
  ),
  row(
    'issues in a variable beside a list of commands by their first words',
    onSchedule(LISTS, {
      uses: GEMINI,
      env: FOUND,
      with: { ...listed('gh issue', 'gh issue edit'), prompt: 'Label "${I}"' },
    }),
  ),
  row(
    'issues in a variable that a listed filter prints',
    onSchedule(LISTS, {
      uses: GEMINI,
      env: FOUND,
      with: { ...listed('jq *', 'gh issue edit'), prompt: 'Label "${I}"' },
    }),
  ),
  row('issues for a command', onSchedule(LISTS, { env: FOUND, run: 'gemini --yolo -p "Label $I"' })),
  row(
    'a title in a variable that the agent can print',
    onIssue({
      uses: GEMINI,
      env: { T: '${{ github.event.issue.title }}' },
      with: { ...listed('echo', 'gh issue edit'), prompt: 'Label "${T}"' },
    }),
  ),
];

const NOT_SEEN = [
  row('an agent with a prompt of its action alone', onIssue(OWN_PROMPT)),
  row(
    'an agent with a prompt of its former action alone',
    onIssue({ uses: 'google-gemini/gemini-cli-action@v0', with: { version: '0.1.9' } }),
  ),
  row(
    'a title in a variable that the agent cannot print',
    onIssue({
      uses: GEMINI,
      env: { T: '${{ github.event.issue.title }}' },
      with: { ...listed('gh label list', 'gh issue edit'), prompt: 'Label "${T}"' },
    }),
  ),
  row(
    'issues in a variable that the agent cannot print',
    onSchedule(LISTS, {
      uses: GEMINI,
      env: FOUND,
      with: { ...listed('gh label list', 'gh issue edit'), prompt: 'Label "${I}"' },
    }),
  ),
  row(
    'numbers of issues on a schedule',
    onSchedule(
      { id: 'find', run: 'echo "issues=$(gh issue list --json number --jq ".[].number")" >> "$GITHUB_OUTPUT"' },
      { uses: GEMINI, with: { prompt: 'Label ${{ steps.find.outputs.issues }}' } },
    ),
  ),
  row('numbers in a matrix of issues', listedBefore(IN_A_LINE, 'Fix issue ${{ matrix.issue.number }}', MATRIX)),
  row(
    'how many issues another job has found',
    listedBefore(`echo "issues=$(${ALL_TEXT} --jq length)" >> "$GITHUB_OUTPUT"`, NEEDED),
  ),
  row(
    'how many issues stand beside their text',
    onSchedule(
      { id: 'find', run: `${IN_A_LINE}\necho "count=$(gh issue list --json number --jq length)" >> "$GITHUB_OUTPUT"` },
      { uses: GEMINI, with: { prompt: 'Label ${{ steps.find.outputs.count }} issues' } },
    ),
  ),
  row('issues that no agent is given', onSchedule(LISTS, { uses: GEMINI, with: { prompt: 'Look for dead code' } })),
];

const NEAR = [
  row(
    'a prompt of the author alone',
    workflow('push', [{ uses: CLAUDE, with: { prompt: 'Update the docs', claude_args: '--allowedTools Bash' } }]),
  ),
  row(
    'a prompt of a member',
    workflow({ workflow_dispatch: { inputs: { p: { type: 'string' } } } }, [
      { uses: CLAUDE, with: { prompt: '${{ inputs.p }}', claude_args: '--allowedTools Bash' } },
    ]),
  ),
  row(
    'a program with a prompt of the author',
    workflow('schedule', ['claude -p "Update the docs" --dangerously-skip-permissions']),
  ),
  row('a version of the program', onIssue('claude --version')),
  row('an installation of the program', onIssue('npm install -g @anthropic-ai/claude-code')),
  row('a folder named like a program', onIssue('ls claude && cat claude/README.md')),
  row(
    'an agent of a job for members',
    workflow('issue_comment', [{ uses: CLAUDE, with: { anthropic_api_key: 'x' } }], {
      if: "github.event.comment.author_association == 'OWNER'",
    }),
  ),
  row('an action with a prompt and no model', onIssue({ uses: 'acme/notify@v1', with: { prompt: 'hello' } })),
  row('a program named agent with other options', onIssue('./agent --port 80')),
  row('an agent of a monitor', onIssue('datadog-agent status')),
  row('a list of models', onIssue('curl -s https://api.openai.com/v1/models')),
  row('llm that only answers', onIssue({ env: ENV, run: 'llm "$B"' })),
  row('a request to another service', onIssue({ env: ENV, run: 'curl -s https://api.example.com -d "$B"' })),
];

const NEAR_ANSWERS = [
  row('an answer as a quoted variable', onIssue(AGENT, { env: { A: ANSWER }, run: 'gh issue comment 1 --body "$A"' })),
  row(
    'an answer as a body',
    onIssue(AGENT, { uses: 'peter-evans/create-or-update-comment@v4', with: { 'issue-number': '1', body: ANSWER } }),
  ),
  row(
    'an answer in a file that another program reads',
    onIssue({ env: ENV, run: 'claude -p "Write a report: $B" > x.md\ncat x.md' }),
  ),
  row('an answer that is printed', onIssue(AGENT, { env: { A: ANSWER }, run: 'echo "$A"' })),
  row('an answer in the summary', onIssue(AGENT, { env: { A: ANSWER }, run: 'echo "$A" >> "$GITHUB_STEP_SUMMARY"' })),
  row(
    'a step output of the same name',
    onIssue({ id: 'ai', run: 'echo "response=1" >> $GITHUB_OUTPUT' }, `echo "${ANSWER}"`),
  ),
];

describe('agents', () => {
  testSuite({
    rules: [
      'ai-prompt-injection',
      'ai-agent-excessive-tools',
      'ai-agent-unrestricted-trigger',
      'ai-agent-untrusted-config',
      'ai-agent-unsafe-sandbox',
    ],
    attacks: PROMPTS,
    nearMisses: NEAR,
  });
});

describe('agents with tools that write', () => {
  testSuite({
    rules: ['ai-prompt-injection', 'ai-agent-unrestricted-trigger'],
    atLeast: 'HIGH',
    attacks: SCHEDULED,
    nearMisses: NOT_SEEN,
  });
});

describe('agents with the number of an issue', () => {
  const withNumber = { uses: GEMINI, with: { github_issue_number: '${{ github.event.issue.number }}' } };
  testSuite({
    rules: ['ai-prompt-injection'],
    attacks: [row('files in its workspace', onIssue({ uses: 'actions/checkout@v5' }, withNumber))],
    nearMisses: [row('a prompt of its action alone', onIssue(withNumber))],
  });
});

describe('answers of models', () => {
  testSuite({ rules: ['ai-output-injection'], attacks: ANSWERS, nearMisses: NEAR_ANSWERS });
});
