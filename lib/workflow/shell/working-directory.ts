import { jobOf, type Step, sourceOf } from '../model/model.ts';
import { valueOf } from '../yaml/parse.ts';
import { ScriptIndex } from './assignments.ts';
import { listedPlaces, listerOf } from './listed-files.ts';
import { commandsOf, type ShellCommand, type ShellWord } from './shell.ts';

/**
 * Folder relative to the workspace: empty for the workspace itself, beginning with a slash outside it. Undefined if
 * computed.
 */
export type Folder = string | undefined;

const WORKSPACE = /^(?:\$\{\{\s*github\.workspace\s*\}\}|\$GITHUB_WORKSPACE|\$\{GITHUB_WORKSPACE\}|\.)(?=\/|$)/i;

const OUTSIDE: readonly (readonly [RegExp, string])[] = [
  [/^(?:\$\{\{\s*runner\.temp\s*\}\}|\$RUNNER_TEMP|\$\{RUNNER_TEMP\})(?=\/|$)/i, '/<temp>'],
  [/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, '/<home>'],
  [/^(?=\/)/, '/'],
];

export function folderAt(from: Folder, path: string): Folder {
  const trimmed = path.trim();
  for (const [pattern, base] of OUTSIDE) {
    const match = pattern.exec(trimmed);
    if (match !== null) return below(segmentsOf(base), trimmed.slice(match[0].length));
  }
  const absolute = WORKSPACE.test(trimmed) && !trimmed.startsWith('.');
  const rest = trimmed.replace(WORKSPACE, '');
  if (!absolute && (from === undefined || /^[A-Za-z]:/.test(trimmed))) return undefined;
  return below(absolute ? [] : segmentsOf(from as string), rest);
}

function segmentsOf(folder: string): string[] {
  if (folder === '') return [];
  return folder === '/' ? [''] : folder.split('/');
}

function below(segments: string[], rest: string): Folder {
  if (/[$`*~]/.test(rest)) return undefined;
  for (const segment of rest.split(/[/\\]/)) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') {
      segments.push(segment);
      continue;
    }
    const left = segments.pop();
    // What lies above a folder that the runner names, or two levels above the workspace, is not known.
    if (left?.startsWith('<') === true) return undefined;
    if (left === undefined) segments.push('', '<above>');
    else if (left === '') segments.push('');
  }
  return segments.length === 1 && segments[0] === '' ? '/' : segments.join('/');
}

export function isWithin(folder: Folder, outer: string): boolean {
  if (folder === undefined) return false;
  return outer === '' ? !folder.startsWith('/') : folder === outer || folder.startsWith(`${outer}/`);
}

export function startFolder(step: Step): Folder {
  const own = step.workingDirectory?.value ?? defaultFolder(step);
  return own === undefined ? '' : folderAt('', own);
}

function defaultFolder(step: Step): string | undefined {
  const job = jobOf(step);
  for (const mapping of [job?.mapping, job?.workflow.root]) {
    const node = valueOf(valueOf(valueOf(mapping, 'defaults'), 'run'), 'working-directory');
    if (node?.kind === 'scalar') return node.text;
  }
  return undefined;
}

export interface PlacedCommand {
  readonly command: ShellCommand;
  readonly folder: Folder;
}

const placedByStep = new WeakMap<Step, readonly PlacedCommand[]>();

/** Returns a step's commands with the folder each runs in, after `working-directory`, `cd` and `pushd`. */
export function placedCommands(step: Step): readonly PlacedCommand[] {
  let placed = placedByStep.get(step);
  if (placed === undefined) {
    placed = placeCommands(step);
    placedByStep.set(step, placed);
  }
  return placed;
}

function placeCommands(step: Step): PlacedCommand[] {
  const { text } = sourceOf(step);
  const placed: PlacedCommand[] = [];
  const stack: Folder[] = [];
  let folder = startFolder(step);
  let subshell: { readonly until: number; readonly outer: Folder } | undefined;
  for (const command of commandsOf(step)) {
    if (subshell !== undefined && command.span.start > subshell.until) {
      folder = subshell.outer;
      subshell = undefined;
    }
    placed.push({ command, folder });
    const target = command.args.find(({ value }) => !value.startsWith('-') || value === '-');
    if (command.program === 'popd') folder = stack.pop();
    if (command.program !== 'cd' && command.program !== 'pushd') continue;
    if (command.program === 'pushd') stack.push(folder);
    const lineEnd = text.indexOf('\n', command.span.start);
    if (/\(\s*$/.test(text.slice(Math.max(0, command.span.start - 3), command.span.start))) {
      subshell = { until: lineEnd === -1 ? text.length : lineEnd, outer: folder };
    }
    folder = target === undefined ? undefined : folderAt(folder, pathOf(target, step));
  }
  return placed;
}

const VARIABLE = /^(?:\.\/)?\$(?:\{(\w{1,60})\}|(\w{1,60}))/;
const PATH = /^[\w./*?@+-]+$/;
const MAX_PATH = 500;

/**
 * Returns a word as a path: a variable at its start by the first text that the script gives it or the folder whose
 * files it lists, wildcards as a name.
 */
export function pathOf({ value }: ShellWord, step: Step): string {
  if (value.length > MAX_PATH) return value;
  const [whole = '', braced, plain] = VARIABLE.exec(value) ?? [];
  const name = braced ?? plain;
  const given = name === undefined ? undefined : ScriptIndex.of(step).assignmentsOf(name)[0];
  const stated = given?.literal === true ? given.value : name === undefined ? undefined : listedPath(name, step);
  const path = stated === undefined ? value : stated + value.slice(whole.length);
  return PATH.test(path) ? path.replace(/[*?]+/g, '<each>') : path;
}

function listedPath(name: string, step: Step): string | undefined {
  const lister = listerOf(name, step);
  if (lister === undefined) return undefined;
  const place = listedPlaces(lister)[0]?.value ?? '.';
  const wildcard = place.search(/[*?[]/);
  const folder = wildcard === -1 ? place : `./${place.slice(0, place.lastIndexOf('/', wildcard) + 1)}`;
  return `${folder.replace(/(?<!\/)\/+$/, '')}/*`.replace('.//', '/');
}

export function trimPath(path: string): string {
  return path
    .trim()
    .replace(/^\$\{\{\s*github\.workspace\s*\}\}\/?|^\$\{?GITHUB_WORKSPACE\}?\/?/i, '')
    .replace(/^(?:\.\/)+/, '')
    .replace(/^\.$/, '')
    .replace(/(?<!\/)\/+$/, '');
}
