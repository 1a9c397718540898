import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createColors } from 'picocolors';
import { imagesToPin } from '#lib/analysis/inventory/images.ts';
import type { FailOn } from '#lib/changes/policy.ts';
import { AppError } from '#lib/errors.ts';
import { type Facts, NO_FACTS } from '#lib/facts/facts.ts';
import { hardenRepository } from '#lib/hardener/harden.ts';
import { describeFix, type HardenedFile, type HardenOptions } from '#lib/hardener/hardening.ts';
import { readDigests } from '#lib/hosts/registries/images/read-digests.ts';
import { logLine, printableJson } from '#lib/report/runner-commands.ts';
import { countsText, plural } from '#lib/report/summary.ts';
import { visible } from '#lib/report/visible.ts';
import { countBySeverity } from '#lib/scanner/engine/finding.ts';
import type { Category } from '#lib/scanner/engine/rule.ts';
import { withInserted } from '#lib/scanner/remedies/inserted-actions.ts';
import { actionsUsedBy } from '#lib/workflow/model/action-uses.ts';
import type { Platform } from '#lib/workflow/model/platform.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { linesOf } from './answers.ts';
import { EXIT } from './exit-codes.ts';
import { findRepositories, joinRoot, type LocalRepository, withoutDoubles } from './files.ts';
import { type Asked, askOn, hardenAsking } from './fix-interactive.ts';
import { registries, remoteOptions } from './remote.ts';
import { connectForActions } from './remote-host.ts';
import { refuseLinks, replaceFile } from './replace-file.ts';
import { fails } from './scan-command.ts';
import { readLocal, type Trust } from './scan-local.ts';
import type { Terminal } from './terminal.ts';

export interface FixCommandOptions extends Trust {
  readonly format: 'text' | 'json';
  readonly dryRun: boolean;
  readonly interactive: boolean;
  readonly categories: ReadonlySet<Category> | undefined;
  readonly chosen?: ReadonlySet<string> | undefined;
  readonly unsafe: boolean;
  readonly failOn: FailOn;
  readonly online: boolean;
  readonly platform: Platform;
  readonly environment: NodeJS.ProcessEnv;
}

const IMAGES_OF_A_REPOSITORY = { maxImages: 100, timeLimitMs: 20_000 };

interface Rooted {
  readonly root: string;
  readonly result: HardenedFile;
}

export async function fixCommand(
  paths: readonly string[],
  options: FixCommandOptions,
  terminal: Terminal,
): Promise<number> {
  const { categories, chosen, unsafe: includeReview, dryRun, suppressions } = options;
  const locals = paths.flatMap((path) =>
    findRepositories(path).map((local) =>
      paths.length === 1 ? local : { ...local, root: joinRoot(path, local.root) },
    ),
  );
  for (const { only, folder } of locals) refuseLinks(only ?? folder);
  const lookUp = connect(options);
  const results: Rooted[] = [];
  let understood = 0;
  if (options.interactive && terminal.stdin?.isTTY !== true) {
    throw new AppError('usage', '--interactive needs a terminal as standard input.');
  }
  const answers = linesOf(options.interactive ? terminal.stdin : undefined);
  for (const local of withoutDoubles(locals)) {
    const repository = readLocal(local, options.platform, options);
    understood += repository.files.filter(({ definition }) => definition !== undefined).length;
    const facts = await lookUp(repository);
    const wishes: HardenOptions = {
      facts,
      includeReview,
      suppressions,
      rulesInDiff: true,
      ...(categories === undefined ? {} : { categories }),
      ...(chosen === undefined ? {} : { chosenRules: chosen }),
    };
    const write = (text: string): boolean => terminal.stdout.write(text);
    const ask = (asked: Asked) => {
      const file = local.root === '.' ? asked.file : `${local.root}/${asked.file}`;
      return askOn({ ...asked, file, diff: coloured(asked.diff, terminal) }, write, answers);
    };
    const hardened = options.interactive ? hardenAsking(repository, wishes, ask) : hardenRepository(repository, wishes);
    for await (const result of hardened) {
      if (!dryRun && result.after !== result.before)
        replaceFile(fileOf(local, result.path), result.after, result.before);
      results.push({ root: local.root, result });
    }
  }
  await answers.return(undefined);
  if (results.length === 0) throw new AppError('unreadable', 'No workflow, action or Dependabot file to fix.');
  terminal.stdout.write(options.format === 'json' ? toJson(results) : toText(results, options, terminal));
  const remaining = results.flatMap(({ result }) => result.remaining);
  if (fails(remaining, options.failOn)) return EXIT.found;
  return understood > 0 ? EXIT.clean : EXIT.failed;
}

function connect(options: FixCommandOptions): (repository: Repository) => Promise<Facts> {
  const { online, unsafe, categories, environment } = options;
  if (!online) return async () => NO_FACTS;
  const host = connectForActions(remoteOptions(environment));
  const ofImages = unsafe && categories?.has('CICD-SEC-3') !== false ? registries(environment, 'IMAGE') : undefined;
  return async (repository) => {
    const used = actionsUsedBy(repository);
    const [network, images] = await Promise.all([
      host.readActions(unsafe ? withInserted(used, repository, categories) : used),
      ofImages && readDigests(imagesToPin(repository), { ...ofImages, ...IMAGES_OF_A_REPOSITORY }),
    ]);
    return { ...NO_FACTS, network, ...(images === undefined ? {} : { images: { value: images } }) };
  };
}

function fileOf({ folder, only }: LocalRepository, path: string): string {
  return only ?? join(folder, path);
}

function toJson(results: readonly Rooted[]): string {
  const files = results.map(({ root, result }) => ({
    root,
    file: result.path,
    changed: result.after !== result.before,
    edits: result.applied.map((fix) => ({
      rule_id: fix.ruleId,
      category: fix.category,
      line: fix.line,
      description: describeFix(fix),
    })),
    refused: result.refused.map(({ ruleId, line, reason }) => ({ rule_id: ruleId, line, reason })),
  }));
  return printableJson({ files }, 2);
}

function toText(
  results: readonly Rooted[],
  { dryRun, interactive, unsafe, environment }: FixCommandOptions,
  terminal: Terminal,
): string {
  const changed = results.filter(({ result }) => result.after !== result.before);
  const diff = interactive ? '' : coloured(changed.map(({ result }) => result.diff).join(''), terminal);
  const fixes = changed.reduce((sum, { result }) => sum + result.applied.length, 0);
  const remaining = results.flatMap(({ result }) => result.remaining);
  const waiting = remaining.filter(({ fix }) => fix?.safety === 'review').length;
  const verb = dryRun ? 'would fix' : 'fixed';
  terminal.stderr.write(
    `${changed.length} ${changed.length === 1 ? 'file' : 'files'}: ${verb} ${plural(fixes, 'finding')}. Remaining: ${countsText(countBySeverity(remaining))}.\n`,
  );
  for (const { root, result } of changed) {
    for (const note of new Set(result.applied.flatMap((fix) => fix.note ?? []))) {
      terminal.stderr.write(`${logLine(`${root === '.' ? '' : `${root}/`}${result.path}: ${note}`)}\n`);
    }
  }
  if (waiting > 0 && !unsafe) {
    terminal.stderr.write(`--unsafe fixes ${waiting} more; these can change behaviour, so review each.\n`);
  }
  const runsCommands = environment['GITHUB_ACTIONS'] === 'true' && !terminal.stdout.isTTY;
  return runsCommands ? betweenStops(diff) : diff;
}

function coloured(diff: string, terminal: Terminal): string {
  const colors = createColors(terminal.color);
  const show = terminal.stdout.isTTY ? visible : (line: string): string => line;
  return diff.replace(/[^\n]+/g, (line) => {
    const shown = show(line);
    if (line.startsWith('@@')) return colors.cyan(shown);
    if (/^(?:---|\+\+\+) "?[ab]\//.test(line)) return colors.bold(shown);
    return line.startsWith('+') ? colors.green(shown) : line.startsWith('-') ? colors.red(shown) : shown;
  });
}

/**
 * Lets the Actions runner print a diff without interpreting commands in it.
 * https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands#stopping-and-starting-workflow-commands
 */
function betweenStops(diff: string): string {
  const token = randomUUID();
  return diff === '' ? '' : `::stop-commands::${token}\n${diff}::${token}::\n`;
}
