import { inputOf, isTrue } from '#lib/workflow/model/action-uses.ts';
import type { Step, Text } from '#lib/workflow/model/model.ts';
import { ownValue } from '#lib/workflow/text/own-value.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { offsetInScalar } from '#lib/workflow/yaml/parse.ts';
import type { Agent } from './catalog.ts';
import { coreToolsIn } from './core-tools.ts';

export interface ToolPermission {
  readonly pattern: string;
  /**
   * `commands`: any program, or one that runs given code. `repository`: changes code, releases or runs. `web`: requests
   * to any address. `server`: tools of an unknown MCP server. `files`: edits of files.
   */
  readonly gives: 'commands' | 'repository' | 'web' | 'server' | 'files';
  readonly span: Span | undefined;
}

/** Returns the dangerous permissions of an agent, without narrow command patterns and read-only tools. */
export function toolPermissionsOf(agent: Agent): ToolPermission[] {
  const { vendor, step, command } = agent;
  const line = command?.args.map(({ value }) => value).join(' ');
  switch (vendor) {
    case 'claude':
      return line === undefined ? claudeGrants(step) : claudeListed(line);
    case 'gemini':
      return line === undefined ? geminiGrants(step) : yolo(line, /(?:^|\s)(?:-y|--yolo)\b|approval-mode[= ]yolo/);
    case 'copilot':
      return copilotGrants(line ?? '');
    case 'codex':
      return agent.tools.includes('shell') ? [everything('commands without a sandbox')] : [];
    case 'opencode':
      return [everything('every tool')];
    case 'model':
      return isTrue(inputOf(step, 'enable-github-mcp')) ? [grant('the GitHub MCP server', 'repository')] : [];
    case 'other':
      return [];
  }
}

function grant(pattern: string, gives: ToolPermission['gives'], span?: Span): ToolPermission {
  return { pattern, gives, span };
}

const everything = (pattern: string): ToolPermission => grant(pattern, 'commands');

function yolo(line: string, pattern: RegExp): ToolPermission[] {
  const [match] = pattern.exec(line) ?? [];
  return match === undefined ? [] : [everything(match.trim())];
}

function copilotGrants(line: string): ToolPermission[] {
  const all = yolo(line, /--allow-all(?:-tools)?(?![\w-])|--yolo\b/);
  if (all.length > 0) return all;
  return [...line.matchAll(/--allow-tool[= ]["']?(shell(?:\([^)]{0,200}\))?|write)/g)].flatMap(([, tool = '']) =>
    tool === 'write' ? [grant(tool, 'files')] : shellGrant(tool, tool.slice('shell'.length)),
  );
}

const CLAUDE_INPUTS = ['claude_args', 'settings', 'allowed_tools'];
const UNLIMITED = /dangerously-skip-permissions|bypassPermissions/;

function claudeGrants(step: Step): ToolPermission[] {
  return CLAUDE_INPUTS.flatMap((name) => {
    const text = inputOf(step, name);
    if (text === undefined) return [];
    const whole = name === 'allowed_tools' ? [{ start: 0, end: Math.min(text.value.length, MAX_LIST) }] : undefined;
    return claudeListed(text.value, whole, text);
  });
}

function claudeListed(value: string, given?: readonly Span[], text?: Text): ToolPermission[] {
  const [unlimited] = UNLIMITED.exec(value) ?? [];
  if (unlimited !== undefined) return [everything(unlimited)];
  return (given ?? listsIn(value)).flatMap((range) =>
    entriesIn(value, range).flatMap((entry) => {
      const span = text === undefined ? undefined : spanIn(text, entry);
      return claudeGrant(value.slice(entry.start, entry.end)).map((found) => ({ ...found, span }));
    }),
  );
}

function spanIn({ node }: Text, { start, end }: Span): Span {
  return { start: offsetInScalar(node, start), end: offsetInScalar(node, end - 1) + 1 };
}

const MAX_LIST = 4_000;
const MAX_LISTS = 20;

function listsIn(value: string): Span[] {
  const lists: Span[] = [];
  for (const match of value.matchAll(/--allowed-?tools[=\s]+|"allow"\s{0,20}:\s{0,20}\[/gi)) {
    if (lists.length >= MAX_LISTS) break;
    const start = match.index + match[0].length;
    const rest = value.slice(start, start + MAX_LIST);
    const end = match[0].startsWith('"') ? rest.indexOf(']') : rest.search(/\s--[a-z]/);
    lists.push({ start, end: start + (end === -1 ? rest.length : end) });
  }
  return lists;
}

function entriesIn(value: string, { start, end }: Span): Span[] {
  const entries: Span[] = [];
  let from = -1;
  let depth = 0;
  for (let at = start; at <= end; at += 1) {
    const character = at === end ? ',' : (value[at] as string);
    if (character === '(') depth += 1;
    else if (character === ')') depth = Math.max(0, depth - 1);
    if (depth === 0 || at === end) {
      if (/[\s,"'[\]]/.test(character)) {
        if (from !== -1) entries.push({ start: from, end: at });
        from = -1;
        continue;
      }
    }
    if (from === -1) from = at;
  }
  return entries;
}

function claudeGrant(entry: string): ToolPermission[] {
  if (entry === 'Bash' || entry.startsWith('Bash(')) return shellGrant(entry, entry.slice('Bash'.length));
  if (/^(?:Edit|Write|MultiEdit|NotebookEdit)(?:$|\((?:\*{1,2}|\/?\*\*\/?\*?)\)$)/.test(entry)) {
    return [grant(entry, 'files')];
  }
  if (entry === 'WebFetch' || /^WebFetch\((?:domain:)?\*\)$/.test(entry)) return [grant(entry, 'web')];
  if (!entry.startsWith('mcp__')) return [];
  if (!KNOWN_SERVER.test(entry)) return [grant(entry, 'server')];
  return REPOSITORY_TOOL.test(entry) ? [grant(entry, 'repository')] : [];
}

const TALKS = /^mcp__github(?:_\w{1,40}?)?__(?:(?:add|create|update)_(?:\w{1,20}_)?comment|add_labels?)$/;

const WRITES =
  /^mcp__github(?:_[a-z]+){0,3}$|^mcp__github(?:_\w{1,40}?)?__(?:\*|create|update|merge|push|delete|add|submit)/;

/** True if the lists of a Claude action allow it tools that write comments and labels, and none that do more. */
export function onlyTalks(agent: Agent): boolean {
  const { vendor, step, command, tools } = agent;
  if (vendor !== 'claude' || command !== undefined || tools.length !== 1 || tools[0] !== 'github') return false;
  if (toolPermissionsOf(agent).length > 0) return false;
  const writing = allowedEntries(step).filter((entry) => WRITES.test(entry));
  return writing.length > 0 && writing.every((entry) => TALKS.test(entry));
}

function allowedEntries(step: Step): string[] {
  return CLAUDE_INPUTS.flatMap((name) => {
    const value = inputOf(step, name)?.value ?? '';
    const lists = name === 'allowed_tools' ? [{ start: 0, end: Math.min(value.length, MAX_LIST) }] : listsIn(value);
    return lists.flatMap((range) => entriesIn(value, range).map(({ start, end }) => value.slice(start, end)));
  });
}

const READS =
  /^(?:Read|Grep|Glob|LS|Task|TodoWrite|WebSearch)$|^mcp__github(?:_\w{1,40}?)?__(?:get|list|search|create_inline_comment\b|update_claude_comment\b)|^Bash\((?:gh (?:issue|pr|label|repo|run) (?:view|diff|list|comment|checks|review)|gh search|git (?:blame|diff|log|rev-parse|show|status)|cat|grep|head|ls|tail|wc)(?:[\s:]|\))/;

export function onlyReads({ vendor, step, command }: Agent): boolean {
  if (vendor !== 'claude' || command !== undefined) return false;
  const switches = CLAUDE_INPUTS.map((name) => inputOf(step, name)?.value ?? '').join('\n');
  const settings = inputOf(step, 'settings')?.value.trim() ?? '{';
  if (!settings.startsWith('{') || UNLIMITED.test(switches) || LOADS_MORE.test(switches)) return false;
  const allowed = allowedEntries(step);
  return allowed.length > 0 && allowed.every((entry) => READS.test(entry) || TALKS.test(entry));
}

const LOADS_MORE = /--(?:mcp-config|plugin-dir|settings)\b|"hooks"|\$\{\{/;

const KNOWN_SERVER = /^mcp__(?:github(?:_\w{1,40}?)?|context7|sequential[-_]thinking|deepwiki|memory)(?:$|__)/;
const REPOSITORY_TOOL =
  /^mcp__github$|^mcp__github(?:_\w{1,40}?)?__(?:\*$|merge|push_files|create_or_update_file|delete_file|create_pull_request_with|create_release|run_workflow|create_branch)/;

const RUNS_ANYTHING: ReadonlySet<string> = new Set(
  'awk bash bun bunx cargo chmod curl dash deno docker env find gh git go gradle make mvn nc node npm npx perl php pip pip3 pnpm podman powershell pwsh python python3 ruby sh ssh sudo tee uv uvx wget xargs yarn zsh'.split(
    ' ',
  ),
);

const DANGEROUS_SUBCOMMAND =
  /^(?:git (?:push|config|remote|-c)|gh (?:api|auth|secret|workflow|release|extension|repo|pr merge)|npm (?:exec|install|publish)|go (?:run|generate)|uv run|cargo run|docker run)\b/;
const NEEDS_COMMANDS = /^(?:npm|go|uv|cargo|docker|gh extension)\b/;

function shellGrant(entry: string, rest: string): ToolPermission[] {
  const pattern = /^\(([^)]*)\)?$/.exec(rest)?.[1]?.trim() ?? rest;
  const words = pattern
    .replace(/(?<![\s:])[\s:]*\*$/, '')
    .replace(/:$/, '')
    .trim();
  if (words === '' || words === '*') return [grant(entry, 'commands')];
  const open = pattern.endsWith('*');
  if (!open) return [];
  if (RUNS_ANYTHING.has(words)) return [grant(entry, words === 'gh' || words === 'git' ? 'repository' : 'commands')];
  if (!DANGEROUS_SUBCOMMAND.test(words)) return [];
  return [grant(entry, NEEDS_COMMANDS.test(words) ? 'commands' : 'repository')];
}

function geminiGrants(step: Step): ToolPermission[] {
  const settings = (inputOf(step, 'settings') ?? inputOf(step, 'settings_json'))?.value ?? '';
  const list = coreToolsIn(settings);
  if (list === undefined) return [everything('every tool, because no list restricts them')];
  return [...list.matchAll(/"([^"]{1,200})"/g)].flatMap(([, entry = '']) => {
    if (entry.startsWith('run_shell_command')) {
      const [, pattern] = /^run_shell_command\((.*)\)$/.exec(entry) ?? [];
      // Gemini patterns are prefixes: `run_shell_command(gh)` allows every `gh` command.
      return shellGrant(entry, pattern === undefined ? '' : `(${pattern}:*)`);
    }
    if (/^(?:write_file|replace|WriteFileTool|EditTool)$/.test(entry)) return [grant(entry, 'files')];
    return entry === 'web_fetch' || entry === 'WebFetchTool' ? [grant(entry, 'web')] : [];
  });
}

const PRINTS =
  /"run_shell_command(?:"|\((?:(?:awk|bash|cat|curl|cut|diff|echo|env|export|grep|head|jq|node|perl|printenv|printf|python3?|ruby|sed|set|sh|sort|tail|tee|xargs|zsh)\b[^)]{0,200}|(?:git|gh(?: api| search| (?:issue|pr)(?: (?:diff|list|view))?)?)[ :*]{0,3})\))/;

/** False if the agent gets only the constant prompt of its action, in an empty workspace. */
export function isInstructed({ instructed, inner, step }: Agent): boolean {
  return instructed || inner !== undefined || step.index > 0;
}

/** False if no command that the agent may run prints its variables or the issue. */
export function printsVariables(agent: Agent): boolean {
  const { vendor, step, command } = agent;
  if (!isInstructed(agent)) return false;
  if (vendor !== 'gemini' || command !== undefined) return true;
  const settings = (inputOf(step, 'settings') ?? inputOf(step, 'settings_json'))?.value ?? '';
  const list = coreToolsIn(settings);
  return list === undefined || settings.includes('"mcpServers"') || PRINTS.test(list);
}

const NARROWER: Readonly<Record<string, string>> = {
  Bash: 'Bash(gh issue view:*),Bash(gh pr view:*),Bash(gh pr diff:*)',
  gh: 'Bash(gh issue view:*),Bash(gh pr view:*),Bash(gh pr diff:*)',
  git: 'Bash(git log:*),Bash(git diff:*),Bash(git show:*)',
};

export function narrowerThan({ pattern }: ToolPermission): string | undefined {
  if (pattern === 'Bash' || /^Bash\([\s:*]*\)$/.test(pattern)) return NARROWER['Bash'];
  const [, program = ''] = /^Bash\((gh|git)[\s:]*\*\)$/.exec(pattern) ?? [];
  return ownValue(NARROWER, program);
}
