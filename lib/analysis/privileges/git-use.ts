import { actionOf, innermostSteps, inputOf } from '#lib/workflow/model/action-uses.ts';
import type { Step } from '#lib/workflow/model/model.ts';
import { commandsOf, type ShellCommand, shellOf } from '#lib/workflow/shell/shell.ts';
import { memoByNode, memoInRepository } from '../memo.ts';
import { actionNeeds, ghNeeds } from './documented-permissions.ts';
import { QUIET_COMMANDS } from './foreign-code.ts';

/** `may` means that the step runs code outside this repository's files. */
export type Use = 'uses' | 'may' | 'no';

const REMOTE_GIT: ReadonlySet<string> = new Set([
  'push',
  'pull',
  'fetch',
  'submodule',
  'clone',
  'ls-remote',
  'lfs',
  'remote',
]);

const GIT_IN_TEXT = /\bgit\b[^\n]{0,200}?\b(?:push|pull|fetch|submodule|ls-remote|lfs|send-pack)\b/;

const PUSHING_TOOL =
  /\b(?:semantic-release|release-it|release-plz|cargo[ -]release|changesets?(?: |:)(?:tag|publish|version)|lerna (?:version|publish)|nx release|auto shipit|gh-deploy|gh-pages|ghp-import|mike deploy|release:(?:prepare|perform)|ci-release|goreleaser|chart-releaser|docs:deploy|git-auto-commit|jgit:|dulwich|git-cliff|cz bump|bump2version|bump-my-version|standard-version|gh (?:pr (?:checkout|create)|repo (?:sync|clone))|hub (?:push|pull))\b/;

const BUILD_COMMANDS: readonly RegExp[] = [
  /^(?:npm|pnpm|yarn|bun) (?:ci|install|i|add|test|t|audit|run (?:build|test|lint|check|typecheck|type-check|format|fmt|compile|coverage|tsc)(?:$|[ :]))/,
  /^(?:yarn|ninja|make -j\d*)$/,
  /^npx (?:--no-install )?(?:tsc|eslint|prettier|vitest|jest|biome)\b/,
  /^go (?:build|test|vet|mod|install|get|version|env|fmt)\b/,
  /^cargo (?:\+\S+ )?(?:build|test|check|clippy|fmt|doc|bench|nextest|audit|deny|install|miri|tarpaulin|llvm-cov|hack|fetch|metadata)\b/,
  /^(?:pip3?|pipx) (?:install|list|check|freeze|show|download|wheel)\b/,
  /^(?:uv|poetry|pdm|conda|mamba) (?:sync|pip|venv|lock|build|python|tool install|install|check|create|update|info|list|self)\b/,
  /^(?:(?:uv|poetry|pdm|hatch) run |bundle exec )?(?:pytest|ruff|mypy|black|flake8|pylint|isort|coverage|pyright|rspec|rubocop)\b/,
  /^python3? -m (?:pip|pytest|build|unittest|venv|mypy|compileall|twine)\b/,
  /^(?:dotnet (?:build|test|restore|format|pack)|bundle install|composer (?:install|update|validate)|swift (?:build|test)|zig (?:build|test|fmt)|bazel(?:isk)? (?:build|test|query)|deno (?:test|lint|fmt|check|cache|install)|mix (?:test|compile|deps|format|credo))\b/,
  /^(?:mvn|mvnw|gradle|gradlew)(?: -\S+)* (?:clean )?(?:test|verify|compile|package|check|build|assemble)(?: -\S+)*$/,
  /^(?:cmake|ctest|meson|terraform|kubectl|helm|shellcheck|actionlint|hadolint|rustc|gcc|clang|cc|tsc|eslint)\b/,
];

export const gitUse = memoInRepository((step: Step, repository): Use => {
  const uses = innermostSteps([step], repository).map(ownGitUse);
  return uses.includes('uses') ? 'uses' : uses.includes('may') ? 'may' : 'no';
});

const ownGitUse = memoByNode((step: Step): Use => {
  if (step.uses?.reference?.kind === 'local') return 'may';
  if (step.uses !== undefined) {
    const script = inputOf(step, 'script') ?? inputOf(step, 'command') ?? inputOf(step, 'run') ?? inputOf(step, 'cmd');
    if (script !== undefined && usesRemoteGit(script.value)) return 'uses';
    if (actionOf(step)?.slug === 'actions/github-script')
      return /\bexec\b|child_process|\$`/.test(script?.value ?? '') ? 'may' : 'no';
    const needs = actionNeeds(step);
    if (needs?.git === true) return 'uses';
    return needs === undefined ? 'may' : 'no';
  }
  if (step.run === undefined) return 'no';
  if (usesRemoteGit(step.run.value)) return 'uses';
  if (shellOf(step) !== 'posix') return 'may';
  const commands = commandsOf(step);
  if (
    commands.some((command) => command.program === 'git' && command.args.some(({ value }) => REMOTE_GIT.has(value)))
  ) {
    return 'uses';
  }
  return commands.every(isOrdinary) ? 'no' : 'may';
});

function usesRemoteGit(text: string): boolean {
  return text.includes('extraheader') || (text.includes('git') && GIT_IN_TEXT.test(text)) || PUSHING_TOOL.test(text);
}

function isOrdinary(command: ShellCommand): boolean {
  const { program, words } = command;
  if (words.length === 0) return true;
  if (program === 'git') return true;
  if (program === 'gh') return ghNeeds(command) !== undefined;
  if (QUIET_COMMANDS.has(program)) {
    const runsOther = program === 'xargs' || program === 'find' || program === 'docker';
    return !runsOther || (program === 'docker' && !/^(?:run|exec|compose)$/.test(command.args[0]?.value ?? ''));
  }
  const line = `${program} ${command.args.map(({ value }) => value).join(' ')}`.trim();
  return BUILD_COMMANDS.some((pattern) => pattern.test(line));
}
