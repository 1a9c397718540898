import { accessedPaths, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import type { Step, Text } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { environmentValue } from '#lib/workflow/shell/env-lookup.ts';
import { commandsOf, type ShellCommand, type ShellWord } from '#lib/workflow/shell/shell.ts';

export interface Remote {
  readonly own: boolean;
  readonly credential: string | undefined;
}

/** An address that cannot be read counts as another repository. */
export function remoteAt(word: ShellWord, step: Step, repository: Repository): Remote {
  const own = isOfRepository(word.value, step, repository);
  return { own, credential: own ? credentialIn(word, step) : undefined };
}

function credentialIn(word: ShellWord, step: Step): string | undefined {
  const paths = word.expressions.flatMap(({ node }) => (node === undefined ? [] : accessedPaths(node)));
  const given = word.variables.flatMap((name) => environmentValue(name, step)?.text ?? []);
  return storedCredentialIn([...paths, ...given.flatMap(pathsIn)]);
}

export function storedCredentialIn(paths: readonly string[]): string | undefined {
  return paths.find((path) => /^secrets\.|^steps\..*token/i.test(path) && path !== 'secrets.github_token');
}

const HOLDS_CREDENTIAL = /:\/\/[^'"\n]{0,300}@/;

/** Returns the stored tokens that a script gives git in an address of the repository: `https://bot:TOKEN@…`. */
export function tokensInRemotes(step: Step, repository: Repository): string[] {
  return addressesWithToken(step).flatMap(({ word }) => secretOf(remoteAt(word, step, repository).credential));
}

export function tokensInGitConfig(step: Step, repository: Repository): string[] {
  return addressesWithToken(step).flatMap(({ word, command }) => {
    const verb = command.args.find(({ value }) => STAYS.test(value))?.value;
    if (verb === undefined || !TO_CODE_HOST.test(word.value)) return [];
    if (verb === 'config') return word.value.startsWith('url.') ? secretOf(credentialIn(word, step)) : [];
    return secretOf(remoteAt(word, step, repository).credential);
  });
}

const TO_CODE_HOST = /@(?:github\.com\b|\$)/;
const STAYS = /^(?:clone|config|remote)$/;

interface Address {
  readonly word: ShellWord;
  readonly command: ShellCommand;
}

function addressesWithToken(step: Step): Address[] {
  if (!HOLDS_CREDENTIAL.test(step.run?.value ?? '')) return [];
  return commandsOf(step).flatMap((command) =>
    command.program === 'git'
      ? command.args.flatMap((word) => (HOLDS_CREDENTIAL.test(word.value) ? [{ word, command }] : []))
      : [],
  );
}

function secretOf(credential: string | undefined): string[] {
  return credential?.startsWith('secrets.') === true ? [credential.slice('secrets.'.length)] : [];
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
