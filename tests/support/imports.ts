import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

export interface Import {
  readonly target: string;
  readonly isOwn: boolean;
  readonly names: readonly string[];
}

export function sourceFiles(folder: string, extensions: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((name) => extensions.test(name) && !/\.(?:test|d)\.ts$/.test(name))
    .sort();
}

export function importsOf(file: string): Import[] {
  const { program, module, errors } = parseSync(file, readFileSync(file, 'utf8'));
  if (errors.length > 0) throw new SyntaxError(`${file}: ${errors[0]?.message}`);
  const found = [
    ...module.staticImports.map(({ moduleRequest, entries }) => ({
      name: moduleRequest.value,
      names: entries.flatMap(({ importName }) => importName.name ?? []),
    })),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest, importName }) =>
        moduleRequest === null ? [] : [{ name: moduleRequest.value, names: [importName.name ?? ''] }],
      ),
    ),
    ...inlineImports(program, file),
  ];
  return found.map(({ name, names }) => {
    const own = name.startsWith('#lib/')
      ? `lib/${name.slice('#lib/'.length)}`
      : name.startsWith('.')
        ? normalize(join(dirname(file), name)).replaceAll('\\', '/')
        : undefined;
    if (own?.startsWith('node_modules/')) return { target: own.slice('node_modules/'.length), isOwn: false, names };
    return { target: own ?? name, isOwn: own !== undefined, names };
  });
}

function inlineImports(
  program: ReturnType<typeof parseSync>['program'],
  file: string,
): { name: string; names: string[] }[] {
  const found: string[] = [];
  new Visitor({
    ImportExpression({ source }) {
      if (source.type !== 'Literal' || typeof source.value !== 'string') {
        throw new SyntaxError(`${file}: import() of a computed name`);
      }
      found.push(source.value);
    },
    TSImportType({ source }) {
      found.push(source.value);
    },
  }).visit(program);
  return found.map((name) => ({ name, names: [] }));
}

export function circlesOf(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const reached = new Map([...graph.keys()].map((node) => [node, reachableFrom(node, graph)]));
  const circles = new Map<string, string[]>();
  for (const [node, others] of reached) {
    if (!others.has(node)) continue;
    const circle = [...others].filter((other) => reached.get(other)?.has(node) === true).sort();
    circles.set(circle.join('\n'), circle);
  }
  return [...circles.values()];
}

function reachableFrom(start: string, graph: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const found = new Set(graph.get(start));
  for (const node of found) for (const next of graph.get(node) ?? []) found.add(next);
  return found;
}
