import { inputOf } from '#lib/workflow/model/action-uses.ts';
import { type Job, jobOf, type Step } from '#lib/workflow/model/model.ts';
import type { ShellCommand } from '#lib/workflow/shell/shell.ts';
import {
  type Folder,
  folderAt,
  isWithin,
  type PlacedCommand,
  placedCommands,
} from '#lib/workflow/shell/working-directory.ts';
import { memoByNode } from '../memo.ts';

const MANAGERS: ReadonlySet<string> = new Set(['bun', 'npm', 'pnpm', 'yarn']);
const INSTALLS = /^(?:add|ci|i|install|install-clean)$/;
const DIRECTS = /^(?:--cwd|--dir|--prefix|-C)$/;
const GLOBAL = /^(?:-g|--global|--location=global|global)$/;
const INLINE = /^-(?:c|e|m|p)$/;
const MAY_INSTALL =
  /^(?:bash|bazel|corepack|devbox|docker|just|lerna|make|nix|node|nx|python3?|rush|sh|source|task|turbo|\.)$/;
const LOCKFILE = /(?:^|\/)(?:bun\.lockb?|npm-shrinkwrap\.json|package-lock\.json|pnpm-lock\.yaml|yarn\.lock)$/;
const MAX_INSTALLS = 50;

interface Place {
  readonly index: number;
  readonly start: number;
}

interface Install extends Place {
  readonly folder: Folder;
}

/**
 * True if package managers installed projects before this command that lie in other folders, with lockfiles of their
 * own, so that it cannot find their programs.
 */
export function isInstalledElsewhere(command: ShellCommand, step: Step): boolean {
  const job = jobOf(step);
  const placed = placedCommands(step).find((each) => each.command === command);
  if (job === undefined || placed === undefined) return false;
  const { installs, other, locked } = projectsOf(job);
  const at = { index: step.index, start: command.span.start };
  const before = installs.filter((install) => isBefore(install, at));
  if (before.length === 0 || before.length >= MAX_INSTALLS || (other !== undefined && isBefore(other, at)))
    return false;
  const folder = folderOf(placed);
  return (
    folder !== undefined &&
    before.every((each) => each.folder !== undefined && locked.has(each.folder) && !isWithin(folder, each.folder))
  );
}

const projectsOf = memoByNode(({ steps }: Job) => {
  const installs: Install[] = [];
  const locked = new Set<Folder>();
  let other: Place | undefined;
  for (const step of steps) {
    for (const lockfile of inputOf(step, 'cache-dependency-path')?.value.split('\n') ?? []) {
      if (LOCKFILE.test(lockfile.trim())) locked.add(folderAt('', lockfile.trim().replace(LOCKFILE, '')));
    }
    for (const placed of placedCommands(step)) {
      const at = { index: step.index, start: placed.command.span.start };
      if (isInstall(placed.command) && installs.length < MAX_INSTALLS)
        installs.push({ ...at, folder: folderOf(placed) });
      if (mayInstall(placed.command)) other ??= at;
    }
  }
  return { installs, other, locked };
});

function isBefore(one: Place, other: Place): boolean {
  return one.index === other.index ? one.start < other.start : one.index < other.index;
}

function isInstall({ program, args }: ShellCommand): boolean {
  if (!MANAGERS.has(program)) return false;
  return (
    args.some(({ value }) => INSTALLS.test(value)) ||
    (program === 'yarn' && args.every(({ value }) => value.startsWith('-')))
  );
}

function mayInstall(command: ShellCommand): boolean {
  const { program, args, words } = command;
  if (isInstall(command)) return args.some(({ value }) => GLOBAL.test(value));
  const named = words.at(-args.length - 1)?.value ?? '';
  if (named.includes('/') || (program === '' && words.length > 0)) return true;
  return MAY_INSTALL.test(program) && !INLINE.test(args[0]?.value ?? '');
}

function folderOf({ command: { args }, folder }: PlacedCommand): Folder {
  const at = args.findIndex(({ value }) => DIRECTS.test(value.split('=')[0] ?? ''));
  if (at === -1) return folder;
  const [, given = args[at + 1]?.value ?? ''] = (args[at]?.value ?? '').split('=');
  return folderAt(folder, given);
}
