import { type Command, Option } from 'commander';
import type { FailOn } from '#lib/changes/policy.ts';
import { CATEGORIES } from '#lib/scanner/engine/categories.ts';
import type { Category } from '#lib/scanner/engine/rule.ts';
import { GITHUB_COM, type Platform } from '#lib/workflow/model/platform.ts';
import {
  addRuleOptions,
  type CommandContext,
  chosenBy,
  configOption,
  failOnOption,
  hostVersionOption,
  NO_SUPPRESSIONS,
  oneOf,
  type RuleFlags,
  type TrustFlags,
  trustOf,
} from './options.ts';

interface FixFlags extends TrustFlags, RuleFlags {
  format: 'text' | 'json';
  failOn: FailOn;
  dryRun?: boolean;
  interactive?: boolean;
  categories?: Category[];
  unsafe?: boolean;
  online?: boolean;
  hostVersion?: Platform;
}

export function defineFix(program: Command, { terminal, environment, done }: CommandContext): void {
  const command = program
    .command('fix')
    .description('apply safe fixes in place and print the diff')
    .argument('[paths...]', 'local paths, as for scan', ['.'])
    .option('--dry-run', 'print the diff without writing files')
    .addOption(new Option('-i, --interactive', 'ask before each fix').conflicts(['dryRun', 'format']))
    .addOption(
      new Option('--categories <list>', 'only these categories, such as CICD-SEC-3,CICD-SEC-5').argParser((value) =>
        value.split(',').map((name) => oneOf(name.trim().toUpperCase(), CATEGORIES)),
      ),
    );
  addRuleOptions(command)
    .option('--unsafe', 'also apply fixes that can change behaviour; review each')
    .addOption(new Option('-f, --format <format>', 'output format').choices(['text', 'json']).default('text'))
    .addOption(failOnOption('exit 1 if findings at this severity or above remain'))
    .option(
      '--online',
      'look up commits of actions on GitHub and, with --unsafe, digests of images in well-known registries',
    )
    .addOption(hostVersionOption())
    .option(...NO_SUPPRESSIONS)
    .addOption(configOption())
    .action(async (paths: string[], flags: FixFlags) => {
      const { format, failOn, dryRun = false, interactive = false, unsafe = false, online = false } = flags;
      const { hostVersion: platform = GITHUB_COM } = flags;
      const categories = flags.categories === undefined ? undefined : new Set(flags.categories);
      const trust = trustOf(flags);
      const chosen = chosenBy(flags);
      const options = {
        format,
        failOn,
        dryRun,
        interactive,
        unsafe,
        online,
        platform,
        categories,
        chosen,
        environment,
        ...trust,
      };
      const { fixCommand } = await import('./fix-command.ts');
      done(await fixCommand(paths, options, terminal()));
    });
}
