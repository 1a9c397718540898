import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { AppError } from '#lib/errors.ts';
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
import { DEFAULT_BASELINE, FAIL_ON, type FailOn, FORMATS, type Format, scanCommand } from './scan-command.ts';
import type { Terminal } from './terminal.ts';

/** Carries out a command line and returns its exit code. */
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
    // Commander has printed its message; help and the version leave by here too.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.clean : EXIT.usage;
    if (error instanceof AppError) {
      terminal.stderr.write(`chainbreak: ${visible(error.message)}\n`);
      return error.code === 'usage' ? EXIT.usage : EXIT.failed;
    }
    const what = error instanceof Error ? (error.stack ?? error.message) : 'unknown';
    terminal.stderr.write(`chainbreak: unexpected error: ${what}\n`);
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
      'Finds the attack paths in CI workflows. Reads files only: nothing is run, no file leaves the machine.',
    )
    .version(terminal.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .configureHelp({ showGlobalOptions: true })
    .option('--no-color', 'no colours, also with NO_COLOR set')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
    })
    .showHelpAfterError('chainbreak --help shows what is possible.')
    .addHelpText(
      'after',
      `
Examples:
  chainbreak scan                          this repository
  chainbreak scan ~/code --format sarif    every repository below a folder
  chainbreak scan owner/name               a repository of github.com
  chainbreak scan --write-baseline         accept what is there today …
  chainbreak scan --baseline ${DEFAULT_BASELINE}    … and report only what is new
  chainbreak paths                         the attack paths, drawn as chains
  chainbreak fix --dry-run                 what can be fixed safely, as a difference
  chainbreak explain template-injection    one rule with examples

Exit codes:
  0 nothing at or above --fail-on   1 something   2 wrong command line   3 could not scan`,
    );

  program
    .command('scan')
    .description('scan repositories, folders of repositories, single files, or repositories of the code host')
    .argument('[paths...]', 'what to scan; owner/name or an address is read from GitHub', ['.'])
    .addOption(new Option('-f, --format <format>', 'how to print the result').choices(FORMATS).default('text'))
    .addOption(new Option('--ruleset <ruleset>', 'which rules to run').choices(RULESETS).default('all'))
    .addOption(
      new Option(
        '--fail-on <severity>',
        `exit 1 from this severity on, critical being attack paths: ${FAIL_ON.join(', ')}`,
      )
        .argParser((value) => oneOf(value.toLowerCase(), FAIL_ON))
        .default('high'),
    )
    .addOption(
      new Option('--min-severity <severity>', 'leave lesser findings out, also for --fail-on')
        .argParser((value) => oneOf(value.toUpperCase(), SEVERITIES))
        .default('INFO', 'info'),
    )
    .option(
      '--online',
      'ask the code host about the actions used, and npm and PyPI about the packages published: their names leave the machine, nothing else',
    )
    .option('--observed <file>', 'with --online: keep in this file what release tags name, and report those that move')
    .addOption(hostVersionOption())
    .option('--baseline <file>', 'report only what this file does not know')
    .option('--write-baseline', `write the findings to --baseline (${DEFAULT_BASELINE}) instead of reporting them`)
    .option('-v, --verbose', 'draw every place and list what is suppressed')
    .addHelpText(
      'after',
      `
Reading from the code host, and --online, take a token in GITHUB_TOKEN or SCM_PUBLIC_TOKEN. SCM_API_URL, SCM_GRAPHQL_URL and
SCM_WEB_URL name another code host than github.com. With PACKAGE_LOOKUP=off, --online asks no package registry.`,
    )
    .action(async (paths: string[], options: ScanFlags) => {
      const { format, ruleset, failOn, minSeverity, baseline, writeBaseline = false, verbose = false } = options;
      const { online = false, observed, hostVersion: platform = GITHUB_COM } = options;
      const fromHost = { online, observed, platform, environment };
      const parsed = { format, ruleset, failOn, minSeverity, baseline, writeBaseline, verbose, ...fromHost };
      setExitCode(await scanCommand(paths, parsed, colorless(terminal, program)));
    });

  program
    .command('paths')
    .description('show the attack paths: findings that together let somebody in, and what breaks them')
    .argument('[paths...]', 'what to scan; owner/name or an address is read from GitHub', ['.'])
    .addOption(new Option('-f, --format <format>', 'how to print them').choices(PATH_FORMATS).default('text'))
    .addOption(
      new Option('--fail-on <severity>', `exit 1 from this severity of a path on: ${FAIL_ON.join(', ')}`)
        .argParser((value) => oneOf(value.toLowerCase(), FAIL_ON))
        .default('high'),
    )
    .option('--online', 'ask the code host about the actions used: their names leave the machine, nothing else')
    .addOption(hostVersionOption())
    .option('--observed <file>', 'with --online: keep in this file what release tags name, and report those that move')
    .option('-v, --verbose', 'name every place and each combination that was not searched for')
    .addHelpText(
      'after',
      `
Examples:
  chainbreak paths --format mermaid > paths.mmd    a chart for a README or a pull request
  chainbreak paths --fail-on critical              fail only where somebody from outside gets everything`,
    )
    .action(async (paths: string[], options: PathFlags) => {
      const { format, failOn, verbose = false, online = false, observed, hostVersion: platform = GITHUB_COM } = options;
      const parsed = { format, failOn, verbose, online, observed, platform, environment };
      setExitCode(await pathsCommand(paths, parsed, colorless(terminal, program)));
    });

  program
    .command('fix')
    .description('fix in place what can be fixed without changing what a run does, and print the difference')
    .argument('[paths...]', 'what to fix, as for scan, on this machine', ['.'])
    .option('--dry-run', 'print the difference, write nothing')
    .addOption(
      new Option('--categories <list>', 'only these, such as CICD-SEC-3,CICD-SEC-5').argParser((value) =>
        value.split(',').map((name) => oneOf(name.trim().toUpperCase(), CATEGORIES)),
      ),
    )
    .option('--unsafe', 'also fixes after which a run may behave differently: look at each')
    .addOption(new Option('-f, --format <format>', 'how to print the result').choices(['text', 'json']).default('text'))
    .addOption(
      new Option('--fail-on <severity>', `exit 1 when something from this severity on is left: ${FAIL_ON.join(', ')}`)
        .argParser((value) => oneOf(value.toLowerCase(), FAIL_ON))
        .default('high'),
    )
    .option(
      '--online',
      'look up what can be pinned: actions at the code host and, with --unsafe, images at well-known registries',
    )
    .addOption(hostVersionOption())
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
      const options = { format, failOn, dryRun, unsafe, online, platform, categories, environment };
      setExitCode(await fixCommand(paths, options, colorless(terminal, program)));
    });

  program
    .command('rules')
    .description('list the rules')
    .addOption(new Option('--ruleset <ruleset>', 'only the rules of one ruleset').choices(RULESETS).default('all'))
    .addOption(new Option('-f, --format <format>', 'how to print them').choices(['text', 'json']).default('text'))
    .action(({ ruleset, format }: { ruleset: Ruleset; format: 'text' | 'json' }) => {
      rulesCommand({ ruleset, json: format === 'json' }, colorless(terminal, program));
      setExitCode(EXIT.clean);
    });

  program
    .command('explain')
    .description('show why a rule matters, what it finds and how to fix it')
    .argument('<rule>', 'its id')
    .action((id: string) => {
      explainCommand(id, colorless(terminal, program));
      setExitCode(EXIT.clean);
    });

  program
    .command('completion')
    .description('print a script that completes commands, options and rules in a shell')
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

interface ScanFlags {
  format: Format;
  ruleset: Ruleset;
  failOn: FailOn;
  minSeverity: Severity;
  baseline?: string;
  writeBaseline?: boolean;
  online?: boolean;
  observed?: string;
  hostVersion?: Platform;
  verbose?: boolean;
}

interface PathFlags {
  format: PathFormat;
  failOn: FailOn;
  online?: boolean;
  observed?: string;
  verbose?: boolean;
  hostVersion?: Platform;
}

function hostVersionOption(): Option {
  const what = 'of the GitHub Enterprise Server that runs the workflows (github.com)';
  return new Option('--host-version <version>', what).argParser(serverVersion);
}

function serverVersion(value: string): Platform {
  const platform = enterpriseServer(value);
  if (platform === undefined) throw new InvalidArgumentError('It is a version such as 3.19.');
  return platform;
}

interface FixFlags {
  format: 'text' | 'json';
  failOn: FailOn;
  dryRun?: boolean;
  categories?: Category[];
  unsafe?: boolean;
  online?: boolean;
  hostVersion?: Platform;
}

function colorless(terminal: Terminal, program: Command): Terminal {
  return program.opts<{ color: boolean }>().color ? terminal : { ...terminal, color: false };
}

function oneOf<T extends string>(value: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw new InvalidArgumentError(`Allowed are ${allowed.join(', ').toLowerCase()}.`);
  return found;
}
