import { accessedPaths, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import type { Step, Text } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { environmentValue } from '#lib/workflow/shell/env-lookup.ts';
import { commandsOf, type ShellWord } from '#lib/workflow/shell/shell.ts';

export interface Remote {
  readonly own: boolean;
  readonly credential: string | undefined;
}

/** An address that cannot be read counts as another repository. */
export function remoteAt(word: ShellWord, step: Step, repository: Repository): Remote {
  const own = isOfRepository(word.value, step, repository);
  if (!own) return { own, credential: undefined };
  const paths = word.expressions.flatMap(({ node }) => (node === undefined ? [] : accessedPaths(node)));
  const given = word.variables.flatMap((name) => environmentValue(name, step)?.text ?? []);
  return { own, credential: storedCredentialIn([...paths, ...given.flatMap(pathsIn)]) };
}

export function storedCredentialIn(paths: readonly string[]): string | undefined {
  return paths.find((path) => /^secrets\.|^steps\..*token/i.test(path) && path !== 'secrets.github_token');
}

const HOLDS_CREDENTIAL = /:\/\/[^'"\n]{0,300}@/;

/** Returns the stored tokens that a script gives git in an address of the repository: `https://bot:TOKEN@…`. */
export function tokensInRemotes(step: Step, repository: Repository): string[] {
  if (!HOLDS_CREDENTIAL.test(step.run?.value ?? '')) return [];
  const words = commandsOf(step).flatMap(({ program, args }) => (program === 'git' ? args : []));
  return words.flatMap((word) => {
    if (!HOLDS_CREDENTIAL.test(word.value)) return [];
    const { credential } = remoteAt(word, step, repository);
    return credential?.startsWith('secrets.') === true ? [credential.slice('secrets.'.length)] : [];
  });
}

export function pathsIn(text: Text): readonly string[] {
  return expressionsIn(text).flatMap(({ node }) => (node === undefined ? [] : accessedPaths(node)));
}

const OWN =
  /\bgithub\.repository\b|\bgithub\.event\.repository\.(?:full_name|clone_url|html_url)\b|\bGITHUB_REPOSITORY\b/;
const MAX_ADDRESS = 500;

export function isOfRepository(address: string, step: Step, { fullName }: Repository): boolean {
  const text = address.slice(0, MAX_ADDRESS);
  if (OWN.test(text) || (fullName !== undefined && text.toLowerCase().includes(fullName.toLowerCase()))) return true;
  return [...text.matchAll(/\$\{?(\w+)/g)].some(([, name = '']) =>
    OWN.test(environmentValue(name, step)?.text.value ?? ''),
  );
}
