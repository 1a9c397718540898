import { type Agent, agentsOf } from '#lib/analysis/agents/catalog.ts';
import { exposureOf } from '#lib/analysis/agents/exposure.ts';
import { publishesIn } from '#lib/analysis/publishing/publish.ts';
import { replaceScalar } from '#lib/workflow/edits/scalars.ts';
import { inputOf, isTrue } from '#lib/workflow/model/action-uses.ts';
import { jobOf, stepsOf, type Text, type Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { defineRule, type Fix, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';
import { hasAgents } from '../shared/when.ts';

type Message = 'switch' | 'windows' | 'scrub' | 'output' | 'order';

const SWITCHES =
  /--(?:allow-)?dangerously-[\w-]+|--yolo\b|--approval-mode[= ]+["']?yolo\b|--(?:permission-mode|permissionMode)[= ]+["']?bypassPermissions\b|"(?:defaultMode|permissionMode)"\s*:\s*"bypassPermissions"|danger-full-access|--allow-all(?:-tools)?\b/;

export const aiAgentUnsafeSandbox = defineRule({
  id: 'ai-agent-unsafe-sandbox',
  meta: {
    title: 'AI agent runs with safeguards disabled or before a publishing step',
    why: 'Agents ask for confirmation or act in a sandbox because a prompt can talk them into anything. With these safeguards disabled, one malicious sentence can run any command as the job’s user, and what it changes stays in place for the steps that follow.',
    attack:
      'Text that the agent reads tells it to run a command. With safeguards disabled, the command runs at once and reads keys from memory, or modifies a file that a later publishing step uses.',
    recommendation:
      'Remove the switch and allow only the tools that the task needs, or choose the vendor’s safe strategy. Publish, deploy and sign in a separate job that starts clean.',
    limits: 'Settings files in the repository and agents inside other actions are not read.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-7',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://github.com/openai/codex-action#safety-strategy',
      'https://docs.claude.com/en/docs/claude-code/security',
      'https://github.com/anthropics/claude-code-action/blob/main/docs/security.md',
    ],
    messages: {
      switch: '{{agent}} runs with {{value}}: nothing limits what an injected prompt can make it do.',
      windows: '{{agent}} runs with {{value}}, the only strategy available on Windows.',
      scrub: '{{agent}} passes its secrets to the commands it runs.',
      output: '{{agent}} prints full tool results to the log, including secrets in files and variables.',
      order: '{{publish}} runs in the same job after {{agent}}, which may have changed files, hooks and programs.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: issues
          jobs:
            agent:
              runs-on: ubuntu-latest
              steps:
                - uses: openai/codex-action@v1
                  with:
                    allow-users: '*'
                    prompt: Triage issue \${{ github.event.issue.number }}
                    # expect: switch
                    safety-strategy: unsafe
                    # expect: switch
                    sandbox: 'danger-full-access'
                - uses: anthropics/claude-code-action@v1
                  with:
                    # expect: output
                    show_full_output: true
        `,
        fixed: yaml`
          on: issues
          jobs:
            agent:
              runs-on: ubuntu-latest
              steps:
                - uses: openai/codex-action@v1
                  with:
                    allow-users: '*'
                    prompt: Triage issue \${{ github.event.issue.number }}
                    # expect: switch
                    safety-strategy: drop-sudo
                    # expect: switch
                    sandbox: workspace-write
                - uses: anthropics/claude-code-action@v1
                  with:
                    # expect: output
                    show_full_output: false
        `,
      },
      {
        yaml: yaml`
          on: issues
          jobs:
            agent:
              runs-on: ubuntu-latest
              steps:
                - uses: anthropics/claude-code-action@v1
                  env:
                    # expect: scrub
                    CLAUDE_CODE_SUBPROCESS_ENV_SCRUB: '0'
                  with:
                    # expect: switch
                    claude_args: --model opus --dangerously-skip-permissions
                # expect: switch
                - run: gemini -y -p "Triage"
                # expect: switch
                - run: copilot --allow-all-tools -p "Triage"
                # expect: order
                - run: npm publish
            windows:
              runs-on: windows-latest
              steps:
                - uses: openai/codex-action@v1
                  with:
                    prompt: Triage
                    # expect: windows
                    safety-strategy: unsafe
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: issues
          jobs:
            agent:
              runs-on: ubuntu-latest
              steps:
                - uses: openai/codex-action@v1
                  with:
                    prompt: Never use --yolo or danger-full-access.
                    safety-strategy: drop-sudo
                    sandbox: read-only
                - uses: anthropics/claude-code-action@v1
                  with:
                    claude_args: --allowedTools "Read,Grep"
                    show_full_output: false
                - run: claude -p "Read, never with --yolo" --allowedTools Read
            publish:
              needs: agent
              runs-on: ubuntu-latest
              steps:
                - run: npm publish
        `,
      },
    ],
  },
  when: hasAgents,
  check: { workflow: check },
});

const SWITCH_INPUTS = ['claude_args', 'settings', 'settings_json', 'codex-args', 'sandbox', 'safety-strategy'];

function* check(workflow: Workflow, { repository }: RuleContext): Generator<Report<Message>> {
  for (const step of stepsOf(workflow)) {
    for (const agent of agentsOf(step)) {
      yield* switchesOf(agent, repository);
      yield* leaksOf(agent, repository);
      const follower = followerOf(agent, repository);
      if (follower !== undefined) yield follower;
    }
  }
}

function* switchesOf(agent: Agent, repository: Repository): Generator<Report<Message>> {
  const { step, command } = agent;
  const found: { readonly value: string; readonly span: Span; readonly text?: Text; readonly safe?: string }[] = [];
  if (command !== undefined) {
    // A prompt, which has spaces, may mention the switch.
    const words = command.args.map(({ value }) => value).filter((value) => !/\s/.test(value));
    const short = agent.vendor === 'gemini' && words.includes('-y') ? ['-y'] : null;
    const match = short ?? SWITCHES.exec(words.join(' '));
    if (match !== null) found.push({ value: match[0] as string, span: command.span });
  }
  for (const name of SWITCH_INPUTS) {
    const text = inputOf(step, name);
    if (text === undefined) continue;
    const unsafe = name === 'safety-strategy' && text.value.trim() === 'unsafe';
    const value = unsafe ? 'safety-strategy: unsafe' : SWITCHES.exec(text.value)?.[0];
    if (value === undefined) continue;
    const safe = unsafe ? 'drop-sudo' : name === 'sandbox' ? 'workspace-write' : undefined;
    found.push({ value, span: text.span, text, ...(safe === undefined ? {} : { safe }) });
  }
  for (const { value, span, text, safe } of found) {
    const windows = value.startsWith('safety-strategy') && onWindows(agent);
    yield {
      message: windows ? 'windows' : 'switch',
      data: { agent: agent.name, value },
      at: step,
      span,
      severity: windows ? 'LOW' : severityOf(agent, repository),
      fix: windows || text === undefined || safe === undefined ? undefined : replaced(text, safe),
      attributes: { vendor: agent.vendor },
    };
  }
}

function* leaksOf(agent: Agent, repository: Repository): Generator<Report<Message>> {
  const { step } = agent;
  const common = { at: step, data: { agent: agent.name } };
  const scrub = (step.env ?? jobOf(step)?.env)?.get('CLAUDE_CODE_SUBPROCESS_ENV_SCRUB');
  if (agent.vendor === 'claude' && scrub !== undefined && /^(?:0|false)$/i.test(scrub.value.value.trim())) {
    yield { ...common, message: 'scrub', span: scrub.span, severity: severityOf(agent, repository) };
  }
  const full = inputOf(step, 'show_full_output');
  if (full !== undefined && isTrue(full)) {
    yield { ...common, message: 'output', span: full.span, severity: 'LOW', fix: replaced(full, 'false') };
  }
}

function followerOf(agent: Agent, repository: Repository): Report<Message> | undefined {
  const { step } = agent;
  const last = step.parent.steps.findLast((other) => agentsOf(other).length > 0);
  if (agent.tools.length === 0 || last !== step || exposureOf(agent, repository) === undefined) return undefined;
  const later = step.parent.steps.slice(step.index + 1);
  const [publish] = later.flatMap(publishesIn);
  if (publish === undefined) return undefined;
  return {
    message: 'order',
    data: { publish: publish.name, agent: agent.name },
    at: publish.step,
    span: publish.span,
    severity: 'LOW',
  };
}

function severityOf(agent: Agent, repository: Repository): Severity {
  return exposureOf(agent, repository)?.byOutsider === true ? 'MEDIUM' : 'LOW';
}

function onWindows({ step }: Agent): boolean {
  return jobOf(step)?.runsOn?.labels.some(({ value }) => value.toLowerCase().includes('windows')) === true;
}

function replaced(text: Text, value: string): Fix | undefined {
  const edit = replaceScalar(text, value);
  return edit && { safety: 'review', edits: [edit] };
}
