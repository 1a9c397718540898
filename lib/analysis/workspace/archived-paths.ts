import type { Step } from '#lib/workflow/model/model.ts';
import type { ShellCommand } from '#lib/workflow/shell/shell.ts';
import { type Folder, folderAt, isWithin, placedCommands } from '#lib/workflow/shell/working-directory.ts';
import { memoByNode } from '../memo.ts';

interface Archive {
  readonly file: string;
  readonly folder: string;
}

const MAX_ARCHIVES = 20;

const COMPRESSORS: ReadonlyMap<string, string> = new Map([
  ['bzip2', 'bz2'],
  ['gzip', 'gz'],
  ['xz', 'xz'],
  ['zstd', 'zst'],
]);

const archivesOf = memoByNode(findArchives);

function findArchives(step: Step): Archive[] {
  if (!/\b(?:tar|zip)\b/.test(step.run?.value ?? '')) return [];
  const archives: Archive[] = [];
  for (const { command, folder } of placedCommands(step)) {
    const { program, args } = command;
    if (archives.length >= MAX_ARCHIVES) break;
    // Later archives no longer contain this `.git`.
    if (program === 'rm' && args.some(({ value }) => /(?:^|\/)\.git\/?$/.test(value))) break;
    const ending = COMPRESSORS.get(program);
    for (const { file, folder: packed } of ending === undefined ? [] : [...archives]) {
      const given = args.some(({ value }) => folderAt(folder, value) === file);
      if (given) archives.push({ file: `${file}.${ending}`, folder: packed });
    }
    archives.push(...packedBy(command, folder));
  }
  return archives;
}

function packedBy({ program, args }: ShellCommand, at: Folder): Archive[] {
  const values = args.map(({ value }) => value);
  const made = program === 'tar' ? tarred(values) : program === 'zip' ? zipped(values) : undefined;
  const file = made?.file === undefined ? undefined : folderAt(at, made.file);
  if (made === undefined || file === undefined) return [];
  const from = folderAt(at, made.from);
  return made.names.flatMap((name) => {
    const folder = folderAt(from, name);
    return folder === undefined ? [] : [{ file, folder }];
  });
}

interface Packed {
  readonly file: string | undefined;
  readonly from: string;
  readonly names: readonly string[];
}

function tarred([flags = '', file, ...rest]: readonly string[]): Packed | undefined {
  if (!/^-?[cjJvz]*c[jJvz]*f$/.test(flags)) return undefined;
  const moves = rest[0] === '-C' || rest[0] === '--directory';
  const names = moves ? rest.slice(2) : rest;
  if (names.some((name) => name.startsWith('-'))) return undefined;
  return { file, from: moves ? (rest[1] ?? '') : '.', names };
}

function zipped([flags = '', file, ...names]: readonly string[]): Packed | undefined {
  if (!/^-[\dqvy]*r[\dqvy]*$/.test(flags) || file === undefined) return undefined;
  if (names.some((name) => name.startsWith('-'))) return undefined;
  return { file: /\.\w+$/.test(file) ? file : `${file}.zip`, from: '.', names };
}

export type Archives = ReadonlyMap<string, ReadonlySet<string>>;

export function archivesIn(steps: readonly Step[]): Archives {
  const archives = new Map<string, Set<string>>();
  for (const { file, folder } of steps.flatMap(archivesOf)) {
    const folders = archives.get(file);
    if (folders === undefined) archives.set(file, new Set([folder]));
    else folders.add(folder);
  }
  return archives;
}

export function archivedIn(archives: Archives, path: string, file: string): boolean {
  const folders = archives.size === 0 ? undefined : archives.get(folderAt('', path) ?? '');
  return [...(folders ?? [])].some((folder) => isWithin(file, folder));
}
