import type { ParsedFile } from './verify.ts';

/** Headers of generated files. */
const GENERATED =
  /^[ \t]*#.{0,200}?(?:\bdo not (?:edit|modify)\b|\bdon['’]t edit\b|@generated\b|\b(?:auto-?)generated (?:by|from|file|using)\b|\bthis file (?:is|was) (?:auto-?)?generated\b)/im;
const HEADER_LENGTH = 2_000;
const VENDORED = /(?:^|\/)(?:vendor|third_party|third-party|node_modules|\.yarn)\//;

/** Returns why a file must not be edited; undefined if it may be. */
export function whyUntouchable({ source, definition, diagnostics }: ParsedFile): string | undefined {
  if (definition === undefined || diagnostics.some(({ severity }) => severity === 'error')) {
    return 'The file has errors, so its meaning is too uncertain to edit it.';
  }
  if (definition.kind === 'lockfile') return 'The lockfile is written by `gh actions-lock`.';
  if (/\.lock\.ya?ml$/.test(source.path) || GENERATED.test(headerOf(source.text))) {
    return 'The file is generated: change its source.';
  }
  if (VENDORED.test(source.path)) return 'The file is a copy of somebody else’s: change it there.';
  return undefined;
}

function headerOf(text: string): string {
  const lines = text
    .slice(0, HEADER_LENGTH)
    .replace(/^\uFEFF/, '')
    .split('\n');
  const end = lines.findIndex((line) => !/^\s*(?:#|---|$)/.test(line));
  return lines.slice(0, end === -1 ? lines.length : end).join('\n');
}
