import type { Repository } from '#lib/workflow/model/repository.ts';
import type { YamlNode } from '#lib/workflow/yaml/parse.ts';

const READ = /\bsecrets\s{0,9}(?:\.\s{0,9}(\w{1,200})|\[\s{0,9}['"](\w{1,200})['"]\s{0,9}\])/gi;
const NOT_SECRET = new Set(['github_token', 'inherit']);
const HIDDEN = '***';

export function hideSecretNames({ files }: Repository, path: string): (text: string) => string {
  const file = files.find(({ source }) => source.path === path);
  const names = new Set<string>();
  for (const [, dotted, quoted] of (file?.source.text ?? '').matchAll(READ)) names.add(nameOf(dotted, quoted));
  if (file?.definition !== undefined) addDeclared(file.definition.root, names);
  for (const name of NOT_SECRET) names.delete(name);
  return (text) =>
    text
      .replace(READ, (read, dotted, quoted) => (NOT_SECRET.has(nameOf(dotted, quoted)) ? read : `secrets.${HIDDEN}`))
      .replace(/\w+/g, (word) => (names.has(word.toLowerCase()) && isIdentifier(word) ? HIDDEN : word));
}

function nameOf(dotted: string | undefined, quoted: string | undefined): string {
  return (dotted ?? quoted ?? '').toLowerCase();
}

/** A secret named `token` does not hide that word in a sentence. */
function isIdentifier(word: string): boolean {
  return /[_\d]/.test(word) || word === word.toUpperCase();
}

function addDeclared(node: YamlNode, names: Set<string>): void {
  if (node.kind === 'sequence') for (const item of node.items) addDeclared(item, names);
  if (node.kind !== 'mapping') return;
  for (const [key, { value }] of node.entries) {
    if (key === 'secrets' && value.kind === 'mapping') {
      for (const name of value.entries.keys()) names.add(name.toLowerCase());
    } else addDeclared(value, names);
  }
}
