import { actionOf, inputOf, isTrue } from '#lib/workflow/model/action-uses.ts';
import { majorOf, versionOf } from '#lib/workflow/model/action-version.ts';
import type { Step } from '#lib/workflow/model/model.ts';
import { isWithin, trimPath } from '#lib/workflow/shell/working-directory.ts';

export interface Upload {
  readonly step: Step;
  readonly to: 'artifact' | 'cache' | 'Pages site';
  readonly paths: readonly string[];
  readonly hidden: boolean;
}

const ACTIONS: Readonly<Record<string, Upload['to']>> = {
  'actions/cache': 'cache',
  'actions/cache/save': 'cache',
  'actions/upload-artifact': 'artifact',
  'actions/upload-pages-artifact': 'Pages site',
};

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

/** Hidden files are excluded by default since upload-artifact v4.4 and upload-pages-artifact v4. */
function storesHidden(step: Step): boolean {
  if (isTrue(inputOf(step, 'include-hidden-files'))) return true;
  const version = versionOf(step);
  const major = version === undefined ? undefined : majorOf(version);
  return major !== undefined && major < 4;
}

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
