import {
  COMMAND_WRAPPERS,
  INTERPRETERS,
  PROJECT_ACTIONS,
  PROJECT_PROGRAMS,
  PROJECT_SUBCOMMANDS,
  PYTHON_PROJECT_MODULES,
  PYTHON_TOOL_MODULES,
  type RunsProject,
} from '#lib/data/curated/project-runners.ts';
import { actionOf, inputOf, isFalse } from '#lib/workflow/model/action-uses.ts';
import type { Step } from '#lib/workflow/model/model.ts';
import { commandsOf, shellOf } from '#lib/workflow/shell/shell.ts';
import { type Folder, folderAt, isWithin, placedCommands, startFolder } from '#lib/workflow/shell/working-directory.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { memoByNode } from '../memo.ts';
import type { Checkout } from './checkouts.ts';

export interface Execution {
  readonly step: Step;
  readonly span: Span;
  readonly what: string;
  readonly runs: RunsProject;
}

interface Ground {
  readonly folder: string;
  readonly clean: readonly string[];
  /** Set if a program that is only given a path into the folder treats it as data. */
  readonly inside?: true;
}

/** Returns where a step runs files of a folder except `clean`, or a program configured by files there. */
export function executionsInside(step: Step, folder: string, clean: readonly string[]): Execution[] {
  return executionsIn(step, { folder, clean, inside: true });
}

/**
 * Returns where a checkout's files are run later in the job, until the repository's own code replaces them. `all` lists
 * the job's checkouts in order; steps that `runs` rejects are skipped.
 */
export function executionsAfter(
  checkout: Checkout,
  all: readonly Checkout[],
  runs: (step: Step) => boolean = () => true,
): Execution[] {
  const { folder, step: from } = checkout;
  if (folder === undefined) return [];
  const later = all.filter((each) => each.foreign === undefined && isAfter(each, checkout));
  const replaced = later.find((clean) => clean.folder !== undefined && isWithin(folder, clean.folder));
  const last = replaced?.step.index ?? Number.POSITIVE_INFINITY;
  return from.parent.steps.slice(from.index, last + 1).flatMap((step) => {
    if (!runs(step)) return [];
    const cleaned = later.filter((other) => other.folder !== undefined && other.step.index <= step.index);
    const before = cleaned.filter((other) => other.step !== step).map((other) => other.folder as string);
    if (step === from && checkout.inner !== undefined) {
      return innerExecutions(step, checkout.inner, { folder, clean: before });
    }
    const within = cleaned.filter((other) => other.step === step);
    return executionsPast(step, folder, before, within).filter(
      ({ span }) =>
        (step !== from || (span.start > checkout.span.start && step.run !== undefined)) &&
        (replaced?.step !== step || (step.run !== undefined && span.start < replaced.span.start)),
    );
  });
}

/** Returns executions in a step whose own commands put some folders right as they go. */
function executionsPast(
  step: Step,
  folder: string,
  before: readonly string[],
  within: readonly Checkout[],
): Execution[] {
  const all = executionsIn(step, { folder, clean: before });
  if (within.length === 0 || all.length === 0) return all;
  return within.reduce<Execution[]>((found, { span: cleaned }, index) => {
    const clean = [...before, ...within.slice(0, index + 1).map((other) => other.folder as string)];
    const left = new Set(executionsIn(step, { folder, clean }).map(({ span }) => span.start));
    return found.filter(({ span }) => span.start < cleaned.start || left.has(span.start));
  }, all);
}

function isAfter(a: Pick<Checkout, 'step' | 'span'>, b: Checkout): boolean {
  return a.step.index > b.step.index || (a.step === b.step && a.span.start > b.span.start);
}

function innerExecutions(step: Step, inner: readonly Step[], ground: Ground): Execution[] {
  const span = step.uses?.text.span ?? step.span;
  return inner
    .flatMap((each) => executionsIn(each, ground))
    .map(({ what, runs }) => ({ step, span, what: `${what} in ${step.uses?.text.value ?? ''}`, runs }));
}

function executionsIn(step: Step, ground: Ground): Execution[] {
  if (step.uses !== undefined) return actionExecutions(step, ground);
  if (step.run === undefined) return [];
  if (shellOf(step) !== 'posix') return plainExecutions(step, ground);
  return placedCommands(step).flatMap(({ command, folder }) => {
    const words = command.args.map(({ value }) => value);
    const called = command.words.find(({ value }) => value.split('/').at(-1) === command.program)?.value;
    const runs = judge(command.program, called ?? command.program, words, folder, ground, step);
    return runs === undefined ? [] : [{ step, span: command.span, what: firstWords(command.text), runs }];
  });
}

function plainExecutions(step: Step, ground: Ground): Execution[] {
  const text = step.run;
  if (text === undefined || shellOf(step) === 'python') return [];
  return text.value.split('\n').flatMap((line) => {
    const [called = '', ...words] = line.trim().split(/\s+/).slice(0, 20);
    const program = (called.split(/[/\\]/).at(-1) ?? '').replace(/\.(?:cmd|exe|bat)$/i, '');
    const runs = judge(program, called.replaceAll('\\', '/'), words, startFolder(step), ground, step);
    return runs === undefined ? [] : [{ step, span: text.span, what: firstWords(line), runs }];
  });
}

function firstWords(command: string): string {
  const line = (command.trim().split('\n')[0] ?? '').replace(/(?<!\s)\s*\\$/, '');
  return line.length > 60 ? `${line.slice(0, 57)}…` : line;
}

const reaches = (folder: Folder, { folder: outer, clean }: Ground): boolean =>
  isWithin(folder, outer) && !clean.some((inner) => isWithin(folder, inner));

const FOLDER_OPTION = /^(?:-C|--prefix|--cwd|--directory|--dir|--project|--manifest-path|--chdir)(?:=(.*))?$/;

function judge(
  program: string,
  called: string,
  words: readonly string[],
  folder: Folder,
  ground: Ground,
  step: Step,
): RunsProject | undefined {
  if (program === '' || asksAboutItself(words)) return undefined;
  if (COMMAND_WRAPPERS.has(program)) {
    const at = words.findIndex((word) => !/^(?:-.*|\d+[smh]?)$/.test(word));
    const inner = words[at];
    if (inner === undefined) return undefined;
    return judge(inner.split('/').at(-1) ?? '', inner, words.slice(at + 1), folder, ground, step);
  }
  const at = workingFolder(words, folder);
  if (called.includes('/')) return runsFile(called, folder, ground, step) ? 'certain' : undefined;
  if (INTERPRETERS.has(program)) return interpreted(program, words, at, ground, step);
  if (words[0] === 'run' && (program === 'docker' || program === 'podman')) {
    return runsMounted(words.slice(1)) && reaches(folder, ground) ? 'likely' : undefined;
  }
  const runs = runsProject(program, words);
  if (runs === undefined) return undefined;
  const clean =
    ground.inside && words.some((word) => ground.clean.some((inner) => isWithin(folderAt(folder, word), inner)));
  if (clean) return undefined;
  if (reaches(at, ground)) return runs;
  return ground.inside === undefined &&
    words.some((word) => ground.folder !== '' && reaches(folderAt(folder, word.replace(/^.*=/, '')), ground))
    ? runs
    : undefined;
}

const MOUNTS_HERE =
  /^(?:--volume=|--mount=\S{0,200}?(?:source|src)=)?(?:\$\{?PWD\b|\$\(pwd\)|\.{1,2}(?:[/:]|$)|\$\{?GITHUB_WORKSPACE\b|\$\{\{\s*github\.workspace)/;

/** True for a container that has the working directory mounted and starts a program that runs its files. */
function runsMounted(words: readonly string[]): boolean {
  if (!words.some((word) => MOUNTS_HERE.test(word))) return false;
  return words.some((word, index) => index > 0 && runsProject(word, words.slice(index + 1)) !== undefined);
}

function asksAboutItself(words: readonly string[]): boolean {
  return words.length > 0 && words.every((word) => /^--?(?:version|help|V|v)$/.test(word));
}

function workingFolder(words: readonly string[], folder: Folder): Folder {
  const at = words.findIndex((word) => FOLDER_OPTION.test(word));
  if (at === -1) return folder;
  const value = FOLDER_OPTION.exec(words[at] as string)?.[1] ?? words[at + 1] ?? '';
  return folderAt(folder, value.replace(/\/[\w.-]+\.(?:toml|xml|json)$/, ''));
}

const ENVIRONMENT_FILE = /(?:^|\/)\.?v?env\/(?:bin|Scripts)\//;

function runsFile(path: string, folder: Folder, ground: Ground, step: Step): boolean {
  return !ENVIRONMENT_FILE.test(path) && reaches(folderAt(folder, path), ground) && !isFetchedBefore(path, step);
}

function isFetchedBefore(path: string, step: Step): boolean {
  const name = path.split('/').at(-1) ?? path;
  return step.parent.steps
    .slice(0, step.index + 1)
    .some((before) => fetchesIn(before).some((text) => text.includes(name)));
}

const MAX_FETCHES = 100;

const fetchesIn = memoByNode((step: Step): readonly string[] =>
  commandsOf(step)
    .filter(({ program }) => /^(?:curl|wget|tar|unzip|gh|aws|gsutil)$/.test(program))
    .slice(0, MAX_FETCHES)
    .map(({ text }) => text),
);

function interpreted(
  program: string,
  words: readonly string[],
  folder: Folder,
  ground: Ground,
  step: Step,
): RunsProject | undefined {
  if (program.startsWith('python') && words[0] === '-m') {
    const [, module = '', ...rest] = words;
    if (module === 'pip') return reaches(folder, ground) ? pip(rest) : undefined;
    if (!reaches(folder, ground) || PYTHON_TOOL_MODULES.has(module)) return undefined;
    if (PYTHON_PROJECT_MODULES.has(module)) return 'certain';
    return /^[\w.]+$/.test(module) ? 'likely' : undefined;
  }
  if (words.some((word) => /^-(?:c|e|p)$|^--(?:eval|command|print)$/.test(word))) return undefined;
  const file = words.find((word) => !word.startsWith('-') && word !== '');
  return file !== undefined && runsFile(file, folder, ground, step) ? 'certain' : undefined;
}

function pip(words: readonly string[]): RunsProject | undefined {
  if (words[0] !== 'install') return undefined;
  const local = words.some((word) =>
    /^(?:-e|-r|--editable|--requirement.*|-r.+)$|^\.|^(?:[^-=<>:]*:)*[^-=<>:/]*\/[^:]*$/.test(word),
  );
  return local ? 'certain' : undefined;
}

function runsProject(program: string, words: readonly string[]): RunsProject | undefined {
  if (PROJECT_PROGRAMS.has(program)) return 'certain';
  if (program === 'pip' || program === 'pip3') return pip(words);
  if (program === 'uv' && words[0] === 'pip') return pip(words.slice(1));
  const known = Object.hasOwn(PROJECT_SUBCOMMANDS, program) ? PROJECT_SUBCOMMANDS[program] : undefined;
  if (known === undefined) return undefined;
  const verb = words.find((word) => !word.startsWith('-') || known.except?.includes(word) === true) ?? '';
  // With a new version, `npm version` runs scripts of the package.
  const bumps = program === 'npm' && verb === 'version' && words.filter((word) => !word.startsWith('-')).length > 1;
  if (known.only?.includes(verb) === false || (known.except?.includes(verb) === true && !bumps)) return undefined;
  if (known.needs !== undefined && !words.includes(known.needs)) return undefined;
  return known.unless?.some((word) => words.includes(word)) === true ? undefined : (known.runs ?? 'certain');
}

function actionExecutions(step: Step, ground: Ground): Execution[] {
  const { uses } = step;
  if (uses === undefined) return [];
  const { span } = uses.text;
  const { reference } = uses;
  if (reference?.kind === 'local') {
    if (reference.form === '$/' || !reaches(reference.path, ground)) return [];
    return [{ step, span, what: `the action ${uses.text.value}`, runs: 'certain' }];
  }
  const action = actionOf(step);
  if (action === undefined) return [];
  const name = `the action ${action.owner}/${action.repo}`;
  if (action.slug === 'actions/github-script') {
    const script = inputOf(step, 'script')?.value ?? '';
    const [, path] =
      /\b(?:require|import)\(\s*['"`](\.{1,2}\/[^'"`]*|\$\{\{? ?(?:github\.workspace|process\.env\.GITHUB_WORKSPACE)[^'"`]*)/.exec(
        script,
      ) ?? [];
    if (path === undefined) return [];
    const target = folderAt(
      '',
      path.replace(/^\$\{\{? ?(?:github\.workspace|process\.env\.GITHUB_WORKSPACE) ?\}?\}/, '.'),
    );
    return reaches(target, ground)
      ? [{ step, span, what: `${name}, which loads a file from it,`, runs: 'certain' }]
      : [];
  }
  const known = PROJECT_ACTIONS[action.name] ?? PROJECT_ACTIONS[action.slug];
  if (known === undefined) return [];
  const input = known.input === undefined ? undefined : inputOf(step, known.input);
  if (known.input !== undefined && (input === undefined || isFalse(input))) return [];
  const at = folderAt(
    '',
    (inputOf(step, 'working-directory') ?? inputOf(step, 'context') ?? inputOf(step, 'workdir'))?.value ?? '',
  );
  return reaches(at, ground) ? [{ step, span, what: name, runs: known.runs }] : [];
}
