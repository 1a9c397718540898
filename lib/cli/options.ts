import { type Command, InvalidArgumentError, Option } from 'commander';
import { FAIL_ON } from '#lib/changes/policy.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { enterpriseServer, type Platform } from '#lib/workflow/model/platform.ts';
import { hintFor } from './rule-names.ts';
import type { Trust } from './scan-local.ts';
import type { Terminal } from './terminal.ts';

export interface CommandContext {
  readonly terminal: () => Terminal;
  readonly environment: NodeJS.ProcessEnv;
  readonly done: (code: number) => void;
}

export const NO_SUPPRESSIONS = [
  '--no-suppressions',
  'count what comments and .github/chainbreak.yml suppress',
] as const;

export const NO_CACHE = ['--no-cache', 'neither use nor keep results of earlier scans'] as const;

export interface TrustFlags {
  suppressions: boolean;
  config?: 'none';
}

export function configOption(): Option {
  return new Option('--config <source>', 'none: do not read .github/chainbreak.yml').choices(['none']);
}

export function trustOf({ suppressions, config }: TrustFlags): Trust {
  return { suppressions, config: config !== 'none' };
}

export function hostVersionOption(): Option {
  const what = 'version of the GitHub Enterprise Server that runs the workflows (default: github.com)';
  return new Option('--host-version <version>', what).argParser(serverVersion);
}

function serverVersion(value: string): Platform {
  const platform = enterpriseServer(value);
  if (platform === undefined) throw new InvalidArgumentError('Expected a version such as 3.19.');
  return platform;
}

export function failOnOption(what: string): Option {
  return new Option('--fail-on <severity>', `${what}: ${FAIL_ON.join(', ')}`)
    .argParser((value) => oneOf(value.toLowerCase(), FAIL_ON))
    .default('high');
}

export interface RuleFlags {
  select?: readonly string[];
  ignore?: readonly string[];
}

export function addRuleOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--select <rules>', 'run these rules only, such as unpinned-uses,artipacked').argParser(ruleIds),
    )
    .addOption(new Option('--ignore <rules>', 'run all rules but these').argParser(ruleIds));
}

export function chosenBy({ select, ignore }: RuleFlags): ReadonlySet<string> | undefined {
  if (select === undefined && ignore === undefined) return undefined;
  const chosen = new Set(select ?? rules.map(({ id }) => id));
  for (const id of ignore ?? []) chosen.delete(id);
  return chosen;
}

function ruleIds(value: string, before: readonly string[] = []): readonly string[] {
  const ids = value.split(',').map((id) => id.trim());
  for (const id of ids) {
    if (!rules.some((rule) => rule.id === id)) throw new InvalidArgumentError(`Unknown rule "${id}". ${hintFor(id)}`);
  }
  return [...before, ...ids];
}

export const OUTPUT = ['-o, --output <file>', 'write the report to a file instead of the terminal'] as const;

export function oneOf<T extends string>(value: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw new InvalidArgumentError(`Expected one of ${allowed.join(', ').toLowerCase()}.`);
  return found;
}
