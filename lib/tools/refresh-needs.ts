import type { DocumentedNeeds } from '#lib/data/generated/documented-needs.ts';
import type { Client } from '#lib/hosts/code-host/client.ts';
import { runsAction } from '#lib/workflow/model/action-uses.ts';
import type { Permissions } from '#lib/workflow/model/model.ts';
import { parseAction } from '#lib/workflow/parse/action.ts';
import { parseWorkflow } from '#lib/workflow/parse/workflow.ts';
import { createSource } from '#lib/workflow/text/source.ts';
import { type ReleaseFile, readFiles } from './refresh-releases.ts';
import { compare } from './refresh-tables.ts';

const MAX_MAJORS = 3;
const MAX_BLOCKS = 60;
const MAX_BLOCK = 20_000;

export function readDocumentation(client: Client, names: readonly string[]): Promise<ReleaseFile[]> {
  return readFiles(client, names, ['README.md', 'readme.md'], { batch: 3, majors: MAX_MAJORS });
}

export function needsIn(documentation: readonly ReleaseFile[], definitions: readonly ReleaseFile[]): DocumentedNeeds[] {
  const actions = [...new Set(documentation.map(({ action }) => action))].sort(compare);
  return actions.flatMap((action) => {
    const tagsByNeed = new Map<string, { tags: string[]; line: number }>();
    for (const { tag, text } of documentation.filter((each) => each.action === action).slice(-MAX_MAJORS)) {
      const needs = grantsIn(text, action);
      if (needs === undefined || !/^[\w.+-]{1,60}$/.test(tag)) continue;
      const key = [...needs.scopes]
        .map(([scope, level]) => `${scope}:${level}`)
        .sort()
        .join(' ');
      tagsByNeed.set(key, { tags: [...(tagsByNeed.get(key)?.tags ?? []), tag], line: needs.line });
    }
    if (tagsByNeed.size === 0) return [];
    const releases = [...tagsByNeed].map(([key, { tags, line }]) => `${tags.join(' ')} | ${key} | README.md:${line}`);
    const token = tokenInput(definitions.findLast((each) => each.action === action)?.text ?? '');
    return [{ action, releases, ...(token === undefined ? {} : { token }) }];
  });
}

type Level = 'read' | 'write';

interface Grants {
  readonly scopes: ReadonlyMap<string, Level>;
  readonly line: number;
}

/**
 * Returns the permissions that every example grants; those in only some examples can be for other actions or
 * modes. Undefined if there are none.
 */
function grantsIn(text: string, action: string): Grants | undefined {
  let scopes: Map<string, Level> | undefined;
  let line = 0;
  for (const block of yamlBlocks(text)) {
    const { definition } = parseWorkflow(createSource('.github/workflows/example.yml', block.text));
    for (const job of definition?.jobs ?? []) {
      if (!job.steps.some((step) => runsAction(step, action))) continue;
      const granted = levelsOf(job.permissions ?? definition?.permissions);
      if (granted === undefined) continue;
      if (scopes === undefined) line = block.line;
      scopes = scopes === undefined ? granted : common(scopes, granted);
    }
  }
  return scopes === undefined || scopes.size === 0 ? undefined : { scopes, line };
}

function levelsOf(permissions: Permissions | undefined): Map<string, Level> | undefined {
  if (permissions === undefined || permissions.scopes.length === 0) return undefined;
  const known = permissions.scopes.flatMap(({ scope, level }): [string, Level][] =>
    level !== 'none' && /^[a-z-]{2,30}$/.test(scope) ? [[scope, level]] : [],
  );
  return new Map(known);
}

function common(a: ReadonlyMap<string, Level>, b: ReadonlyMap<string, Level>): Map<string, Level> {
  const both = [...a].flatMap(([scope, level]): [string, Level][] => {
    const other = b.get(scope);
    return other === undefined ? [] : [[scope, level === 'write' && other === 'write' ? 'write' : 'read']];
  });
  return new Map(both);
}

function* yamlBlocks(text: string): Generator<{ readonly text: string; readonly line: number }> {
  const lines = text.split('\n');
  let count = 0;
  for (let index = 0; index < lines.length && count < MAX_BLOCKS; index += 1) {
    const [, indent = '', fence] = /^([ \t]*)(`{3,}|~{3,})[ \t]*ya?ml\b/i.exec(lines[index] ?? '') ?? [];
    if (fence === undefined) continue;
    const begin = index + 1;
    while (index + 1 < lines.length && !(lines[index + 1] ?? '').trimStart().startsWith(fence)) index += 1;
    const block = lines
      .slice(begin, index + 1)
      .map((each) => (each.startsWith(indent) ? each.slice(indent.length) : each));
    const joined = block.join('\n');
    index += 1;
    count += 1;
    if (joined.length <= MAX_BLOCK) yield { text: joined, line: begin };
  }
}

function tokenInput(text: string): string | undefined {
  const { definition } = parseAction(createSource('action.yml', text));
  const input = definition?.inputs.find(({ defaultValue }) =>
    /^\$\{\{\s*(?:github\.token|secrets\.github_token)\s*\}\}$/i.test(defaultValue?.value.trim() ?? ''),
  );
  return input !== undefined && /^[A-Za-z_][\w-]{0,60}$/.test(input.name) ? input.name : undefined;
}
