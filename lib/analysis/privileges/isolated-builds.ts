import { inputOf, runsAction } from '#lib/workflow/model/action-uses.ts';
import type { Step } from '#lib/workflow/model/model.ts';
import { commandsOf, type ShellCommand, shellOf } from '#lib/workflow/shell/shell.ts';
import {
  type Folder,
  folderAt,
  isWithin,
  type PlacedCommand,
  placedCommands,
} from '#lib/workflow/shell/working-directory.ts';
import { ownValue } from '#lib/workflow/text/own-value.ts';
import { isInert, programOfXargs } from './foreign-code.ts';

const STARTS_NOTHING: Readonly<Record<string, RegExp>> = {
  docker: /^(?:images?|info|inspect|load|login|logout|pull|push|save|tag|version)$/,
  go: /^(?:build|env|fmt|mod|version|vet)$/,
};

/** True if untrusted code runs only in image builds without access to a folder, or not at all. */
export function buildsInIsolation(step: Step, folder: Folder): boolean {
  if (runsAction(step, 'docker/build-push-action')) return folder !== undefined && getsNothingOf(step, folder);
  if (step.run === undefined || folder === undefined || shellOf(step) !== 'posix') return false;
  const commands = placedCommands(step);
  return commands.length > 0 && commands.every((placed) => isApart(placed, folder));
}

const TOOLS: ReadonlySet<string> = new Set(
  'apk apt apt-get cosign dnf gpg kubectl microdnf pacman syft yum zypper'.split(' '),
);

/**
 * True if a step starts only image builds, which get what a Dockerfile copies, and tools and packages of the system,
 * none of which run code of the workspace.
 */
export function startsNoWorkspaceCode(step: Step): boolean {
  if (runsAction(step, 'docker/build-push-action', 'docker/bake-action')) return true;
  if (step.run === undefined || shellOf(step) !== 'posix') return false;
  const commands = commandsOf(step);
  return commands.length > 0 && commands.every((command) => isInert(command) || isTool(command));
}

function isTool(command: ShellCommand): boolean {
  const { program, args } = command;
  if (TOOLS.has(program === 'xargs' ? programOfXargs(command) : program)) return true;
  const words = args.map(({ value }) => value);
  if (program === 'corepack') return /^(?:disable|enable|install|prepare)$/.test(words[0] ?? '');
  return (program === 'docker' && BUILDS_IMAGE.test(words.join(' '))) || startsNothing(program, words);
}

const BUILDS_IMAGE = /^(?:buildx |compose )?(?:bake|build|push)(?: |$)/;

function startsNothing(program: string, [verb = '']: readonly string[]): boolean {
  return ownValue(STARTS_NOTHING, program)?.test(verb) === true;
}

const INPUTS_OF_V1 = ['dockerfile', 'path', 'repository'] as const;

function getsNothingOf(step: Step, folder: string): boolean {
  if ([...INPUTS_OF_V1, 'build-contexts', 'secret-files', 'secrets'].some((name) => inputOf(step, name) !== undefined))
    return false;
  const context = inputOf(step, 'context')?.value.trim() ?? '';
  const isFetchedByBuilder = context === '' || context.startsWith('{{defaultContext}}');
  if (isFetchedByBuilder) return true;
  const handed = folderAt('', context);
  return handed !== undefined && !isWithin(folder, handed);
}

function isApart({ command, folder: at }: PlacedCommand, folder: string): boolean {
  const { program, args } = command;
  const words = args.map(({ value }) => value);
  if (isInert(command) || startsNothing(program, words)) return true;
  if (program !== 'docker') return false;
  const [last = '', before = ''] = [words.at(-1), words.at(-2)];
  // After an option the last word may be its value instead of a folder.
  const ends = !last.startsWith('-') && (!before.startsWith('-') || before.includes('='));
  if (!ends || !(words[0] === 'build' || (words[0] === 'buildx' && words[1] === 'build'))) return false;
  const handed = folderAt(at, last);
  return handed !== undefined && !isWithin(folder, handed);
}

const OPENS_BUILD = /^--(?:allow|build-context|secret|ssh|network[= ]host)\b/;

/** True for the words of `docker build` whose build gets neither secrets nor variables of the job. */
export function isBareImageBuild(words: readonly string[]): boolean {
  const [first, second] = words;
  if (first !== 'build' && !(first === 'buildx' && second === 'build')) return false;
  return words.every((word, index) => {
    const joined = /^--build-arg=(.*)$/s.exec(word)?.[1];
    const argument = joined ?? (words[index - 1] === '--build-arg' ? word : undefined);
    if (argument !== undefined) return argument.includes('=') && !/\$(?!\{\{)|\bsecrets\b/.test(argument);
    return !OPENS_BUILD.test(word) && !(word === 'host' && words[index - 1] === '--network');
  });
}
