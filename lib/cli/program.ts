import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { FAIL_ON, type FailOn } from '#lib/changes/policy.ts';
import { AppError } from '#lib/errors.ts';
import { logLine, withoutCommands } from '#lib/report/runner-commands.ts';
import { visible } from '#lib/report/visible.ts';
import { CATEGORIES } from '#lib/scanner/engine/categories.ts';
import { SEVERITIES } from '#lib/scanner/engine/finding.ts';
import type { Category, Severity } from '#lib/scanner/engine/rule.ts';
import { RULESETS, type Ruleset } from '#lib/scanner/engine/rulesets.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { enterpriseServer, GITHUB_COM, type Platform } from '#lib/workflow/model/platform.ts';
import { completionScript, SHELLS, type Shell } from './completion.ts';
import { EXIT } from './exit-codes.ts';
import { explainCommand } from './explain-command.ts';
import { fixCommand } from './fix-command.ts';
import { PATH_FORMATS, type PathFormat, pathsCommand } from './paths-command.ts';
import { rulesCommand } from './rules-command.ts';
import { DEFAULT_BASELINE, FORMATS, type Format, scanCommand } from './scan-command.ts';
import type { Trust } from './scan-local.ts';
import type { Terminal } from './terminal.ts';

export async function run(
  args: readonly string[],
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  let exitCode: number = EXIT.clean;
  try {
    const program = createProgram(terminal, environment, (code) => {
      exitCode = code;
    });
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has already printed the message, help or version.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.clean : EXIT.usage;
    if (error instanceof AppError) {
      terminal.stderr.write(`${logLine(`chainbreak: ${error.message}`)}\n`);
      return error.code === 'usage' ? EXIT.usage : EXIT.failed;
    }
    const what = error instanceof Error ? (error.stack ?? error.message) : 'unknown';
    terminal.stderr.write(`${withoutCommands(visible(`chainbreak: unexpected error: ${what}`))}\n`);
    return EXIT.failed;
  }
}

function createProgram(
  terminal: Terminal,
  environment: NodeJS.ProcessEnv,
  setExitCode: (code: number) => void,
): Command {
  const program = new Command('chainbreak')
    .description(
      'Find the attack paths in GitHub Actions workflows. Only reads files: no code is executed and no file leaves the machine.',
    )
    .version(terminal.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .configureHelp({ showGlobalOptions: true })
    .option('--no-color', 'disable colours (also NO_COLOR)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(withoutCommands(visible(text))),
    })
    .showHelpAfterError('Run "chainbreak --help" for usage.')
    .addHelpText(
      'after',
      `
Examples:
  chainbreak scan                          this repository
  chainbreak scan ~/code --format sarif    every repository in a folder
  chainbreak scan owner/name               a repository on github.com
  chainbreak scan --write-baseline         accept today's findings …
  chainbreak scan --baseline ${DEFAULT_BASELINE}    … and report only new ones
  chainbreak scan --diff origin/main       only what this branch adds
  chainbreak paths                         attack paths, drawn as chains
  chainbreak fix --dry-run                 safe fixes, as a diff
  chainbreak explain template-injection    one rule with examples

Exit codes:
  0 nothing at or above --fail-on   1 findings   2 usage error   3 scan failed`,
    );

  program
    .command('scan')
    .description('scan repositories, folders of repositories, single files, or repositories on GitHub')
    .argument('[paths...]', 'what to scan; owner/name or a URL is read from GitHub', ['.'])
    .addOption(new Option('-f, --format <format>', 'output format').choices(FORMATS).default('text'))
    .addOption(new Option('--ruleset <ruleset>', 'which rules to run').choices(RULESETS).default('all'))
    .addOption(
      new Option(
        '--fail-on <severity>',
        `exit 1 at this severity or above (critical: critical attack paths only): ${FAIL_ON.join(', ')}`,
      )
        .argParser((value) => oneOf(value.toLowerCase(), FAIL_ON))
        .default('high'),
    )
    .addOption(
      new Option('--min-severity <severity>', 'hide findings below this severity, also from --fail-on')
        .argParser((value) => oneOf(value.toUpperCase(), SEVERITIES))
        .default('INFO', 'info'),
    )
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
    .option(...NO_SUPPRESSIONS)
    .addOption(configOption())
    .option('--pedantic', 'show rules of opinion, repetitions and the parts of findings too')
    .option('-v, --verbose', 'show every place and all suppressed findings')
    .addHelpText(
      'after',
      `
Scanning owner/name and --online need a token in GITHUB_TOKEN or SCM_PUBLIC_TOKEN. For a code host other than github.com, set
SCM_API_URL, SCM_GRAPHQL_URL and SCM_WEB_URL. PACKAGE_LOOKUP=off disables package registries for --online.`,
    )
    .action(async (paths: string[], options: ScanFlags, command: Command) => {
      const { format, ruleset, failOn, minSeverity, baseline, writeBaseline = false } = options;
      const { verbose = false, pedantic = false, diff } = options;
      const { online = false, observed, hostVersion: platform = GITHUB_COM } = options;
      const fromHost = { online, observed, platform, environment };
      const shown = { format, ruleset, failOn, minSeverity, baseline, writeBaseline, verbose, pedantic, diff };
      const listInfo = command.getOptionValueSource('minSeverity') === 'cli';
      const parsed = { ...shown, listInfo, ...fromHost, ...trustOf(options) };
      setExitCode(await scanCommand(paths, parsed, colorless(terminal, program)));
    });

  program
    .command('paths')
    .description('show attack paths: findings that combine into a compromise, and what breaks them')
    .argument('[paths...]', 'what to scan; owner/name or a URL is read from GitHub', ['.'])
    .addOption(new Option('-f, --format <format>', 'output format').choices(PATH_FORMATS).default('text'))
    .addOption(
      new Option('--fail-on <severity>', `exit 1 for attack paths at this severity or above: ${FAIL_ON.join(', ')}`)
        .argParser((value) => oneOf(value.toLowerCase(), FAIL_ON))
        .default('high'),
    )
    .option('--online', 'look up used actions on GitHub; only their names leave the machine')
    .addOption(hostVersionOption())
    .option(
      '--observed <file>',
      'with --online: record the targets of release tags in this file, and report tags that move',
    )
    .option(...NO_SUPPRESSIONS)
    .addOption(configOption())
    .option('-v, --verbose', 'show every place and each attack path that was not searched for')
    .addHelpText(
      'after',
      `
Examples:
  chainbreak paths --format mermaid > paths.mmd    a chart for a README or a pull request
  chainbreak paths --fail-on critical              fail only if an outsider can take over everything`,
    )
    .action(async (paths: string[], options: PathFlags) => {
      const { format, failOn, verbose = false, online = false, observed, hostVersion: platform = GITHUB_COM } = options;
      const parsed = { format, failOn, verbose, online, observed, platform, environment, ...trustOf(options) };
      setExitCode(await pathsCommand(paths, parsed, colorless(terminal, program)));
    });

  program
    .command('fix')
    .description('apply safe fixes in place and print the diff')
    .argument('[paths...]', 'local paths, as for scan', ['.'])
    .option('--dry-run', 'print the diff without writing files')
    .addOption(
      new Option('--categories <list>', 'only these categories, such as CICD-SEC-3,CICD-SEC-5').argParser((value) =>
        value.split(',').map((name) => oneOf(name.trim().toUpperCase(), CATEGORIES)),
      ),
    )
    .option('--unsafe', 'also apply fixes that can change behaviour; review each')
    .addOption(new Option('-f, --format <format>', 'output format').choices(['text', 'json']).default('text'))
    .addOption(
      new Option('--fail-on <severity>', `exit 1 if findings at this severity or above remain: ${FAIL_ON.join(', ')}`)
        .argParser((value) => oneOf(value.toLowerCase(), FAIL_ON))
        .default('high'),
    )
    .option(
      '--online',
      'look up commits of actions on GitHub and, with --unsafe, digests of images in well-known registries',
    )
    .addOption(hostVersionOption())
    .option(...NO_SUPPRESSIONS)
    .addOption(configOption())
    .action(async (paths: string[], flags: FixFlags) => {
      const {
        format,
        failOn,
        dryRun = false,
        unsafe = false,
        online = false,
        hostVersion: platform = GITHUB_COM,
      } = flags;
      const categories = flags.categories === undefined ? undefined : new Set(flags.categories);
      const trust = trustOf(flags);
      const options = { format, failOn, dryRun, unsafe, online, platform, categories, environment, ...trust };
      setExitCode(await fixCommand(paths, options, colorless(terminal, program)));
    });

  program
    .command('rules')
    .description('list the rules')
    .addOption(new Option('--ruleset <ruleset>', 'only the rules of one ruleset').choices(RULESETS).default('all'))
    .addOption(new Option('-f, --format <format>', 'output format').choices(['text', 'json']).default('text'))
    .action(({ ruleset, format }: { ruleset: Ruleset; format: 'text' | 'json' }) => {
      rulesCommand({ ruleset, json: format === 'json' }, colorless(terminal, program));
      setExitCode(EXIT.clean);
    });

  program
    .command('explain')
    .description('explain a rule: why it matters, what it finds, how to fix it')
    .argument('<rule>', 'rule id')
    .action((id: string) => {
      explainCommand(id, colorless(terminal, program));
      setExitCode(EXIT.clean);
    });

  program
    .command('completion')
    .description('print a shell completion script')
    .argument('<shell>', SHELLS.join(', '), (value: string) => oneOf(value, SHELLS))
    .addHelpText('after', '\nExample:\n  source <(chainbreak completion bash)')
    .action((shell: Shell) => {
      terminal.stdout.write(
        completionScript(
          shell,
          program,
          rules.map(({ id }) => id),
        ),
      );
      setExitCode(EXIT.clean);
    });

  return program;
}

interface TrustFlags {
  suppressions: boolean;
  config?: 'none';
}

interface ScanFlags extends TrustFlags {
  format: Format;
  ruleset: Ruleset;
  failOn: FailOn;
  minSeverity: Severity;
  diff?: string;
  baseline?: string;
  writeBaseline?: boolean;
  online?: boolean;
  observed?: string;
  hostVersion?: Platform;
  verbose?: boolean;
  pedantic?: boolean;
}

interface PathFlags extends TrustFlags {
  format: PathFormat;
  failOn: FailOn;
  online?: boolean;
  observed?: string;
  verbose?: boolean;
  hostVersion?: Platform;
}

const NO_SUPPRESSIONS = ['--no-suppressions', 'count what comments and .github/chainbreak.yml suppress'] as const;

function configOption(): Option {
  return new Option('--config <source>', 'none: do not read .github/chainbreak.yml').choices(['none']);
}

function trustOf({ suppressions, config }: TrustFlags): Trust {
  return { suppressions, config: config !== 'none' };
}

function hostVersionOption(): Option {
  const what = 'version of the GitHub Enterprise Server that runs the workflows (default: github.com)';
  return new Option('--host-version <version>', what).argParser(serverVersion);
}

function serverVersion(value: string): Platform {
  const platform = enterpriseServer(value);
  if (platform === undefined) throw new InvalidArgumentError('Expected a version such as 3.19.');
  return platform;
}

interface FixFlags extends TrustFlags {
  format: 'text' | 'json';
  failOn: FailOn;
  dryRun?: boolean;
  categories?: Category[];
  unsafe?: boolean;
  online?: boolean;
  hostVersion?: Platform;
}

function colorless(terminal: Terminal, program: Command): Terminal {
  if (program.opts<{ color: boolean }>().color) return terminal;
  const { links = 'none' } = terminal;
  return { ...terminal, color: false, links: links === 'terminal' ? 'none' : links };
}

function oneOf<T extends string>(value: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw new InvalidArgumentError(`Expected one of ${allowed.join(', ').toLowerCase()}.`);
  return found;
}
