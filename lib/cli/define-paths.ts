import { type Command, Option } from 'commander';
import type { FailOn } from '#lib/changes/policy.ts';
import { logLine } from '#lib/report/runner-commands.ts';
import { GITHUB_COM, type Platform } from '#lib/workflow/model/platform.ts';
import {
  type CommandContext,
  configOption,
  failOnOption,
  hostVersionOption,
  NO_CACHE,
  NO_SUPPRESSIONS,
  OUTPUT,
  type TrustFlags,
  trustOf,
} from './options.ts';
import { PATH_FORMATS, type PathFormat } from './path-formats.ts';
import { writingTo } from './terminal.ts';

interface PathFlags extends TrustFlags {
  format: PathFormat;
  cache: boolean;
  failOn: FailOn;
  online?: boolean;
  observed?: string;
  output?: string;
  open?: boolean;
  verbose?: boolean;
  hostVersion?: Platform;
}

export function definePaths(program: Command, { terminal, environment, done }: CommandContext): void {
  program
    .command('paths')
    .description('show attack paths: findings that combine into a compromise, and what breaks them')
    .argument('[paths...]', 'what to scan; owner/name or a URL is read from GitHub, - is standard input', ['.'])
    .addOption(new Option('-f, --format <format>', 'output format').choices(PATH_FORMATS).default('text'))
    .option(...OUTPUT)
    .option('--open', 'write one HTML file and open it in the browser')
    .addOption(failOnOption('exit 1 for attack paths at this severity or above'))
    .option('--online', 'look up used actions on GitHub; only their names leave the machine')
    .addOption(hostVersionOption())
    .option(
      '--observed <file>',
      'with --online: record the targets of release tags in this file, and report tags that move',
    )
    .option(...NO_SUPPRESSIONS)
    .addOption(configOption())
    .option(...NO_CACHE)
    .option('-v, --verbose', 'show every place and each attack path that was not searched for')
    .addHelpText(
      'after',
      `
Examples:
  chainbreak paths --format mermaid > paths.mmd    a chart for a README or a pull request
  chainbreak paths --open                          one page, in the browser
  chainbreak paths --fail-on critical              fail only if an outsider can take over everything`,
    )
    .action(async (paths: string[], flags: PathFlags) => {
      const { newPrivateReport, openFile } = await import('./open-file.ts');
      const { pathsCommand } = await import('./paths-command.ts');
      const { failOn, verbose = false, online = false, observed, open = false } = flags;
      const format = open ? 'html' : flags.format;
      const output = flags.output ?? (open ? newPrivateReport() : undefined);
      const { hostVersion: platform = GITHUB_COM } = flags;
      const parsed = {
        format,
        failOn,
        verbose,
        online,
        observed,
        platform,
        environment,
        cache: flags.cache,
        ...trustOf(flags),
      };
      done(await writingTo(output, terminal(), (target) => pathsCommand(paths, parsed, target)));
      if (!open || output === undefined) return;
      const opened = await openFile(output, environment, process.platform);
      terminal().stderr.write(`${logLine(opened ? `Opened ${output}.` : `No browser was found: open ${output}.`)}\n`);
    });
}
