import { parse } from 'smol-toml';
import * as z from 'zod/mini';
import type { PublishedPackage } from '#lib/analysis/publishing/published-packages.ts';
import { matchesRef } from '#lib/workflow/patterns/ref-pattern.ts';
import { parseYaml, valueOf } from '#lib/workflow/yaml/parse.ts';

export interface Manifests {
  readonly paths: ReadonlySet<string>;
  readonly partial?: true;
  read(path: string): string | undefined;
}

const FILES: ReadonlySet<string> = new Set([
  '.npmrc',
  'lerna.json',
  'package.json',
  'pnpm-workspace.yaml',
  'pyproject.toml',
  'setup.cfg',
  'setup.py',
]);

export function isManifest(path: string): boolean {
  return FILES.has(path.slice(path.lastIndexOf('/') + 1));
}

export function manifestPaths({ registry, place }: PublishedPackage): readonly string[] {
  if (place.kind === 'unknown') return [];
  const { folder } = place;
  if (registry === 'PyPI') return ['pyproject.toml', 'setup.cfg', 'setup.py'].map((file) => at(folder, file));
  const ofWorkspaces = place.kind === 'workspaces' ? ['lerna.json', 'pnpm-workspace.yaml'] : [];
  return [...['package.json', '.npmrc', ...ofWorkspaces].map((file) => at(folder, file)), '.npmrc'];
}

export interface Names {
  readonly names: readonly string[];
  readonly complete: boolean;
}

const NOBODY_KNOWS: Names = { names: [], complete: false };
const NONE: Names = { names: [], complete: true };

const MAX_WORKSPACES = 200;
const MAX_PATTERNS = 30;
const MAX_PATTERN_LENGTH = 60;
const MAX_FOLDER_LENGTH = 120;
const MAX_COMPARISONS = 3_000;

export function namesOf({ registry, place }: PublishedPackage, manifests: Manifests): Names {
  if (place.kind === 'unknown') return NOBODY_KNOWS;
  if (registry === 'PyPI') return pythonName(place.folder, manifests);
  return place.kind === 'folder'
    ? npmName(place.folder, manifests)
    : workspaceNames(place.folder, place.only, manifests);
}

const PackageJson = z.object({
  name: z.optional(z.string()),
  private: z.optional(z.boolean()),
  publishConfig: z.optional(z.object({ registry: z.optional(z.string()) })),
  workspaces: z.optional(z.union([z.array(z.string()), z.object({ packages: z.optional(z.array(z.string())) })])),
});
type PackageJson = z.infer<typeof PackageJson>;

function npmName(folder: string, manifests: Manifests): Names {
  const manifest = readPackage(folder, manifests);
  if (manifest === undefined) return NOBODY_KNOWS;
  const { name, private: isPrivate, publishConfig } = manifest;
  const registry = publishConfig?.registry ?? configuredRegistry(folder, manifests);
  if (isPrivate === true || (registry !== undefined && !isPublicNpm(registry))) return NONE;
  return name === undefined ? NOBODY_KNOWS : { names: [name], complete: true };
}

function readPackage(folder: string, manifests: Manifests): PackageJson | undefined {
  return readJson(at(folder, 'package.json'), PackageJson, manifests);
}

function configuredRegistry(folder: string, manifests: Manifests): string | undefined {
  const texts = [at(folder, '.npmrc'), '.npmrc'].map((path) => readText(path, manifests) ?? '');
  const found = texts.flatMap((text) => [...text.matchAll(/^[ \t]*(?:@[^\s:=]+:)?registry[ \t]*=[ \t]*(\S+)/gm)]);
  return found.map(([, url = '']) => url).find((url) => !isPublicNpm(url));
}

function isPublicNpm(url: string): boolean {
  return /^https?:\/\/registry\.npmjs\.(?:org|com)(?:\/|$)/.test(url);
}

function workspaceNames(folder: string, only: readonly string[], manifests: Manifests): Names {
  const root = readPackage(folder, manifests);
  const patterns = workspacePatterns(folder, root, manifests);
  if (patterns?.length === 0) return npmName(folder, manifests);
  if (patterns === undefined || manifests.partial) return NOBODY_KNOWS;
  const budget = { left: MAX_COMPARISONS };
  const members = [...manifests.paths]
    .filter((path) => path.endsWith('/package.json'))
    .map((path) => path.slice(0, -'/package.json'.length))
    .filter((member) => isWorkspace(relativeTo(folder, member), patterns, budget))
    .sort();
  const found = members.slice(0, MAX_WORKSPACES).map((member) => ({ member, ...npmName(member, manifests) }));
  if (only.length > 0) {
    const chosen = only.map((each) => {
      const path = at(folder, trimmed(each));
      return found.find(({ member, names }) => member === path || names.includes(each)) ?? NOBODY_KNOWS;
    });
    return together(chosen);
  }
  // pnpm and Changesets also publish the root unless it is private.
  const own = root?.name === undefined ? NONE : npmName(folder, manifests);
  const isAll = members.length <= MAX_WORKSPACES && budget.left > 0;
  return together([own, ...found, ...(isAll ? [] : [NOBODY_KNOWS])]);
}

function together(parts: readonly Names[]): Names {
  const names = [...new Set(parts.flatMap((part) => part.names))];
  return { names, complete: parts.every(({ complete }) => complete) };
}

const Lerna = z.object({ packages: z.optional(z.array(z.string())) });

function workspacePatterns(
  folder: string,
  root: PackageJson | undefined,
  manifests: Manifests,
): readonly string[] | undefined {
  const { workspaces = [] } = root ?? {};
  const lerna = readJson(at(folder, 'lerna.json'), Lerna, manifests)?.packages ?? [];
  const pnpm = valueOf(parseYaml(readText(at(folder, 'pnpm-workspace.yaml'), manifests) ?? '').root, 'packages');
  const listed =
    pnpm?.kind === 'sequence' ? pnpm.items.flatMap((item) => (item.kind === 'scalar' ? item.text : [])) : [];
  const patterns = [
    ...('packages' in workspaces ? (workspaces.packages ?? []) : (workspaces as string[])),
    ...lerna,
    ...listed,
  ];
  const isTooMuch = patterns.length > MAX_PATTERNS || patterns.some((each) => each.length > MAX_PATTERN_LENGTH);
  return isTooMuch ? undefined : patterns;
}

function isWorkspace(path: string | undefined, patterns: readonly string[], budget: { left: number }): boolean {
  if (path === undefined || path.length > MAX_FOLDER_LENGTH) return false;
  let isIn = false;
  for (const written of patterns) {
    const pattern = trimmed(written.replace(/^!/, ''));
    if (!path.startsWith(pattern.split(/[*?]/, 1)[0] ?? '') || budget.left <= 0) continue;
    budget.left -= 1;
    if (matchesRef(pattern, path)) isIn = !written.startsWith('!');
  }
  return isIn;
}

const Project = z.object({ name: z.optional(z.string()), classifiers: z.optional(z.array(z.string())) });
const Pyproject = z.object({
  project: z.optional(Project),
  tool: z.optional(
    z.object({
      poetry: z.optional(Project),
      uv: z.optional(z.object({ workspace: z.optional(z.unknown()) })),
    }),
  ),
});

const ASIDE = /(?:^|\/)(?:tests?|testing|examples?|samples?|docs?|templates?|fixtures?|benchmarks?)(?:\/|$)/;

function pythonName(folder: string, manifests: Manifests): Names {
  const here = pythonNameAt(folder, manifests);
  if (here !== undefined || manifests.partial) return here ?? NOBODY_KNOWS;
  const others = [...manifests.paths].filter((path) => /(?:^|\/)(?:pyproject\.toml|setup\.py)$/.test(path));
  const folders = new Set(
    others.map((path) => path.slice(0, Math.max(0, path.lastIndexOf('/')))).filter((each) => !ASIDE.test(each)),
  );
  const [only] = folders;
  return (folders.size === 1 && only !== undefined ? pythonNameAt(only, manifests) : undefined) ?? NOBODY_KNOWS;
}

function pythonNameAt(folder: string, manifests: Manifests): Names | undefined {
  const pyproject = readToml(at(folder, 'pyproject.toml'), manifests);
  // The command decides which workspace members are built.
  if (pyproject?.tool?.uv?.workspace !== undefined) return NOBODY_KNOWS;
  for (const project of [pyproject?.project, pyproject?.tool?.poetry]) {
    // PyPI rejects packages with this classifier.
    if (project?.classifiers?.some((each) => /^Private ::/i.test(each)) === true) return NONE;
    if (project?.name !== undefined) return { names: [project.name], complete: true };
  }
  const [, name] =
    /^\[metadata\][^[]*?^name[ \t]*=[ \t]*(\S+)[ \t]*$/m.exec(readText(at(folder, 'setup.cfg'), manifests) ?? '') ?? [];
  if (name !== undefined) return { names: [name], complete: true };
  const isProject = ['pyproject.toml', 'setup.py'].some((file) => manifests.paths.has(at(folder, file)));
  return isProject ? NOBODY_KNOWS : undefined;
}

function readToml(path: string, manifests: Manifests): z.infer<typeof Pyproject> | undefined {
  try {
    return Pyproject.safeParse(parse(readText(path, manifests) ?? '')).data;
  } catch {
    return undefined;
  }
}

function readJson<Shape extends z.ZodMiniType>(
  path: string,
  shape: Shape,
  manifests: Manifests,
): z.infer<Shape> | undefined {
  try {
    return shape.safeParse(JSON.parse(readText(path, manifests) ?? '')).data;
  } catch {
    return undefined;
  }
}

function readText(path: string, manifests: Manifests): string | undefined {
  return manifests.paths.has(path) ? manifests.read(path) : undefined;
}

function at(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

function relativeTo(folder: string, path: string): string | undefined {
  if (folder === '') return path;
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined;
}

function trimmed(path: string): string {
  return path.replace(/^(?:\.\/)+/, '').replace(/(?<!\/)\/+$/, '');
}
