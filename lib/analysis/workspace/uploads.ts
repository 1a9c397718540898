import { actionOf, inputOf, isTrue } from '#lib/workflow/model/action-uses.ts';
import { majorOf, versionOf } from '#lib/workflow/model/action-version.ts';
import type { Step } from '#lib/workflow/model/model.ts';
import { isWithin, trimPath } from '#lib/workflow/shell/working-directory.ts';

/** A step that stores files of the workspace where others can fetch them. */
export interface Upload {
  readonly step: Step;
  /** `artifact`, `cache`: for a message. */
  readonly to: 'artifact' | 'cache' | 'Pages site';
  /** Paths from the workspace, globs included, less those that an expression computes; exclusions begin with `!`. */
  readonly paths: readonly string[];
  /** True if hidden files and folders are stored. */
  readonly hidden: boolean;
}

const ACTIONS: Readonly<Record<string, Upload['to']>> = {
  'actions/cache': 'cache',
  'actions/cache/save': 'cache',
  'actions/upload-artifact': 'artifact',
  'actions/upload-pages-artifact': 'Pages site',
};

/** What a step uploads; undefined for any other step. */
export function uploadOf(step: Step): Upload | undefined {
  const to = ACTIONS[actionOf(step)?.name ?? ''];
  if (to === undefined) return undefined;
  const given = inputOf(step, 'path')?.value ?? (to === 'Pages site' ? '_site' : '');
  const paths = given
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(trimmed)
    .filter((line) => !line.includes('${{'));
  return { step, to, paths, hidden: to === 'cache' || storesHidden(step) };
}

function trimmed(line: string): string {
  const entry = line.trim();
  return entry.startsWith('!') ? `!${trimPath(entry.slice(1))}` : trimPath(entry);
}

/** Since v4.4 of upload-artifact and v4 of upload-pages-artifact hidden files stay out unless asked for. */
function storesHidden(step: Step): boolean {
  if (isTrue(inputOf(step, 'include-hidden-files'))) return true;
  const version = versionOf(step);
  const major = version === undefined ? undefined : majorOf(version);
  return major !== undefined && major < 4;
}

/** True if an upload contains a file, given by its path from the workspace. */
export function holdsFile({ paths, hidden }: Upload, file: string): boolean {
  if (!hidden && file.split('/').some((name) => name.startsWith('.'))) return false;
  const excluded = paths.some((path) => path.startsWith('!') && covers(path.slice(1), file));
  return !excluded && paths.some((path) => !path.startsWith('!') && covers(path, file));
}

function covers(path: string, file: string): boolean {
  const star = path.indexOf('*');
  if (star === -1) return !/^[/~$]/.test(path) && isWithin(file, path);
  const folder = path.slice(0, path.lastIndexOf('/', star) + 1).replace(/\/$/, '');
  if (!isWithin(file, folder)) return false;
  const [, ending] = /\*(\.\w+)$/.exec(path) ?? [];
  return ending === undefined ? /\*\/?$/.test(path) : file.endsWith(ending);
}
