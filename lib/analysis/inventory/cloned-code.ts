import { PROJECT_PROGRAMS } from '#lib/data/curated/project-runners.ts';
import type { ShellCommand } from '#lib/workflow/shell/shell.ts';
import type { RemoteCode } from './powershell-downloads.ts';

const MAX_CLONES = 20;
const MAX_FOLLOWED = 100;
const BUILDS = /^(?:bash|sh|python3?|node|npm|pnpm|yarn|cargo|cmake|pip3?|source|\.)$/;

export function clonedCode(commands: readonly ShellCommand[], later: readonly ShellCommand[]): RemoteCode[] {
  const found: RemoteCode[] = [];
  let left = MAX_CLONES;
  for (const [index, command] of commands.entries()) {
    if (command.program !== 'git' || command.args[0]?.value !== 'clone') continue;
    if (left === 0) return found;
    left -= 1;
    const words = command.args.slice(1).map(({ value }) => value);
    const paths = words.filter((word, at) => !word.startsWith('-') && !VALUED.test(words[at - 1] ?? ''));
    const [
      url = '',
      folder = url
        .split('/')
        .at(-1)
        ?.replace(/\.git$/, '') ?? '',
    ] = paths;
    if (words.some((word) => word.startsWith('--revision'))) continue;
    if (!/^https:\/\/[^@]{1,300}$/.test(url) || folder === '') continue;
    const after = [...commands.slice(index + 1), ...later].slice(0, MAX_FOLLOWED);
    if (after.some(({ program, args }) => program === 'git' && args.some(({ value }) => FIXES.test(value)))) continue;
    const started = after.find((next, at) => startsIn(next, folder, after.slice(0, at)));
    const branch = words[words.findIndex((word) => /^(?:-b|--branch)$/.test(word)) + 1];
    if (started === undefined) continue;
    const named = words.some((word) => /^(?:-b|--branch)$/.test(word)) ? `${url}@${branch ?? ''}` : url;
    found.push({
      url: named,
      insecure: false,
      kind: 'built',
      runner: firstLine(started),
      span: command.span,
    });
  }
  return found;
}

const VALUED = /^(?:-b|--branch|--depth|-c|--config|-o|--origin|--reference|-j|--jobs)$/;
const FIXES = /^(?:checkout|reset|switch|submodule)$/;

function startsIn(command: ShellCommand, folder: string, before: readonly ShellCommand[]): boolean {
  const { program, args, words } = command;
  const called = words[words.length - args.length - 1]?.value ?? '';
  const below = (word: string): boolean => word.replace(/^\.\//, '').startsWith(`${folder}/`);
  if (below(called)) return true;
  if (
    (BUILDS.test(program) || PROJECT_PROGRAMS.has(program)) &&
    args.some(({ value }) => below(value) || plain(value) === folder)
  )
    return true;
  const moved = before.findLast(({ program: name }) => name === 'cd' || name === 'pushd');
  const inside = moved?.args[0] !== undefined && plain(moved.args[0].value) === folder;
  return inside && (/^[\w.-]+\//.test(called) || BUILDS.test(program) || PROJECT_PROGRAMS.has(program));
}

function plain(path: string): string {
  return path.replace(/^\.\//, '').replace(/\/$/, '');
}

function firstLine({ text }: ShellCommand): string {
  return (text.trim().split('\n')[0] ?? '').slice(0, 60);
}
