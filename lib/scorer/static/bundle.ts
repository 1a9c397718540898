import type { ActionTree } from '../facts.ts';
import { folderOf, resolvePath } from './wanted-files.ts';

const LONGEST_HANDWRITTEN_LINE = 5_000;
const BUNDLER = /__(?:nccwpck|webpack)_require__|\/\*{3,}\/ \(\(|__commonJS\(|createRequire\(import\.meta\.url\)/;
const LOCKFILES = /^(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock)$/;
const BUILDS =
  /^(?:build|bundle|compile|package|dist|prepare|prepack|all|release|generate|ncc|rollup|esbuild|tsup|webpack)\b/i;
const SOURCE = /\.(?:[cm]?[jt]sx?|coffee|res|elm|dart)$/;

/**
 * Returns why a bundled entry point cannot be rebuilt from the repository; undefined if it can, or if it is not
 * bundled.
 */
export function bundleOrigin({ files, paths }: ActionTree, folder: string, main: string): string | undefined {
  const text = files.get(main);
  if (text === undefined || !isBundle(main, text)) return undefined;
  const place = manifestFolder(files, folder);
  const manifest = place === undefined ? undefined : files.get(resolvePath(place, 'package.json') ?? '');
  if (place === undefined || manifest === undefined) return 'There is no package.json for the bundle';
  if (!hasBuild(manifest)) return 'package.json has no script that builds the bundle';
  const output = folderOf(main);
  const beside = (path: string): boolean => place === '' || path.startsWith(`${place}/`);
  const isSource = (path: string): boolean =>
    beside(path) && SOURCE.test(path) && path !== main && (output === '' || !path.startsWith(`${output}/`));
  if (!paths.some((path) => isSource(path) && !/(?:^|\/)node_modules\//.test(path)))
    return 'The sources of the bundle are missing';
  const locked = paths.some((path) => LOCKFILES.test(path.split('/').at(-1) ?? '') && place.startsWith(folderOf(path)));
  return locked ? undefined : 'No lockfile lists the dependencies in the bundle';
}

function isBundle(path: string, text: string): boolean {
  if (BUNDLER.test(text)) return true;
  return /(?:^|\/)(?:dist|build|out|bundle)\//.test(path) || hasLongLine(text);
}

function hasLongLine(text: string): boolean {
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
    if (end - start > LONGEST_HANDWRITTEN_LINE) return true;
    start = end + 1;
  }
  return text.length - start > LONGEST_HANDWRITTEN_LINE;
}

function manifestFolder(files: ReadonlyMap<string, string>, folder: string): string | undefined {
  for (let place = folder; ; place = folderOf(place)) {
    if (files.has(resolvePath(place, 'package.json') ?? '')) return place;
    if (place === '') return undefined;
  }
}

function hasBuild(manifest: string): boolean {
  try {
    const { scripts } = JSON.parse(manifest) as { readonly scripts?: Readonly<Record<string, unknown>> };
    return Object.entries(scripts ?? {}).some(
      ([name, command]) =>
        BUILDS.test(name) ||
        (typeof command === 'string' &&
          /\b(?:ncc|esbuild|rollup|webpack|tsup|tsc|rolldown|parcel|bun build|vite build)\b/.test(command)),
    );
  } catch {
    return false;
  }
}
