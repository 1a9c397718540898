import { actionOf, innermostSteps, innerSteps, inputOf, isTrue } from '#lib/workflow/model/action-uses.ts';
import type { Step, Text } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { commandsOf, type ShellCommand } from '#lib/workflow/shell/shell.ts';
import { ownValue } from '#lib/workflow/text/own-value.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { memoByNode, memoInRepository } from '../memo.ts';
import { coreToolsIn } from './core-tools.ts';

export interface Agent {
  readonly step: Step;
  /** The step of the local action that `step` uses, if the agent stands there. */
  readonly inner?: Step;
  readonly vendor: Vendor;
  readonly name: string;
  readonly span: Span;
  readonly command: ShellCommand | undefined;
  readonly prompts: readonly Text[];
  readonly promptFile: Text | undefined;
  readonly readsEvent: boolean;
  readonly instructed: boolean;
  readonly access: 'writers' | 'named' | 'anyone';
  readonly widenedBy: { readonly name: string; readonly text: Text } | undefined;
  readonly tools: readonly Tool[];
}

export type Vendor = 'claude' | 'codex' | 'gemini' | 'copilot' | 'opencode' | 'model' | 'other';
export type Tool = 'shell' | 'edit' | 'github';

interface ActionProfile {
  readonly vendor: Vendor;
  readonly prompts: readonly string[];
  readonly promptFile?: string;
  readonly switches?: readonly string[];
  readonly readsEvent?: 'always' | 'without-prompt';
  readonly instructedBy?: readonly string[];
  readonly checksAccess?: true;
  readonly wideners?: readonly string[];
  readonly tools: (step: Step) => readonly Tool[];
}

const none = (): readonly Tool[] => [];

const REVIEWER: ActionProfile = { vendor: 'other', prompts: [], readsEvent: 'always', tools: none };

const OPENCODE: ActionProfile = {
  vendor: 'opencode',
  prompts: ['prompt'],
  readsEvent: 'always',
  checksAccess: true,
  tools: () => ['shell', 'edit'],
};

const CLAUDE: ActionProfile = {
  vendor: 'claude',
  prompts: ['prompt', 'direct_prompt', 'override_prompt', 'custom_instructions', 'append_system_prompt', 'claude_args'],
  switches: ['claude_args', 'settings', 'allowed_tools', 'mcp_config', 'claude_env'],
  readsEvent: 'without-prompt',
  checksAccess: true,
  wideners: ['allowed_non_write_users', 'allowed_bots'],
  tools: (step) => claudeTools(switchesOf(step, CLAUDE.switches ?? []), inputOf(step, 'allowed_tools')?.value),
};

const ACTIONS: Readonly<Record<string, ActionProfile>> = {
  'anthropics/claude-code-action': CLAUDE,
  'anthropics/claude-code-base-action': {
    vendor: 'claude',
    prompts: ['prompt', 'system_prompt', 'append_system_prompt', 'claude_args'],
    promptFile: 'prompt_file',
    switches: ['claude_args', 'settings', 'allowed_tools', 'mcp_config', 'claude_env'],
    tools: CLAUDE.tools,
  },
  'anthropics/claude-code-action/base-action': {
    vendor: 'claude',
    prompts: ['prompt', 'system_prompt', 'append_system_prompt', 'claude_args'],
    promptFile: 'prompt_file',
    switches: ['claude_args', 'settings', 'allowed_tools', 'mcp_config', 'claude_env'],
    tools: CLAUDE.tools,
  },
  'openai/codex-action': {
    vendor: 'codex',
    prompts: ['prompt'],
    promptFile: 'prompt-file',
    switches: ['codex-args', 'sandbox', 'safety-strategy'],
    checksAccess: true,
    wideners: ['allow-users', 'allow-bots'],
    tools: (step) => {
      const switches = switchesOf(step, ['codex-args', 'sandbox', 'safety-strategy']);
      if (/danger-full-access|dangerously-bypass/.test(switches)) return ['shell', 'edit'];
      return /read-only/.test(switches) || /read-only/.test(inputOf(step, 'permission-profile')?.value ?? '')
        ? []
        : ['edit'];
    },
  },
  'google-github-actions/run-gemini-cli': {
    vendor: 'gemini',
    prompts: ['prompt'],
    switches: ['settings'],
    instructedBy: ['prompt', 'settings', 'extensions'],
    tools: (step) => geminiTools(inputOf(step, 'settings')?.value ?? ''),
  },
  'google-gemini/gemini-cli-action': {
    vendor: 'gemini',
    prompts: ['prompt'],
    switches: ['settings_json'],
    instructedBy: ['prompt', 'settings_json'],
    tools: (step) => geminiTools(inputOf(step, 'settings_json')?.value ?? ''),
  },
  'actions/ai-inference': {
    vendor: 'model',
    prompts: ['prompt', 'system-prompt', 'input'],
    promptFile: 'prompt-file',
    tools: (step) => (isTrue(inputOf(step, 'enable-github-mcp')) ? ['github'] : []),
  },
  'sst/opencode/github': OPENCODE,
  'anomalyco/opencode/github': OPENCODE,
  'ask-bonk/ask-bonk/github': OPENCODE,
  'fro-bot/agent': OPENCODE,
  'anc95/chatgpt-codereview': REVIEWER,
  'coderabbitai/ai-pr-reviewer': REVIEWER,
  'codium-ai/pr-agent': REVIEWER,
  'freeedcom/ai-codereviewer': REVIEWER,
  'mattzcarey/code-review-gpt': REVIEWER,
  'qodo-ai/pr-agent': REVIEWER,
};

const PROGRAMS: Readonly<Record<string, { readonly vendor: Vendor; readonly call: RegExp }>> = {
  agent: { vendor: 'other', call: /(?:^|\s)(?:-p|--print)\b/ },
  aider: { vendor: 'other', call: /(?:^|\s)(?:-m|--message|--message-file|-f)\b/ },
  claude: { vendor: 'claude', call: /(?:^|\s)(?:-p|--print)\b/ },
  codex: { vendor: 'codex', call: /(?:^|\s)exec\b/ },
  copilot: { vendor: 'copilot', call: /(?:^|\s)(?:-p|--prompt)\b/ },
  amp: { vendor: 'other', call: /(?:^|\s)(?:-x|--execute)\b/ },
  crush: { vendor: 'other', call: /^run\b/ },
  'cursor-agent': { vendor: 'other', call: /(?:^|\s)(?:-p|--print)\b/ },
  droid: { vendor: 'other', call: /^exec\b/ },
  gemini: { vendor: 'gemini', call: /(?:^|\s)(?:-p|--prompt|-y|--yolo|--approval-mode)\b/ },
  goose: { vendor: 'other', call: /^run\b/ },
  llm: { vendor: 'other', call: /(?:^|\s)(?:--functions|-T|--tool)\b/ },
  opencode: { vendor: 'opencode', call: /^run\b/ },
  qwen: { vendor: 'gemini', call: /(?:^|\s)(?:-p|--prompt|-y|--yolo|--approval-mode)\b/ },
};

const PACKAGES: Readonly<Record<string, string>> = {
  '@anthropic-ai/claude-code': 'claude',
  '@github/copilot': 'copilot',
  '@google/gemini-cli': 'gemini',
  '@openai/codex': 'codex',
  'opencode-ai': 'opencode',
};

const PROGRAM_MENTION =
  /claude|codex|gemini|copilot|opencode|aider|\b(?:agent|amp|crush|droid|llm|qwen)\b|goose|\/(?:messages|completions|responses)\b|:generateContent/;

export const agentsOf = memoByNode((step: Step): readonly Agent[] =>
  PROGRAM_MENTION.test(step.run?.value ?? '') ? commandAgents(step) : actionAgents(step),
);

/** Returns the agents of a step, also those in the local actions that it uses, which are reported at the step. */
export function agentsAt(step: Step, repository: Repository): readonly Agent[] {
  const { uses } = step;
  if (uses?.reference?.kind !== 'local') return agentsOf(step);
  const inside = agentsInside(innerSteps(step, repository), repository);
  return inside.map((agent) => ({ ...agent, step, inner: agent.step, span: uses.text.span }));
}

/** More in one action are repetitions, and each counts once for every use of the action. */
const MAX_INSIDE = 20;

const agentsInside = memoInRepository((steps: readonly Step[], repository): readonly Agent[] =>
  innermostSteps(steps, repository).flatMap(agentsOf).slice(0, MAX_INSIDE),
);

export function writtenIn({ step, inner }: Pick<Agent, 'step' | 'inner'>): Step {
  return inner ?? step;
}

function actionAgents(step: Step): Agent[] {
  const action = actionOf(step);
  if (action === undefined || step.uses === undefined) return [];
  const profile = ACTIONS[action.name] ?? ACTIONS[action.slug] ?? unknownAgent(step);
  if (profile === undefined) return [];
  const prompts = profile.prompts.flatMap((name) => inputOf(step, name) ?? []);
  const instructed = prompts.some((text) => text !== inputOf(step, 'claude_args'));
  const promptFile = profile.promptFile === undefined ? undefined : inputOf(step, profile.promptFile);
  return [
    {
      step,
      vendor: profile.vendor,
      name: `${action.owner}/${action.repo}`,
      span: step.uses.span,
      command: undefined,
      prompts,
      promptFile,
      readsEvent: profile.readsEvent === 'always' || (profile.readsEvent === 'without-prompt' && !instructed),
      instructed: profile.instructedBy?.some((name) => inputOf(step, name) !== undefined) ?? true,
      ...accessOf(step, profile),
      tools: profile.tools(step),
    },
  ];
}

function unknownAgent(step: Step): ActionProfile | undefined {
  if (inputOf(step, 'prompt') === undefined) return undefined;
  const asksModel = (step.with?.entries ?? []).some(({ name }) => MODEL_INPUT.test(name));
  return asksModel
    ? { vendor: 'other', prompts: ['prompt', 'system_prompt', 'system-prompt'], tools: none }
    : undefined;
}

const MODEL_INPUT =
  /^model$|^(?:openai|anthropic|gemini|claude|azure[_-]?openai|openrouter|mistral|llm|ai)[_-](?:model|api[_-]?key|key|token)$/i;

function accessOf(step: Step, profile: ActionProfile): Pick<Agent, 'access' | 'widenedBy'> {
  if (profile.checksAccess === undefined) return { access: 'anyone', widenedBy: undefined };
  let named: Agent['widenedBy'];
  for (const name of profile.wideners ?? []) {
    const text = inputOf(step, name);
    const value = text?.value.trim() ?? '';
    if (text === undefined || value === '' || value === 'false') continue;
    const everybody = value.split(/[\s,]+/).includes('*');
    if (everybody && !/bots/.test(name)) return { access: 'anyone', widenedBy: { name, text } };
    named ??= { name, text };
  }
  return { access: named === undefined ? 'writers' : 'named', widenedBy: named };
}

function commandAgents(step: Step): Agent[] {
  return commandsOf(step).flatMap((command): Agent[] => {
    if (command.program === 'curl' && MODEL_API.test(command.text.slice(0, MAX_CALL)))
      return [modelCall(command, step)];
    const called = calledProgram(command);
    if (called === undefined) return [];
    const { program, rest } = called;
    const profile = ownValue(PROGRAMS, program);
    if (profile === undefined || !profile.call.test(rest)) return [];
    return [
      {
        step,
        vendor: profile.vendor,
        name: `the ${program} command`,
        span: command.span,
        command,
        prompts: [],
        promptFile: undefined,
        readsEvent: false,
        instructed: true,
        access: 'anyone',
        widenedBy: undefined,
        tools: commandTools(profile.vendor, rest),
      },
    ];
  });
}

const MAX_CALL = 20_000;
const MODEL_API =
  /\bhttps:\/\/(?:api\.(?:openai|anthropic|mistral|deepseek|groq|x)\.(?:com|ai)|openrouter\.ai|models\.github\.ai|models\.inference\.ai\.azure\.com|generativelanguage\.googleapis\.com)\/[\w./:-]{0,100}(?:messages|completions|responses|generateContent)\b/;

function modelCall(command: ShellCommand, step: Step): Agent {
  return {
    step,
    vendor: 'model',
    name: 'the API of a model',
    span: command.span,
    command,
    prompts: [],
    promptFile: undefined,
    readsEvent: false,
    instructed: true,
    access: 'anyone',
    widenedBy: undefined,
    tools: [],
  };
}

function calledProgram({ program, args }: ShellCommand): { program: string; rest: string } | undefined {
  const words = args.map(({ value }) => value);
  if (Object.hasOwn(PROGRAMS, program)) return { program, rest: words.join(' ') };
  if (program === 'timeout') {
    const at = words.findIndex((word) => Object.hasOwn(PROGRAMS, word));
    return at === -1 ? undefined : { program: words[at] as string, rest: words.slice(at + 1).join(' ') };
  }
  if (!/^(?:npx|bunx|pnpx|pnpm|yarn|bun)$/.test(program)) return undefined;
  const index = words.findIndex((word) => packageNamed(word) !== undefined);
  if (index === -1 || /^(?:i|install|add)$/.test(words[0] ?? '')) return undefined;
  return { program: packageNamed(words[index] as string) as string, rest: words.slice(index + 1).join(' ') };
}

function packageNamed(word: string): string | undefined {
  return PACKAGES[word.replace(/(?<=.)@[\w.^~-]+$/, '')];
}

function switchesOf(step: Step, names: readonly string[]): string {
  return names.map((name) => inputOf(step, name)?.value ?? '').join('\n');
}

const ANYTHING = /dangerously-skip-permissions|bypassPermissions/;

const BROAD_SHELL =
  /\bBash(?![\w(])|\bBash\(\s{0,5}(?:gh|git|curl|wget|bash|sh|python3?|node|npm|npx|pnpm|yarn|bun|uv|pip|make|docker|cargo|go|env|find|xargs)?[\s:*]{0,10}\)/;

/** Claude Code has no shell until a list allows it, and no editing tools outside tag mode. */
function claudeTools(switches: string, list: string | undefined): Tool[] {
  if (ANYTHING.test(switches)) return ['shell', 'edit'];
  const allowed = `${list ?? ''}\n${allowedIn(switches)}`;
  const tools: Tool[] = [];
  if (BROAD_SHELL.test(allowed)) tools.push('shell');
  if (/\b(?:Edit|Write|MultiEdit)\b/.test(allowed)) tools.push('edit');
  if (/mcp__github(?:_\w{1,40}?)?__(?:create|update|merge|push|delete|add)/.test(allowed)) tools.push('github');
  return tools;
}

function allowedIn(switches: string): string {
  const granted: string[] = [];
  for (const match of switches.matchAll(/--allowed-?tools[=\s]+/gi)) {
    const rest = restOf(switches, match);
    granted.push(rest.slice(0, /\s--[a-z]/.exec(rest)?.index ?? rest.length));
  }
  for (const match of switches.matchAll(/"allow"\s*:\s*\[/g)) {
    const rest = restOf(switches, match);
    granted.push(rest.slice(0, rest.indexOf(']') === -1 ? rest.length : rest.indexOf(']')));
  }
  return granted.join('\n');
}

const MAX_TOOL_LIST = 4_000;

function restOf(text: string, { index, 0: matched }: RegExpExecArray): string {
  return text.slice(index + matched.length, index + matched.length + MAX_TOOL_LIST);
}

/** Gemini's action approves every call, so only the list of core tools limits it. */
function geminiTools(settings: string): Tool[] {
  const list = coreToolsIn(settings);
  if (list === undefined) return ['shell', 'edit'];
  const tools: Tool[] = [];
  if (/run_shell_command(?:"|\((?:gh|git|curl|npm|python3?|node|bash|sh|env)\))/.test(list)) tools.push('shell');
  if (/write_file|replace/.test(list)) tools.push('edit');
  if (GEMINI_WRITES.test(list)) tools.push('github');
  return tools;
}

const GEMINI_WRITES = /run_shell_command\(gh (?:api|(?:issue|pr|release) (?:comment|create|edit|merge))\b/;

function commandTools(vendor: Vendor, rest: string): Tool[] {
  switch (vendor) {
    case 'claude':
      return claudeTools(rest, undefined);
    case 'codex':
      if (/danger-full-access|dangerously-bypass|--yolo/.test(rest)) return ['shell', 'edit'];
      return /workspace-write|--full-auto/.test(rest) ? ['edit'] : [];
    case 'gemini':
      return /(?:^|\s)(?:-y|--yolo)\b|approval-mode[= ]yolo/.test(rest) ? ['shell', 'edit'] : [];
    case 'copilot':
      if (/--allow-all(?:-tools)?\b|--yolo|--allow-tool[= ]["']?shell["']?(?:\s|$)/.test(rest))
        return ['shell', 'edit'];
      return /--allow-tool[= ]["']?write/.test(rest) ? ['edit'] : [];
    case 'opencode':
      return ['shell', 'edit'];
    case 'model':
    case 'other':
      break;
  }
  return /--yes|--force|\brun\b|--functions/.test(rest) ? ['edit'] : [];
}
