import { ACTION_INTERFACES, type ActionInterfaces } from '#lib/data/generated/action-interfaces.ts';
import { ACTION_RUNTIMES, type ActionRuntimes } from '#lib/data/generated/action-runtimes.ts';
import type { Action, Uses } from '#lib/workflow/model/model.ts';
import { compareVersions, isExact, parseVersion, usedVersion, type Version } from '#lib/workflow/model/versions.ts';
import { valueOf } from '#lib/workflow/yaml/parse.ts';
import { memoByNode } from '../memo.ts';

export interface ActionInterface {
  readonly inputs: ReadonlyMap<string, ActionInput>;
  readonly required: readonly string[];
  readonly outputs: ReadonlySet<string>;
  readonly isComposite: boolean;
}

export interface ActionInput {
  readonly required: boolean;
  readonly deprecated: string | undefined;
}

export function declaredInterface(action: Action): ActionInterface {
  const inputs = action.inputs.map(({ name, required, defaultValue, deprecated }): [string, ActionInput] => [
    name.toLowerCase(),
    { required: required && defaultValue === undefined, deprecated: deprecated?.value },
  ]);
  const outputs = valueOf(action.root, 'outputs');
  const names = outputs?.kind === 'mapping' ? [...outputs.entries.keys()] : [];
  return {
    inputs: new Map(inputs),
    required: requiredOf(inputs),
    outputs: new Set(names.map((name) => name.toLowerCase())),
    isComposite: action.using?.value.toLowerCase() === 'composite',
  };
}

function requiredOf(inputs: readonly (readonly [string, ActionInput])[]): string[] {
  return inputs.flatMap(([name, { required }]) => (required ? [name] : []));
}

export interface KnownInterface extends ActionInterface {
  readonly tag: string;
  readonly used: 'same' | 'moving' | 'older' | 'newer';
}

export const knownInterface = memoByNode((uses: Uses): KnownInterface | undefined => {
  const { reference } = uses;
  if (reference?.kind !== 'repository') return undefined;
  const name = reference.path === '' ? reference.slug : `${reference.slug}/${reference.path.toLowerCase()}`;
  const releases = releasesOf(name);
  const used = releases && usedVersion(uses);
  const release = used && releases.get(used.version.numbers[0] ?? -1);
  if (used === undefined || release === undefined) return undefined;
  const relation = relationOf(used.version, release.version);
  return { ...release, used: relation, tag: relation === 'older' ? release.tag : used.tag };
});

function relationOf(used: Version, read: Version): KnownInterface['used'] {
  const named = { ...read, numbers: isExact(used) ? read.numbers : read.numbers.slice(0, used.numbers.length) };
  const order = compareVersions(used, named);
  if (order === 0) return isExact(used) ? 'same' : 'moving';
  return order < 0 ? 'older' : 'newer';
}

type Release = ActionInterface & { readonly tag: string; readonly version: Version };

const ROWS: ReadonlyMap<string, ActionInterfaces> = new Map(ACTION_INTERFACES.map((row) => [row.action, row]));
const RUNTIMES = new Map(ACTION_RUNTIMES.map(({ action, runtimes }: ActionRuntimes) => [action, runtimes]));
const decoded = new Map<string, ReadonlyMap<number, Release>>();

function releasesOf(name: string): ReadonlyMap<number, Release> | undefined {
  const row = ROWS.get(name);
  if (row === undefined) return undefined;
  let releases = decoded.get(name);
  if (releases === undefined) {
    releases = decodeReleases(row);
    decoded.set(name, releases);
  }
  return releases;
}

/**
 * Encodes releases as lines, each with its differences from the line before: `v3.6.0 v4.2.0 | key! path! | cache-hit`,
 * then `v5.0.0 | -path! +paths +old~ |`. `!` is required, `~` deprecated.
 */
export function encodeReleases(
  releases: readonly {
    readonly tags: readonly string[];
    readonly known: Pick<ActionInterface, 'inputs' | 'outputs'>;
  }[],
): string[] {
  let before: readonly (readonly string[])[] = [];
  return releases.map(({ tags, known }) => {
    const inputs = [...known.inputs].map(
      ([name, { required, deprecated }]) => `${name}${required ? '!' : ''}${deprecated === undefined ? '' : '~'}`,
    );
    const lists = [inputs, [...known.outputs]].map((list) => [...new Set(list)].sort());
    const parts = lists.map((list, index) => differences(before[index], list).join(' '));
    before = lists;
    return [tags.join(' '), ...parts].join(' | ').trimEnd();
  });
}

function differences(before: readonly string[] | undefined, now: readonly string[]): readonly string[] {
  if (before === undefined) return now;
  const gone = before.filter((text) => !now.includes(text)).map((text) => `-${text}`);
  return [...gone, ...now.filter((text) => !before.includes(text)).map((text) => `+${text}`)];
}

function decodeReleases({ action, releases, deprecated }: ActionInterfaces): ReadonlyMap<number, Release> {
  const byMajor = new Map<number, Release>();
  const lists = [new Set<string>(), new Set<string>()] as const;
  for (const line of releases) {
    const [tags = [], ...parts] = line.split('|').map((part) => part.split(' ').filter((text) => text !== ''));
    for (const [index, list] of lists.entries()) {
      for (const text of parts[index] ?? []) {
        if (text.startsWith('-')) list.delete(text.slice(1));
        else list.add(text.replace(/^\+/, ''));
      }
    }
    const inputs = [...lists[0]].map((text) => inputIn(text, deprecated));
    const known = {
      inputs: new Map(inputs),
      required: requiredOf(inputs),
      outputs: new Set(lists[1]),
    };
    for (const tag of tags) {
      const version = parseVersion(tag);
      const major = version?.numbers[0];
      if (version === undefined || major === undefined) continue;
      byMajor.set(major, { ...known, isComposite: RUNTIMES.get(action)?.[major] === 'composite', tag, version });
    }
  }
  return byMajor;
}

function inputIn(text: string, messages: ActionInterfaces['deprecated']): [name: string, input: ActionInput] {
  const name = text.replace(/(?<![!~])[!~]+$/, '');
  const deprecated = text.endsWith('~') ? (messages?.[name] ?? '') : undefined;
  return [name, { required: text.slice(name.length).startsWith('!'), deprecated }];
}
