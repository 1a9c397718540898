import { accessedPaths } from '#lib/workflow/expressions/expression.ts';
import type { Step, Text } from '#lib/workflow/model/model.ts';
import { environmentValue } from '#lib/workflow/shell/env-lookup.ts';
import { commandsOf, type ShellCommand, type ShellWord } from '#lib/workflow/shell/shell.ts';
import { MAX_RELATED_COMMANDS } from '#lib/workflow/text/limits.ts';
import { secretNamesIn } from '../privileges/secret-names.ts';

export interface Transmission {
  readonly command: ShellCommand;
  readonly hosts: readonly string[];
  readonly secrets: readonly string[];
  readonly dump: boolean;
  readonly encodings: number;
}

const SENDERS: ReadonlySet<string> = new Set(['curl', 'wget', 'nc', 'ncat', 'netcat', 'socat', 'telnet', 'http', 'xh']);
const MAX_PIPELINE = 20;

const RESOLVERS: ReadonlySet<string> = new Set(['dig', 'nslookup', 'host', 'drill']);
const ENCODERS: ReadonlySet<string> = new Set(['base64', 'base32', 'xxd', 'hexdump', 'od']);

const SENDS = /\/dev\/tcp\/|\b(?:curl|wget|nc|ncat|netcat|socat|telnet|http|xh|dig|nslookup|host|drill)\b/;

export function isResolver({ program }: ShellCommand): boolean {
  return RESOLVERS.has(program);
}

export function transmissionsOf(step: Step): Transmission[] {
  if (!SENDS.test(step.run?.value ?? '')) return [];
  const commands = commandsOf(step).slice(0, MAX_RELATED_COMMANDS);
  const senders = commands.filter(
    (command) => SENDERS.has(command.program) || isResolver(command) || rawSocketOf(command) !== undefined,
  );
  if (senders.length === 0) return [];
  const variables = secretVariables(step, commands);
  return senders.map((command) => {
    const given = givenTo(command, commands);
    const words = given.flatMap((each) => [
      ...each.words,
      ...each.redirects.flatMap(({ body }) => body ?? []),
      ...each.assignments.map(({ value }) => value),
    ]);
    return {
      command,
      hosts: hostsOf(command),
      secrets: [...new Set(words.flatMap((word) => secretsIn(word, variables, step)))],
      dump: given.some(isDump),
      encodings: given.filter(({ program }) => ENCODERS.has(program)).length,
    };
  });
}

function givenTo(command: ShellCommand, commands: readonly ShellCommand[]): ShellCommand[] {
  const at = command.pipeline.indexOf(command);
  const given = new Set(command.pipeline.slice(Math.max(0, at - MAX_PIPELINE), at + 1));
  // Substitutions follow the command that contains them, so one pass also finds nested ones.
  for (const each of commands) {
    if (each.within !== undefined && given.has(each.within))
      for (const piped of each.pipeline.slice(0, MAX_PIPELINE)) given.add(piped);
  }
  return [...given];
}

function isDump({ program, words, args }: ShellCommand): boolean {
  const [first] = words;
  if (program === 'printenv') return args.length === 0;
  if (first?.value === 'env' && words.length === 1) return true;
  if (first?.value === 'export' && args[0]?.value === '-p') return true;
  return args.some(({ value }) => /^\/proc\/[^/]+\/(?:environ|mem)$/.test(value));
}

function secretVariables(step: Step, commands: readonly ShellCommand[]): Map<string, string[]> {
  const variables = new Map<string, string[]>();
  for (const command of commands) {
    for (const { name, value } of command.assignments) {
      const inside = commands.filter(({ within }) => within === command).flatMap(({ words }) => words);
      const secrets = [value, ...inside].flatMap((word) => secretsIn(word, variables, step));
      if (secrets.length > 0) variables.set(name, secrets);
    }
  }
  return variables;
}

function secretsIn(word: ShellWord, variables: ReadonlyMap<string, string[]>, step: Step): string[] {
  const direct = word.expressions.flatMap(({ node }) =>
    node === undefined ? [] : accessedPaths(node).flatMap((path) => secretNameOf(path)),
  );
  const indirect = word.variables.flatMap(
    (name) => variables.get(name) ?? secretsOfText(environmentValue(name, step)?.text),
  );
  return [...direct, ...indirect];
}

function secretNameOf(path: string): string[] {
  if (path === 'github.token') return ['github_token'];
  return path.startsWith('secrets.') ? [path.slice('secrets.'.length)] : [];
}

function secretsOfText(text: Text | undefined): string[] {
  if (text === undefined) return [];
  return /\bgithub\.token\b/.test(text.value) ? ['github_token', ...secretNamesIn(text)] : secretNamesIn(text);
}

function rawSocketOf({ redirects }: ShellCommand): string | undefined {
  const target = redirects.find((redirect) => redirect.target?.value.startsWith('/dev/tcp/') === true)?.target;
  return target?.value.split('/')[3];
}

function hostsOf(command: ShellCommand): string[] {
  const hosts = command.args.flatMap(({ value }) => hostOfUrl(value) ?? []);
  const socket = rawSocketOf(command);
  if (socket !== undefined) hosts.push(socket.toLowerCase());
  if (hosts.length > 0 || !/^(?:nc|ncat|netcat|telnet)$/.test(command.program)) return hosts;
  const bare = command.args.find(({ value }) => /^[a-z\d-]+(?:\.[a-z\d-]+)+$/i.test(value));
  return bare === undefined ? [] : [bare.value.toLowerCase()];
}

function hostOfUrl(text: string): string | undefined {
  const [, authority = ''] = /^(?:https?|ftps?|wss?):\/\/([^/?#]*)/i.exec(text) ?? [];
  const host = authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d*$/, '');
  return /^[a-z\d.-]+$/i.test(host) ? host.toLowerCase() : undefined;
}
