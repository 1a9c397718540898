import { parseVersion } from '#lib/workflow/model/versions.ts';
import { compareText } from '#lib/workflow/text/compare-text.ts';

/** `exact` names one release permanently, `alias` moves with releases, `other` is not a version. */
export type TagKind = 'exact' | 'alias' | 'other';

export interface ExactTag {
  readonly prefix: string;
  readonly minor: string;
}

const PREFIXED = /^(.{0,100}[/@-])?(v?\d[\w.+-]{0,100})$/;

/** Classifies tags. A version of two numbers is exact unless a longer tag refines it. */
export class TagKinds {
  readonly #refined = new Set<string>();

  constructor(names: readonly string[]) {
    for (const name of names) {
      const parts = plain(name).split('.');
      for (let length = 1; length < parts.length; length += 1) this.#refined.add(parts.slice(0, length).join('.'));
    }
  }

  kindOf(name: string): TagKind {
    if (this.exact(name) !== undefined) return 'exact';
    if (/^(?:latest|stable|releases?\/.{1,50})$/i.test(name)) return 'alias';
    return parseVersion(plain(versionIn(name).text)) === undefined ? 'other' : 'alias';
  }

  exact(name: string): ExactTag | undefined {
    const { prefix, text } = versionIn(name);
    const version = parseVersion(text);
    if (version === undefined || version.numbers.length < 2) return undefined;
    if (version.numbers.length === 2 && this.#refined.has(plain(name))) return undefined;
    return { prefix, minor: version.numbers.slice(0, 2).join('.') };
  }
}

function versionIn(name: string): { readonly prefix: string; readonly text: string } {
  if (parseVersion(name) !== undefined) return { prefix: '', text: name };
  const [, prefix = '', text = name] = PREFIXED.exec(name) ?? [];
  return { prefix, text };
}

function plain(name: string): string {
  return name.replace(/(^|[/@-])v(?=\d)/, '$1');
}

export function distinctNames(names: Iterable<string>): string[] {
  return [...new Set(names)].sort(compareText);
}
