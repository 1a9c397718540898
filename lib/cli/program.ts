import { Command, CommanderError, Option } from 'commander';
import { AppError } from '#lib/errors.ts';
import { logLine, withoutCommands } from '#lib/report/runner-commands.ts';
import { visible } from '#lib/report/visible.ts';
import { RULESETS, type Ruleset } from '#lib/scanner/engine/rulesets.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { cleanCache } from './cache-command.ts';
import { completionScript, SHELLS, type Shell } from './completion.ts';
import { defineFix } from './define-fix.ts';
import { definePaths } from './define-paths.ts';
import { defineScan } from './define-scan.ts';
import { EXIT } from './exit-codes.ts';
import { oneOf } from './options.ts';
import { rulesCommand } from './rules-command.ts';
import { DEFAULT_BASELINE } from './scan-command.ts';
import type { Terminal } from './terminal.ts';
import { untune } from './tune.ts';

const COLOR_MODES = ['auto', 'always', 'never'] as const;
type ColorMode = (typeof COLOR_MODES)[number];

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
    .addOption(new Option('--color <when>', 'when to use colours').choices(COLOR_MODES))
    .option('--no-color', 'disable colours (also NO_COLOR)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(withoutCommands(visible(text))),
      outputError: (text, write) => write(text.replace(/^error: /, 'chainbreak: ')),
    })
    .showHelpAfterError('Run "chainbreak --help" for usage.')
    .addHelpText(
      'after',
      `
Examples:
  chainbreak scan                          this repository
  chainbreak scan ~/code --format sarif    every repository in a folder
  chainbreak scan owner/name               a repository on github.com
  chainbreak scan owner/name@v1            at a branch, tag or commit
  chainbreak scan - < workflow.yml         standard input
  chainbreak scan --write-baseline         accept today's findings …
  chainbreak scan --baseline ${DEFAULT_BASELINE}    … and report only new ones
  chainbreak scan --diff origin/main       only what this branch adds
  chainbreak paths                         attack paths, drawn as chains
  chainbreak fix --dry-run                 safe fixes, as a diff
  chainbreak init                          a workflow for CI, and a configuration
  chainbreak explain template-injection    one rule with examples

Exit codes:
  0 nothing at or above --fail-on   1 findings   2 usage error   3 scan failed`,
    );

  const context = {
    terminal: () => shownBy(terminal, program),
    environment,
    done: setExitCode,
  };
  defineScan(program, context);
  definePaths(program, context);
  defineFix(program, context);

  program
    .command('init')
    .description('offer a workflow that scans in CI and a configuration; write them after asking')
    .argument('[folder]', 'the repository', '.')
    .option('-y, --yes', 'write both without asking')
    .action(async (folder: string, { yes = false }: { yes?: boolean }) => {
      const { initCommand } = await import('./init-command.ts');
      setExitCode(await initCommand(folder, { yes }, context.terminal()));
    });

  program
    .command('rules')
    .description('list the rules')
    .addOption(new Option('--ruleset <ruleset>', 'only the rules of one ruleset').choices(RULESETS).default('all'))
    .addOption(new Option('-f, --format <format>', 'output format').choices(['text', 'json']).default('text'))
    .action(({ ruleset, format }: { ruleset: Ruleset; format: 'text' | 'json' }) => {
      rulesCommand({ ruleset, json: format === 'json' }, context.terminal());
      setExitCode(EXIT.clean);
    });

  program
    .command('explain')
    .description('explain a rule: why it matters, what it finds, how to fix it')
    .argument('<rule>', 'rule id')
    .action(async (id: string) => {
      const { explainCommand } = await import('./explain-command.ts');
      explainCommand(id, context.terminal());
      setExitCode(EXIT.clean);
    });

  program
    .command('lsp')
    .description('serve an editor over standard input and output: diagnostics, explanations and fixes while you type')
    .option('--stdio', 'use standard input and output, the default')
    .action(async () => {
      const { serveEditor } = await import('./lsp/start.ts');
      untune(process.versions.node);
      await serveEditor(process.stdin, process.stdout, terminal.version);
    });

  program
    .command('cache')
    .description('manage results of earlier scans')
    .command('clean')
    .description('remove all results of earlier scans')
    .action(() => {
      cleanCache(terminal, environment);
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

  for (const command of program.commands) {
    command.showHelpAfterError(`Run "chainbreak ${command.name()} --help" for usage.`);
  }
  return program;
}

function shownBy(terminal: Terminal, program: Command): Terminal {
  const { color } = program.opts<{ color?: ColorMode | false }>();
  if (color === 'always') return { ...terminal, color: true };
  if (color !== false && color !== 'never') return terminal;
  const { links = 'none' } = terminal;
  return { ...terminal, color: false, links: links === 'terminal' ? 'none' : links };
}
