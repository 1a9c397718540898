import { type Command, Option } from 'commander';
import type { FailOn } from '#lib/changes/policy.ts';
import { SEVERITIES } from '#lib/scanner/engine/finding.ts';
import type { Confidence, Severity } from '#lib/scanner/engine/rule.ts';
import { RULESETS, type Ruleset } from '#lib/scanner/engine/rulesets.ts';
import { GITHUB_COM, type Platform } from '#lib/workflow/model/platform.ts';
import {
  addRuleOptions,
  type CommandContext,
  chosenBy,
  configOption,
  failOnOption,
  hostVersionOption,
  NO_CACHE,
  NO_SUPPRESSIONS,
  OUTPUT,
  oneOf,
  type RuleFlags,
  type TrustFlags,
  trustOf,
} from './options.ts';
import { CONFIDENCES, DEFAULT_BASELINE, FORMATS, type Format, scanCommand } from './scan-command.ts';
import { type Terminal, writingTo } from './terminal.ts';

interface ScanFlags extends TrustFlags, RuleFlags {
  format: Format;
  cache: boolean;
  ruleset: Ruleset;
  failOn: FailOn;
  minSeverity: Severity;
  minConfidence: Confidence;
  diff?: string;
  baseline?: string;
  writeBaseline?: boolean;
  online?: boolean;
  observed?: string;
  hostVersion?: Platform;
  stdinFilename?: string;
  output?: string;
  strict?: boolean;
  watch?: boolean;
  verbose?: boolean;
  pedantic?: boolean;
}

export function defineScan(program: Command, { terminal, environment, done }: CommandContext): void {
  const command = program
    .command('scan')
    .description('scan repositories, folders of repositories, single files, or repositories on GitHub')
    .argument(
      '[paths...]',
      'what to scan; owner/name, owner/name@ref or a URL is read from GitHub, - is standard input',
      ['.'],
    )
    .addOption(new Option('-f, --format <format>', 'output format').choices(FORMATS).default('text'))
    .option(...OUTPUT)
    .addOption(new Option('--ruleset <ruleset>', 'which rules to run').choices(RULESETS).default('all'));
  addRuleOptions(command)
    .addOption(failOnOption('exit 1 at this severity or above (critical: critical attack paths only)'))
    .addOption(
      new Option('--min-severity <severity>', 'hide findings below this severity, also from --fail-on')
        .argParser((value) => oneOf(value.toUpperCase(), SEVERITIES))
        .default('INFO', 'info'),
    )
    .addOption(
      new Option('--min-confidence <confidence>', 'hide findings below this confidence, also from --fail-on')
        .argParser((value) => oneOf(value.toLowerCase(), CONFIDENCES))
        .default('low'),
    )
    .addOption(
      new Option('--watch', 'scan again when a file changes, until Ctrl+C').conflicts([
        'writeBaseline',
        'output',
        'observed',
      ]),
    )
    .option('--strict', 'exit 3 if a file cannot be read in full')
    .option(
      '--online',
      'look up used actions on GitHub, and published packages on npm and PyPI; only their names leave the machine',
    )
    .option(
      '--observed <file>',
      'with --online: record the targets of release tags in this file, and report tags that move',
    )
    .addOption(hostVersionOption())
    .addOption(
      new Option(
        '--diff <base>',
        'report only what was added since the commit shared with this branch or commit; base...head compares two commits',
      ).conflicts(['baseline', 'writeBaseline']),
    )
    .option('--baseline <file>', 'report only findings that are not in this file')
    .option('--write-baseline', `write the findings to --baseline (${DEFAULT_BASELINE}) instead of reporting them`)
    .option('--stdin-filename <path>', 'the path under which standard input is scanned')
    .option(...NO_SUPPRESSIONS)
    .addOption(configOption())
    .option('--pedantic', 'also show opinionated rules, repetitions and findings that are part of others')
    .option(...NO_CACHE)
    .option('-v, --verbose', 'show every place and all suppressed findings')
    .addHelpText(
      'after',
      `
Scanning owner/name and --online need a token in GITHUB_TOKEN or SCM_PUBLIC_TOKEN. For a code host other than github.com, set
SCM_API_URL, SCM_GRAPHQL_URL and SCM_WEB_URL. PACKAGE_LOOKUP=off disables package registries for --online.`,
    )
    .action(async (paths: string[], flags: ScanFlags) => {
      const { format, ruleset, failOn, minSeverity, minConfidence, baseline, writeBaseline = false } = flags;
      const { verbose = false, pedantic = false, strict = false, diff, stdinFilename: stdinName } = flags;
      const { online = false, observed, hostVersion: platform = GITHUB_COM, output } = flags;
      const shown = { format, failOn, minSeverity, minConfidence, baseline, writeBaseline, verbose, pedantic, strict };
      const listInfo = command.getOptionValueSource('minSeverity') === 'cli';
      const fromHost = { online, observed, platform, environment, stdinName, cache: flags.cache };
      const chosen = chosenBy(flags);
      const parsed = { ...shown, diff, ruleset, chosen, listInfo, ...fromHost, ...trustOf(flags) };
      const scan = (target: Terminal): Promise<number> => scanCommand(paths, parsed, target);
      if (flags.watch === true) {
        const { watching } = await import('./watch.ts');
        done(await watching(paths, scan, terminal()));
      } else done(await writingTo(output, terminal(), scan));
    });
}
