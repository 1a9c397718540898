import type { Facts } from '#lib/facts/facts.ts';
import type { Example, Rule } from '#lib/scanner/engine/rule.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import type { InputFile } from '#lib/workflow/repository.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { parseYaml, valueOf, type YamlNode } from '#lib/workflow/yaml/parse.ts';
import { JOBS, PATH, STEPS, upTo } from './growing-parts.ts';
import { GROWING_REPOSITORIES } from './growing-repositories.ts';
import { GROWING_WORKFLOWS } from './growing-workflows.ts';

export interface GrowingFiles {
  readonly name: string;
  readonly rule?: Rule;
  readonly example?: Example;
  readonly facts?: Facts;
  files(bytes: number): readonly InputFile[];
}

function inputsOf(files: Readonly<Record<string, string>>): InputFile[] {
  return Object.entries(files).map(([path, text]) => ({ path, text }));
}

export function constructs(): GrowingFiles[] {
  return [
    ...Object.entries(GROWING_WORKFLOWS).map(([name, text]) => ({
      name,
      files: (bytes: number) => inputsOf({ [PATH]: text(bytes) }),
    })),
    ...Object.entries(GROWING_REPOSITORIES).map(([name, files]) => ({
      name,
      files: (bytes: number) => inputsOf(files(bytes)),
    })),
  ];
}

export function repeatedExamples(repeated: 'steps' | 'jobs'): GrowingFiles[] {
  return rules.map((rule) => {
    const example = rule.examples.bad[0] as Example;
    const given = typeof example.yaml === 'string' ? { [PATH]: example.yaml } : example.yaml;
    const files = (bytes: number): InputFile[] => {
      const share = bytes / Object.keys(given).length;
      return Object.entries(given).map(([path, text]) => ({ path, text: repeat(text, repeated, share) }));
    };
    return {
      name: `${repeated} of ${rule.id}`,
      rule,
      example,
      ...(example.facts === undefined ? {} : { facts: example.facts }),
      files,
    };
  });
}

function repeat(text: string, what: 'steps' | 'jobs', bytes: number): string {
  const { root } = parseYaml(text);
  const updates = valueOf(root, 'updates');
  if (updates !== undefined) return repeatItems(text, updates, bytes, Number.POSITIVE_INFINITY);
  const runs = valueOf(valueOf(root, 'runs'), 'steps');
  if (runs !== undefined) return repeatItems(text, runs, bytes, STEPS);
  const all = valueOf(root, 'jobs');
  if (all?.kind !== 'mapping') return text;
  if (what === 'jobs') return repeatEntries(text, all, bytes);
  const lists = [...all.entries.values()].flatMap(({ value }) => valueOf(value, 'steps') ?? []).reverse();
  return lists.reduce((grown, list) => repeatItems(grown, list, bytes / lists.length, STEPS / lists.length), text);
}

function repeatItems(text: string, list: YamlNode, bytes: number, most: number): string {
  if (list.kind !== 'sequence' || list.items.length === 0) return text;
  const [first, last] = [list.items[0] as YamlNode, list.items.at(-1) as YamlNode];
  const part = list.flow
    ? { start: first.span.start, end: last.span.end }
    : linesOf(text, { start: text.lastIndexOf('-', first.span.start), end: last.span.end });
  const own = text.slice(part.start, part.end);
  const items = upTo(bytes, () => (list.flow ? `${own}, ` : own), Math.floor(most / list.items.length));
  return text.slice(0, part.start) + items + text.slice(part.end);
}

function repeatEntries(text: string, mapping: YamlNode, bytes: number): string {
  if (mapping.kind !== 'mapping' || mapping.entries.size === 0) return text;
  const entries = [...mapping.entries.values()];
  const part = mapping.flow
    ? { start: entries[0]?.span.start ?? 0, end: entries.at(-1)?.span.end ?? 0 }
    : linesOf(text, { start: entries[0]?.span.start ?? 0, end: entries.at(-1)?.span.end ?? 0 });
  const named = (index: number): string => {
    let copy = '';
    let at = part.start;
    for (const { key } of entries) {
      copy += `${text.slice(at, key.span.end)}${index === 0 ? '' : `_${index}`}`;
      at = key.span.end;
    }
    return `${copy}${text.slice(at, part.end)}${mapping.flow ? ', ' : ''}`;
  };
  const most = Math.floor(JOBS / entries.length);
  return text.slice(0, part.start) + upTo(bytes, named, most) + text.slice(part.end);
}

function linesOf(text: string, { start, end }: Span): Span {
  const newline = text.indexOf('\n', end - 1);
  return { start: text.lastIndexOf('\n', start) + 1, end: newline === -1 ? text.length : newline + 1 };
}
