import * as z from 'zod/mini';
import { type ActionInterface, declaredInterface, encodeReleases } from '#lib/analysis/inventory/action-interface.ts';
import type { ActionInterfaces } from '#lib/data/generated/action-interfaces.ts';
import type { ActionRuntimes } from '#lib/data/generated/action-runtimes.ts';
import type { Client } from '#lib/hosts/code-host/client.ts';
import type { Action } from '#lib/workflow/model/model.ts';
import { compareVersions, parseVersion } from '#lib/workflow/model/versions.ts';
import { parseAction } from '#lib/workflow/parse/action.ts';
import { createSource } from '#lib/workflow/text/source.ts';
import { ask, batches, compare, type Refreshed } from './refresh-tables.ts';

export interface ReleaseFile {
  readonly action: string;
  readonly major: number;
  readonly tag: string;
  readonly text: string;
}

const Tags = z.record(
  z.string(),
  z.nullable(z.object({ refs: z.nullable(z.object({ nodes: z.array(z.nullable(z.object({ name: z.string() }))) })) })),
);
const Files = z.record(
  z.string(),
  z.record(z.string(), z.nullable(z.object({ text: z.optional(z.nullable(z.string())) }))),
);
const MAX_MAJORS = 12;
const MAX_INTERFACES = 5;
const MAX_TEXT = 200_000;

export function readDefinitions(client: Client, names: readonly string[]): Promise<ReleaseFile[]> {
  return readFiles(client, names, ['action.yml', 'action.yaml'], { batch: 10, majors: MAX_MAJORS });
}

export async function readFiles(
  client: Client,
  names: readonly string[],
  files: readonly string[],
  { batch: size, majors: most }: { readonly batch: number; readonly majors: number },
): Promise<ReleaseFile[]> {
  const found: ReleaseFile[] = [];
  for (const batch of batches(names, size)) {
    const repositories = batch.map((name) => name.split('/').slice(0, 2).join('/'));
    const tagFields = batch.map(
      (_, index) =>
        `r${index}: repository(owner: $o${index}, name: $n${index}) { refs(refPrefix: "refs/tags/", first: 100, orderBy: { field: TAG_COMMIT_DATE, direction: DESC }) { nodes { name } } }`,
    );
    const tags = await ask(client, 'Tags', repositories, tagFields, Tags);
    const wanted = batch.flatMap((action, index) => {
      const nodes = tags[`r${index}`]?.refs?.nodes ?? [];
      const majors = tagsOfMajors(nodes.flatMap((node) => (node === null ? [] : [node.name]))).slice(-most);
      return majors.length === 0 ? [] : [{ action, repository: repositories[index] ?? '', majors }];
    });
    if (wanted.length === 0) continue;
    const variables: Record<string, string> = {};
    const fields = wanted.map(({ action, majors }, at) => {
      const folder = action
        .split('/')
        .slice(2)
        .map((part) => `${part}/`)
        .join('');
      const objects = majors.flatMap(({ tags: names }, number) =>
        names.flatMap((tag, which) =>
          files.map((file, kind) => {
            const name = `f${at}_${number}_${which}_${kind}`;
            variables[name] = `refs/tags/${tag}:${folder}${file}`;
            return `f${number}_${which}_${kind}: object(expression: $${name}) { ... on Blob { text } }`;
          }),
        ),
      );
      return `r${at}: repository(owner: $o${at}, name: $n${at}) { ${objects.join('\n')} }`;
    });
    const asked = wanted.map(({ repository }) => repository);
    const data = await ask(client, 'Files', asked, fields, Files, variables);
    for (const [at, { action, majors }] of wanted.entries()) {
      for (const [number, { major, tags: names }] of majors.entries()) {
        const texts = names.map((_, which) =>
          files.map((_, kind) => data[`r${at}`]?.[`f${number}_${which}_${kind}`]?.text).find((text) => text != null),
        );
        const file = chosenOf(names, texts);
        if (file !== undefined && file.text.length <= MAX_TEXT) found.push({ action, major, ...file });
      }
    }
  }
  return found;
}

export function tagsOfMajors(tags: readonly string[]): { readonly major: number; readonly tags: readonly string[] }[] {
  const newest = new Map<number, string>();
  for (const tag of tags) {
    const version = parseVersion(tag);
    const [major] = version?.numbers ?? [];
    if (version === undefined || major === undefined || version.prerelease !== undefined || major > 1_000) continue;
    const before = newest.get(major);
    const known = before === undefined ? undefined : parseVersion(before);
    if (known === undefined || compareVersions(version, known) > 0) newest.set(major, tag);
  }
  return [...newest]
    .sort(([a], [b]) => a - b)
    .slice(-MAX_MAJORS)
    .map(([major, tag]) => {
      const moving = tags.find((each) => each === `v${major}` || each === `${major}`);
      return { major, tags: moving === undefined || moving === tag ? [tag] : [tag, moving] };
    });
}

export function chosenOf(
  [newest = '', moving]: readonly string[],
  [text, moved]: readonly (string | null | undefined)[],
): { readonly tag: string; readonly text: string } | undefined {
  if (moving !== undefined && moved != null && moved !== text) return { tag: moving, text: moved };
  return text == null ? undefined : { tag: newest, text };
}

export function runtimesIn(definitions: readonly ReleaseFile[]): ActionRuntimes[] {
  return [...byAction(definitions)].flatMap(([action, releases]) => {
    const runtimes = releases.flatMap(({ major, text }): [number, string][] => {
      const using = runtimeOf(text);
      return using === undefined ? [] : [[major, using]];
    });
    return runtimes.length === 0 ? [] : [{ action, runtimes: Object.fromEntries(runtimes) }];
  });
}

export function runtimeOf(text: string): string | undefined {
  const using = definitionIn(text)?.using?.value.toLowerCase();
  return using !== undefined && /^[a-z0-9]{1,20}$/.test(using) ? using : undefined;
}

function definitionIn(text: string): Action | undefined {
  return parseAction(createSource('action.yml', text)).definition;
}

const MAX_NAMES = 250;
const MAX_MESSAGE = 160;

export function interfacesIn(definitions: readonly ReleaseFile[]): ActionInterfaces[] {
  return [...byAction(definitions)].flatMap(([action, releases]) => {
    const tagsByInterface = new Map<string, { readonly known: ActionInterface; readonly tags: string[] }>();
    const messages = new Map<string, string>();
    for (const { tag, text } of releases.slice(-MAX_INTERFACES)) {
      const known = interfaceIn(text);
      if (known === undefined || !/^[\w.+-]{1,60}$/.test(tag)) continue;
      const key = encodeReleases([{ tags: [], known }]).join();
      const entry = tagsByInterface.get(key) ?? { known, tags: [] };
      tagsByInterface.set(key, entry);
      entry.tags.push(tag);
      for (const [name, { deprecated }] of known.inputs) if (deprecated) messages.set(name, oneLine(deprecated));
    }
    if (tagsByInterface.size === 0) return [];
    const lines = encodeReleases([...tagsByInterface.values()]);
    const deprecated = Object.fromEntries([...messages].sort(([a], [b]) => compare(a, b)));
    return [{ action, releases: lines, ...(messages.size === 0 ? {} : { deprecated }) }];
  });
}

function interfaceIn(text: string): ActionInterface | undefined {
  const definition = definitionIn(text);
  if (definition?.using === undefined) return undefined;
  const known = declaredInterface(definition);
  const names = [...known.inputs.keys(), ...known.outputs];
  return names.length <= MAX_NAMES && names.every((name) => /^[a-z_][\w.-]{0,99}$/.test(name)) ? known : undefined;
}

/** Third-party text that ends up in a table and in findings. */
function oneLine(text: string): string {
  const line = text.replace(/[\s\p{C}]+/gu, ' ').trim();
  return line.length <= MAX_MESSAGE ? line : `${line.slice(0, MAX_MESSAGE - 1).trimEnd()}…`;
}

export function mergeByAction<Row extends { readonly action: string }>(
  before: readonly Row[],
  read: readonly Row[],
): Refreshed<Row> {
  const rows = new Map(before.map((row) => [row.action, row]));
  const added: string[] = [];
  const changed: string[] = [];
  for (const row of read) {
    const old = rows.get(row.action);
    rows.set(row.action, row);
    if (old === undefined) added.push(row.action);
    else if (JSON.stringify(old) !== JSON.stringify(row)) changed.push(row.action);
  }
  return {
    rows: [...rows.values()].sort((a, b) => compare(a.action, b.action)),
    added,
    changed,
    removed: [],
    notes: [],
  };
}

function byAction(files: readonly ReleaseFile[]): Map<string, ReleaseFile[]> {
  const grouped = new Map<string, ReleaseFile[]>();
  for (const file of files) {
    const list = grouped.get(file.action);
    if (list === undefined) grouped.set(file.action, [file]);
    else list.push(file);
  }
  return new Map([...grouped].sort(([a], [b]) => compare(a, b)));
}
