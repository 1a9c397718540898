import type { Step } from '#lib/workflow/model/model.ts';
import { commandsOf, type ShellCommand } from '#lib/workflow/shell/shell.ts';
import { type Folder, folderAt, placedCommands } from '#lib/workflow/shell/working-directory.ts';

const OUTSIDE: readonly (readonly [RegExp, string])[] = [
  [/^(?:\$\{\{\s*runner\.temp\s*\}\}|\$\{?RUNNER_TEMP\b\}?|\$env:RUNNER_TEMP\b|%RUNNER_TEMP%)(?=[/\\]|$)/i, '/<temp>'],
  [/^(?:\$\{\{\s*runner\.tool_cache\s*\}\}|\$\{?RUNNER_TOOL_CACHE\b\}?)(?=\/|$)/i, '/<tools>'],
  [/^(?:~|\$\{\{\s*env\.HOME\s*\}\}|\$\{?HOME\b\}?|\/home\/runner(?!\/work\b)|\/root)(?=\/|$)/, '/<home>'],
  [/^\/home\/runner\/work\/_temp(?=\/|$)/, '/<temp>'],
];

const WORKSPACE =
  /^(?:\$\{\{\s*(?:github\.workspace|env\.GITHUB_WORKSPACE)\s*\}\}|\$\{?GITHUB_WORKSPACE\b\}?|\/home\/runner\/work\/([\w.-]+)\/\1|\/github\/workspace)(?=\/|$)/i;

/** Relative to the workspace, or absolute outside it; undefined if it contains something else that is computed. */
export function locationOf(path: string): string | undefined {
  const trimmed = path.trim().replace(/^(["'])(.*)\1$/, '$2');
  const inside = WORKSPACE.exec(trimmed);
  if (inside !== null) return folderAt('', trimmed.slice(inside[0].length).replace(/^\/+/, ''));
  for (const [pattern, base] of OUTSIDE) {
    const match = pattern.exec(trimmed);
    if (match !== null) return below(base, trimmed.slice(match[0].length));
  }
  if (/^(?:\/|[A-Za-z]:[/\\])/.test(trimmed)) return below('', trimmed);
  return folderAt('', trimmed);
}

function below(base: string, rest: string): string | undefined {
  if (/[$`*]/.test(rest)) return undefined;
  const folder = folderAt('', rest.replace(/^[/\\]+/, '').replace(/^[A-Za-z]:[/\\]+/, ''));
  return folder === undefined || folder.startsWith('/') ? undefined : folder === '' ? base || '/' : `${base}/${folder}`;
}

export function workspaceFolder(path: string | undefined): Folder {
  if (path === undefined) return '';
  const location = locationOf(path);
  return location?.startsWith('/') === true ? undefined : location;
}

export function isOutsideWorkspace(path: string | undefined): boolean {
  return path !== undefined && locationOf(path)?.startsWith('/') === true;
}

export function locationOfCommand(step: Step, command: ShellCommand): string | undefined {
  const folder = placedCommands(step).find((placed) => placed.command === command)?.folder;
  if (folder !== undefined) return folder;
  const moved = commandsOf(step).findLast(
    ({ program, span }) => (program === 'cd' || program === 'pushd') && span.start < command.span.start,
  );
  const target = moved?.args.find(({ value }) => !value.startsWith('-'))?.value ?? step.workingDirectory?.value;
  return target === undefined ? undefined : locationOf(target);
}
