import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import { majorOf, versionOf } from '#lib/workflow/model/action-version.ts';
import type { Step } from '#lib/workflow/model/model.ts';
import { type Folder, folderAt, placedCommands } from '#lib/workflow/shell/working-directory.ts';
import { type Agent, agentsOf, type Vendor, writtenIn } from './catalog.ts';
import { onlyReads } from './tools.ts';

export interface FolderConfig {
  readonly files: string;
  readonly runs: boolean;
  readonly named: RegExp;
}

const CONFIGS: Readonly<Partial<Record<Vendor, FolderConfig>>> = {
  claude: {
    files: 'CLAUDE.md, .claude/settings.json and .mcp.json',
    runs: true,
    named: /\.claude\b|CLAUDE\.md|\.mcp\.json/,
  },
  codex: { files: 'AGENTS.md and the skills beside it', runs: false, named: /AGENTS\.md|\.codex\b/ },
  copilot: {
    files: 'AGENTS.md and .github/copilot-instructions.md',
    runs: false,
    named: /AGENTS\.md|copilot-instructions/,
  },
  gemini: { files: 'GEMINI.md and .gemini/settings.json', runs: true, named: /GEMINI\.md|\.gemini\b/ },
  opencode: { files: 'AGENTS.md, opencode.json and .opencode', runs: true, named: /AGENTS\.md|opencode/ },
};

export function folderConfigOf(agent: Agent): FolderConfig | undefined {
  const { vendor, command } = agent;
  const step = writtenIn(agent);
  const switches =
    command?.text ?? `${text(step, 'claude_args')} ${text(step, 'codex-args')} ${text(step, 'settings')}`;
  if (vendor === 'claude' && /--bare\b|--setting-sources[= ]+["']?user\b(?!,)/.test(switches)) return undefined;
  if (vendor === 'codex' && /project_doc_max_bytes\s{0,5}=\s{0,5}["']?0\b/.test(switches)) return undefined;
  return CONFIGS[vendor];
}

function text(step: Step, name: string): string {
  return inputOf(step, name)?.value ?? '';
}

export function folderOfAgent(agent: Agent): Folder {
  const { command } = agent;
  const step = writtenIn(agent);
  if (command === undefined) return folderAt('', text(step, 'working-directory'));
  return placedCommands(step).find((placed) => placed.command === command)?.folder;
}

/**
 * Patch releases of anthropics/claude-code-action v1.0: the first that restored the files (commit 9ddce40d of 2026-03-18)
 * and the first whose own program reads no settings of the workspace (commit 6e2bd528 of 2026-04-05).
 */
const RESTORES_SINCE = 74;
const STARTS_APART_SINCE = 89;

const PULL_REQUEST_EVENTS: ReadonlySet<string> = new Set([
  'issue_comment',
  'pull_request_review',
  'pull_request_review_comment',
  'pull_request_target',
]);

export function restoresConfig(agent: Agent, event: string): boolean {
  const step = writtenIn(agent);
  if (actionOf(step)?.name !== 'anthropics/claude-code-action' || !PULL_REQUEST_EVENTS.has(event)) return false;
  return isSince(RESTORES_SINCE, versionOf(step) ?? 'v1');
}

function isSince(release: number, version: string): boolean {
  const major = majorOf(version);
  if (major === undefined) return true;
  const [, patch] = /^v?1\.0\.(\d{1,5})$/.exec(version) ?? [];
  return major > 1 || (major === 1 && (patch === undefined || Number(patch) >= release));
}

const OF_WORKSPACE = ['path_to_bun_executable', 'path_to_claude_code_executable', 'plugin_marketplaces', 'plugins'];

/**
 * True if a step runs nothing of the workspace for an outsider: the action refuses people without write access, starts
 * and configures its agent from elsewhere, and lets it only read and comment.
 */
export function runsNoFiles(step: Step, event: string): boolean {
  const action = actionOf(step);
  if (action === undefined || OF_WORKSPACE.some((name) => inputOf(step, name) !== undefined)) return false;
  const version = action.ref === 'main' ? 'v1' : versionOf(step);
  return agentsOf(step).some(
    (agent) =>
      agent.access === 'writers' &&
      version !== undefined &&
      restoresConfig(agent, event) &&
      isSince(STARTS_APART_SINCE, version) &&
      onlyReads(agent),
  );
}
