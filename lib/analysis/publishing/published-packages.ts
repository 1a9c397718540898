import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import { jobOf, type Step, type Text } from '#lib/workflow/model/model.ts';
import type { ShellCommand } from '#lib/workflow/shell/shell.ts';
import { type Folder, folderAt, placedCommands } from '#lib/workflow/shell/working-directory.ts';
import { leadsElsewhere, PACKAGE_REGISTRIES } from './package-registries.ts';
import { type Publish, publishesIn } from './publish.ts';

export type ProvenanceRegistry = 'npm' | 'PyPI';

export type PackagePlace =
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 'workspaces'; readonly folder: string; readonly only: readonly string[] }
  | { readonly kind: 'unknown' };

export interface PublishedPackage {
  readonly registry: ProvenanceRegistry;
  readonly place: PackagePlace;
  readonly publish: Publish;
}

const UNKNOWN: PackagePlace = { kind: 'unknown' };

const TOOLS: ReadonlyMap<string, ProvenanceRegistry> = new Map([
  ['bun', 'npm'],
  ['changeset', 'npm'],
  ['lerna', 'npm'],
  ['npm', 'npm'],
  ['pnpm', 'npm'],
  ['semantic-release', 'npm'],
  ['yarn', 'npm'],
  ['hatch', 'PyPI'],
  ['poetry', 'PyPI'],
  ['twine', 'PyPI'],
  ['uv', 'PyPI'],
]);

/** TestPyPI shows attestations too, but no one installs from it. */
const TRIAL = /test\.pypi\.org|\btest-?pypi\b/i;

export function packagesPublishedIn(step: Step): readonly PublishedPackage[] {
  return publishesIn(step).flatMap((publish): PublishedPackage[] => {
    if (publish.kind !== 'package') return [];
    const found = step.uses === undefined ? ofCommand(publish) : ofAction(step);
    if (found === undefined || leadsElsewhere(step, { name: found.registry }) || isTrial(step, found.registry)) {
      return [];
    }
    return [{ ...found, publish }];
  });
}

type Found = Omit<PublishedPackage, 'publish'>;

function ofAction(step: Step): Found | undefined {
  const input = (...names: readonly string[]): string =>
    names.map((name) => inputOf(step, name)?.value.trim() ?? '').find((value) => value !== '') ?? '';
  switch (actionOf(step)?.slug ?? '') {
    case 'pypa/gh-action-pypi-publish': {
      const url = input('repository-url', 'repository_url');
      if (url !== '' && !url.startsWith('https://upload.pypi.org/')) return undefined;
      return {
        registry: 'PyPI',
        place: placeIn(folderAt('', `${input('packages-dir', 'packages_dir') || 'dist'}/..`)),
      };
    }
    case 'pyo3/maturin-action': {
      if (isElsewhere('PyPI', input('args'))) return undefined;
      return { registry: 'PyPI', place: placeIn(folderAt('', input('working-directory'))) };
    }
    case 'js-devtools/npm-publish': {
      const url = input('registry');
      if (url !== '' && !/^https:\/\/registry\.npmjs\.org(?:\/|$)/.test(url)) return undefined;
      return { registry: 'npm', place: placeOfPath('', input('package').replace(/(?:^|\/)package\.json$/, '')) };
    }
    case 'changesets/action':
      if (input('publish') === '') return undefined;
      return { registry: 'npm', place: workspacesOf(folderAt('', input('cwd'))) };
    case 'cycjimmy/semantic-release-action':
      return { registry: 'npm', place: placeIn(folderAt('', input('working_directory'))) };
    default:
      return undefined;
  }
}

function ofCommand({ name, step, span }: Publish): Found | undefined {
  const [tool = ''] = name.split(' ');
  const registry = TOOLS.get(tool);
  const placed = placedCommands(step).find(({ command }) => command.span === span);
  if (registry === undefined || placed === undefined) return undefined;
  const { command, folder } = placed;
  if (isElsewhere(registry, command.args.map(({ value }) => value).join(' '))) return undefined;
  const { folder: from, only, all, path } = readArguments(command, folder);
  if (registry === 'PyPI') return { registry, place: path === undefined ? placeIn(from) : placeOfFiles(from, path) };
  if (tool === 'changeset' || tool === 'lerna') return { registry, place: workspacesOf(from) };
  if (tool === 'semantic-release') return { registry, place: placeIn(from) };
  if (all || only.length > 0) return { registry, place: workspacesOf(from, only) };
  return { registry, place: placeOfPath(from, path ?? '') };
}

function isElsewhere(registry: ProvenanceRegistry, line: string): boolean {
  return PACKAGE_REGISTRIES.some(({ name, elsewhere }) => name === registry && elsewhere.test(line));
}

function isTrial(step: Step, registry: ProvenanceRegistry): boolean {
  if (registry !== 'PyPI') return false;
  const variables = [...(step.env?.entries ?? []), ...(jobOf(step)?.env?.entries ?? [])];
  const texts: (Text | undefined)[] = [step.run, ...variables.map(({ value }) => value)];
  return texts.some((text) => text !== undefined && TRIAL.test(text.value));
}

interface Arguments {
  readonly folder: Folder;
  readonly all: boolean;
  readonly only: readonly string[];
  readonly path: string | undefined;
}

const ALL = /^(?:--workspaces|-ws|--recursive|-r)$/;
const ONLY = /^(?:--workspace|-w|--filter|-F)$/;
const FOLDER = /^(?:--prefix|-C|--dir|--cwd|--directory|--project)$/;
const VALUED =
  /^(?:--(?:tag|access|otp|registry|userconfig|loglevel|provenance-file|username|password|token|repository|config-file|comment|cert|client-cert|identity|sign-with|trusted-publishing)|-[urpi])$/;
function readArguments({ program, args }: ShellCommand, from: Folder): Arguments {
  let folder = from;
  let all = false;
  let path: string | undefined;
  let told = false;
  const only: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at]?.value ?? '';
    const [, long, joined] = /^(--[\w-]+)=(.*)$/.exec(word) ?? [];
    const option = long ?? word;
    // For twine and Poetry `-r` selects a repository.
    if (ALL.test(word) && !/^(?:twine|poetry|python3?|uvx|pipx)$/.test(program)) all = true;
    else if (ONLY.test(option) || FOLDER.test(option) || VALUED.test(option)) {
      if (joined === undefined) at += 1;
      const value = joined ?? args[at]?.value ?? '';
      if (ONLY.test(option)) only.push(value);
      if (FOLDER.test(option)) folder = folderAt(folder, value);
    } else if (told && !word.startsWith('-')) path ??= word;
    else told ||= /^(?:publish|upload)$/.test(word);
  }
  return { folder, all, only, path };
}

function placeIn(folder: Folder): PackagePlace {
  return folder === undefined || /^\/|</.test(folder) ? UNKNOWN : { kind: 'folder', folder };
}

function placeOfPath(from: Folder, path: string): PackagePlace {
  return /\.t(?:ar\.)?gz$/.test(path) ? UNKNOWN : placeIn(folderAt(from, path));
}

function placeOfFiles(from: Folder, path: string): PackagePlace {
  const slash = path.lastIndexOf('/');
  return slash === -1 ? placeIn(from) : placeIn(folderAt(from, `${path.slice(0, slash)}/..`));
}

function workspacesOf(folder: Folder, only: readonly string[] = []): PackagePlace {
  return folder === undefined ? UNKNOWN : { kind: 'workspaces', folder, only };
}
