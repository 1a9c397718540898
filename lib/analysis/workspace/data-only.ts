import { INTERPRETERS } from '#lib/data/curated/project-runners.ts';
import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import type { Step } from '#lib/workflow/model/model.ts';
import { type ShellCommand, shellOf } from '#lib/workflow/shell/shell.ts';
import {
  folderAt,
  isWithin,
  type PlacedCommand,
  pathOf,
  placedCommands,
} from '#lib/workflow/shell/working-directory.ts';
import type { Checkout } from '../checkouts/checkouts.ts';
import { commentsByAction, evaluatesText, prints } from './comment-only.ts';

/** True if only git, tools that copy and filter, and programs given the name of a data file handle a checkout's files. */
export function isOnlyData(checkout: Checkout): boolean {
  const { step, folder, inner, runs } = checkout;
  if (folder === undefined || inner !== undefined || runs !== undefined) return false;
  const steps = step.parent.steps.slice(step.index);
  if (!steps.every((each) => handlesData(each, checkout, folder))) return false;
  return !steps.some((each) => runsOwnFiles(each, folder)) || steps.every((each) => replacesOnlyData(each, folder));
}

const SETS_UP = /^actions\/(?:checkout|create-github-app-token|download-artifact|setup-[a-z]{1,20}|upload-artifact)$/;

const CACHES_WITHOUT_PROJECT_CODE = /^(?:false|gradle|maven|npm|pip|sbt|true)?$/;

function setsUp(step: Step): boolean {
  return (
    SETS_UP.test(actionOf(step)?.slug ?? '') && CACHES_WITHOUT_PROJECT_CODE.test(inputOf(step, 'cache')?.value ?? '')
  );
}

const SETS_CODE =
  /(?<![\w-])(?:PATH|BASH_ENV|(?:DY)?LD_[A-Z_]{1,40}|NODE_(?:OPTIONS|PATH)|PYTHON(?:HOME|PATH|STARTUP)|PERL5(?:LIB|OPT)|RUBY(?:LIB|OPT)|GIT_(?:CONFIG|EXEC|EXTERNAL|SSH)[A-Z_]{0,40})=/;

function handlesData(step: Step, { step: from, span, by }: Checkout, folder: string): boolean {
  if (step.uses !== undefined) return setsUp(step) || commentsByAction(step);
  if (step.run === undefined || shellOf(step) !== 'posix' || evaluatesText(step.run.value)) return false;
  if (SETS_CODE.test(step.run.value) || step.env?.entries.some(({ name }) => SETS_CODE.test(`${name}=`))) return false;
  const own = new Set(Array.from(step.run.value.matchAll(/\b(\w{1,60})\s?\(\)/g), ([, name = '']) => name));
  return placedCommands(step).every((placed) => {
    const { program, words, span: at } = placed.command;
    if (words.length === 0 || own.has(program)) return true;
    if (step === from && by !== 'action' && at.start === span.start) return true;
    if (program === 'git') return isPlainGit(placed, by === 'git' ? undefined : folder);
    return isDataTool(placed.command) || isGivenData(placed, folder, step);
  });
}

const TOOLS: ReadonlySet<string> = new Set('cd chmod cmp comm curl diff export sha256sum tar yq'.split(' '));

function isDataTool(command: ShellCommand): boolean {
  const { program, args } = command;
  if (program === 'gh') return READS_GITHUB.test(args.map(({ value }) => value).join(' '));
  if (program === 'tar')
    return !args.some(({ value }) => /^(?:--to-command|--checkpoint-action|-I|--use-compress)/.test(value));
  if (program === 'pip' || program === 'pip3') {
    return (
      args[0]?.value === 'install' &&
      args
        .slice(1)
        .every(
          ({ literal, value }) =>
            literal && !ARCHIVE.test(value) && /^\w[\w.-]{0,80}(?:[=~]=[\w.]{1,40})?$/.test(value),
        )
    );
  }
  return TOOLS.has(program) || prints(command);
}

const ARCHIVE = /\.(?:bz2|gz|tar|tgz|whl|xz|zip)$/i;

const READS_GITHUB =
  /^(?:pr (?:checkout|comment|diff|edit|list|view)|issue (?:comment|edit|list|view)|run (?:list|view|download)|api(?! (?:.{0,400} )?(?:-X|--method|-f|-F|--field|--raw-field|--input)\b))(?: |$)/;

const STARTS =
  /^(?:-x|--exec\b.*|--extcmd\b.*|bisect|difftool|mergetool|filter-branch|foreach)$|hookspath|^(?:alias|core\.fsmonitor|include|includeif)\b|\.(?:clean|smudge|process|textconv|driver)$/i;

const BASE = /base|default|develop|main|master|target|trunk/i;

function isPlainGit({ command: { args }, folder }: PlacedCommand, pushedFrom: string | undefined): boolean {
  const values = args.map(({ value }) => value);
  if (values.some((value) => STARTS.test(value))) return false;
  const verb = values.find((value) => /^[a-z]+(?:-[a-z]+)*$/.test(value));
  if (verb === 'checkout' || verb === 'switch') return values.includes('--');
  if (verb !== 'push') return true;
  const [, , ...refs] = args.filter(({ value }) => !value.startsWith('-'));
  return (
    folder !== undefined && folder === pushedFrom && refs.every(({ literal, value }) => !literal && !BASE.test(value))
  );
}

const DATA_FILE = /\.(?:csv|json|md|toml|txt|xml|ya?ml)$/i;

const HARMLESS_OPTION = /^-(?:B|I|W|e|eu|eux|u|x)$/;
const SCRIPT = /^(?!-)[^\s;]{0,400}[/.]/;

function isGivenData({ command, folder: at }: PlacedCommand, folder: string, step: Step): boolean {
  if (folder === '' || at === undefined || isWithin(at, folder)) return false;
  const [called = '', ...paths] = command.words.map((word) => pathOf(word, step));
  const file = INTERPRETERS.has(command.program) ? paths.find((path) => !HARMLESS_OPTION.test(path)) : called;
  if (file === undefined || !SCRIPT.test(file) || isWithin(folderAt(at, file), folder)) return false;
  const mayBeInside = paths.filter(
    (path) => /[$`]/.test(path) || isWithin(folderAt(at, path.replace(/^.*=/, '')), folder),
  );
  return mayBeInside.length > 0 && mayBeInside.every((path) => DATA_FILE.test(path)) && !isHandedFolder(step, folder);
}

function isHandedFolder(step: Step, folder: string): boolean {
  return (step.env?.entries ?? []).some(
    ({ name, value }) =>
      isWithin(folderAt('', value.value), folder) &&
      !step.run?.value.includes(`$${name}/`) &&
      !step.run?.value.includes(`\${${name}}/`),
  );
}

function runsOwnFiles(step: Step, folder: string): boolean {
  return placedCommands(step).some((placed) => !isDataTool(placed.command) && isGivenData(placed, folder, step));
}

const COPIES: ReadonlySet<string> = new Set(['cp', 'mv', 'tar', 'tee', 'unzip']);

const COPIES_COMMITS =
  /^(?:am|apply|cherry-pick|clone|merge|pull|read-tree|rebase|reset|restore|stash|submodule|worktree)$/;

function replacesOnlyData(step: Step, folder: string): boolean {
  if (step.run === undefined) return true;
  return placedCommands(step).every(({ command, folder: at }) => {
    const { program, args, redirects } = command;
    const values = args.map(({ value }) => value);
    const targets = redirects.flatMap(({ operator, target }) => (operator.includes('>') ? (target?.value ?? []) : []));
    if (COPIES.has(program)) targets.push(...values.filter((value) => !value.startsWith('-')));
    return (
      targets.every((target) => DATA_FILE.test(target) || OF_THE_RUNNER.test(target)) &&
      (program !== 'git' || isWithin(at, folder) || !values.some((value) => COPIES_COMMITS.test(value)))
    );
  });
}

const OF_THE_RUNNER = /^(?:\d|-|&\d|\/dev\/\w+|\/tmp\/.{1,400}|\$\{?GITHUB_(?:OUTPUT|STEP_SUMMARY)\}?)$/;
