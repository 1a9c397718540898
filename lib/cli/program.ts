import { Command, InvalidArgumentError, Option } from 'commander';
import { SEVERITIES } from '../scanner/finding.ts';
import type { Severity } from '../scanner/rule.ts';
import { rules } from '../scanner/rules/index.ts';
import { RULESETS, type Ruleset } from '../scanner/rulesets.ts';
import { enterpriseServer, GITHUB_COM, type Platform } from '../workflow/platform.ts';
import { completionScript, SHELLS, type Shell } from './completion.ts';
import { EXIT } from './exit-codes.ts';
import { explainCommand } from './explain-command.ts';
import { PATH_FORMATS, type PathFormat, pathsCommand } from './paths-command.ts';
import { rulesCommand } from './rules-command.ts';
import { DEFAULT_BASELINE, FAIL_ON, type FailOn, FORMATS, type Format, scanCommand } from './scan-command.ts';
import type { Terminal } from './terminal.ts';

/** The command line: `run` parses and carries out, and gives the exit code. */
export function createProgram(
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
    .option('--online', 'ask the code host about the actions used: their names leave the machine, nothing else')
    .option('--observed <file>', 'with --online: keep in this file what release tags name, and report those that move')
    .addOption(
      new Option(
        '--host-version <version>',
        'of the GitHub Enterprise Server that runs the workflows (github.com)',
      ).argParser(serverVersion),
    )
    .option('--baseline <file>', 'report only what this file does not know')
    .option('--write-baseline', `write the findings to --baseline (${DEFAULT_BASELINE}) instead of reporting them`)
    .option('-v, --verbose', 'draw every place and list what is suppressed')
    .addHelpText(
      'after',
      `
Reading from the code host, and --online, take a token in GITHUB_TOKEN or SCM_PUBLIC_TOKEN. SCM_API_URL, SCM_GRAPHQL_URL and
SCM_WEB_URL name another code host than github.com.`,
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
    .option('--observed <file>', 'with --online: keep in this file what release tags name, and report those that move')
    .addOption(
      new Option(
        '--host-version <version>',
        'of the GitHub Enterprise Server that runs the workflows (github.com)',
      ).argParser(serverVersion),
    )
    .option('-v, --verbose', 'name every place and each combination that was not searched for')
    .addHelpText(
      'after',
      `
Examples:
  chainbreak paths --format mermaid > paths.mmd    a chart for a README or a pull request
  chainbreak paths --fail-on critical              fail only where somebody from outside gets everything`,
    )
    .action(async (paths: string[], options: PathFlags) => {
      const { format, failOn, verbose = false, online = false, observed } = options;
      const { hostVersion: platform = GITHUB_COM } = options;
      const parsed = { format, failOn, verbose, online, observed, platform, environment };
      setExitCode(await pathsCommand(paths, parsed, colorless(terminal, program)));
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
  hostVersion?: Platform;
  verbose?: boolean;
}

function serverVersion(value: string): Platform {
  const platform = enterpriseServer(value);
  if (platform === undefined) throw new InvalidArgumentError('It is a version such as 3.19.');
  return platform;
}

function colorless(terminal: Terminal, program: Command): Terminal {
  return program.opts<{ color: boolean }>().color ? terminal : { ...terminal, color: false };
}

function oneOf<T extends string>(value: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw new InvalidArgumentError(`Allowed are ${allowed.join(', ').toLowerCase()}.`);
  return found;
}
