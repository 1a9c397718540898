import type { ProvenanceRegistry } from '#lib/analysis/publishing/published-packages.ts';

/** The only hosts that are contacted, over https; files choose packages, never hosts. */
export const HOSTS: Readonly<Record<ProvenanceRegistry, string>> = { npm: 'registry.npmjs.org', PyPI: 'pypi.org' };

/**
 * Valid names, without npm's early capitals. https://docs.npmjs.com/cli/configuring-npm/package-json#name
 * https://packaging.python.org/specifications/name-normalization/
 */
const NAMES: Readonly<Record<ProvenanceRegistry, RegExp>> = {
  npm: /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/,
  PyPI: /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/,
};
const MAX_NAME_LENGTH = 214;

/** True if the registry can have a package of this name; other names are never sent. */
export function isPackageName(registry: ProvenanceRegistry, name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && NAMES[registry].test(name);
}

export function npmSegment(name: string): string {
  return name.replace('/', '%2f');
}

/** Normalizes a name as PyPI does; other spellings redirect. */
export function normalizedName(name: string): string {
  return name.replace(/[-_.]+/g, '-').toLowerCase();
}
