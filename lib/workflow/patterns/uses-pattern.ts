import type { ActionReference } from '../model/reference.ts';

export type UsesMatcher = (reference: ActionReference) => boolean;

/**
 * Parses `owner/*`, `owner/repo`, `owner/repo/path` (optionally with `@ref`) or `docker://image`. `*` also matches
 * slashes, `owner/repo` also its paths. Names are case-insensitive, refs are not. Local actions never match.
 */
export function usesPattern(pattern: string): UsesMatcher {
  const image = /^docker:\/\/(.*)$/.exec(pattern)?.[1];
  if (image !== undefined) {
    const matches = glob(image.toLowerCase());
    return (reference) =>
      reference.kind === 'docker' &&
      (matches(reference.image.text.toLowerCase()) || matches(reference.image.name.toLowerCase()));
  }
  const at = pattern.indexOf('@');
  const matchesName = glob((at === -1 ? pattern : pattern.slice(0, at)).toLowerCase());
  const matchesRef = at === -1 ? undefined : glob(pattern.slice(at + 1));
  return (reference) => {
    if (reference.kind !== 'repository') return false;
    const { slug, path, ref } = reference;
    if (matchesRef?.(ref) === false) return false;
    return matchesName(slug) || (path !== '' && matchesName(`${slug}/${path.toLowerCase()}`));
  };
}

function glob(pattern: string): (text: string) => boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  return (text) => {
    if (last === undefined) return text === first;
    if (!text.startsWith(first)) return false;
    let from = first.length;
    for (const part of rest) {
      const found = text.indexOf(part, from);
      if (found === -1) return false;
      from = found + part.length;
    }
    return text.length - last.length >= from && text.endsWith(last);
  };
}
