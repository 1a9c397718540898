import {
  COMMAND_INPUT,
  COMMAND_WRAPPERS,
  FORMER_ACTION_NAMES,
  INTERPRETERS,
  OPENS_IMAGE_BUILD,
  PACKAGE_RUNNERS,
  PROJECT_ACTIONS,
  PROJECT_LAUNCHERS,
  PROJECT_PROGRAMS,
  PROJECT_SUBCOMMANDS,
  PYTHON_OWN_MODULES,
  PYTHON_PROJECT_MODULES,
  RUNS_ELSEWHERE,
  type RunsProject,
} from '#lib/data/curated/project-runners.ts';
import { actionOf, inputOf, isFalse, isTrue } from '#lib/workflow/model/action-uses.ts';
import type { Step } from '#lib/workflow/model/model.ts';
import { listedPlaces, listerBefore } from '#lib/workflow/shell/listed-files.ts';
import { commandsIn, commandsOf, type ShellCommand, shellOf } from '#lib/workflow/shell/shell.ts';
import {
  type Folder,
  folderAt,
  isWithin,
  pathOf,
  placedCommands,
  startFolder,
} from '#lib/workflow/shell/working-directory.ts';
import { ownValue } from '#lib/workflow/text/own-value.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import type { Checkout } from '../checkouts/checkouts.ts';
import { memoByNode } from '../memo.ts';
import { isBareImageBuild } from '../privileges/isolated-builds.ts';
import { isAbsent } from './absent-programs.ts';
import { matrixCommands } from './matrix-commands.ts';

export interface Execution {
  readonly step: Step;
  readonly span: Span;
  readonly what: string;
  readonly runs: RunsProject;
  readonly onlyInImageBuild?: true;
  readonly absent?: string;
}

interface Ground {
  readonly folder: string;
  readonly clean: readonly string[];
  readonly pathsAreData?: true;
}

/** Returns where a step runs files of a folder except `clean`, or a program configured by files there. */
export function executionsInside(step: Step, folder: string, clean: readonly string[]): Execution[] {
  return executionsIn(step, { folder, clean, pathsAreData: true });
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
  if (checkout.runs !== undefined)
    return runs(from) ? [{ step: from, span: checkout.span, what: checkout.runs, runs: 'certain' }] : [];
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

function innerExecutions(step: Step, inner: NonNullable<Checkout['inner']>, ground: Ground): Execution[] {
  const span = step.uses?.text.span ?? step.span;
  const [from] = inner.steps;
  return inner.steps
    .flatMap((each) => executionsIn(each, ground))
    .filter((each) => each.step !== from || (from.run !== undefined && each.span.start > inner.span.start))
    .map(({ what, runs }) => ({ step, span, what: `${what} in ${step.uses?.text.value ?? ''}`, runs }));
}

function executionsIn(step: Step, ground: Ground): Execution[] {
  if (step.uses !== undefined) return actionExecutions(step, ground);
  if (step.run === undefined) return [];
  if (shellOf(step) !== 'posix') return plainExecutions(step, ground);
  const ofMatrix = matrixExecution(step, ground);
  if (ofMatrix !== undefined) return [ofMatrix];
  return placedCommands(step).flatMap(({ command, folder }) => {
    const words = command.args.map((word) => pathOf(word, step));
    const [program, called] = programOf(command, step);
    const runs = judge(program, called, words, folder, ground, step) ?? ofListed(command, words, folder, ground, step);
    const image = program === 'docker' && isBareImageBuild(words) ? { onlyInImageBuild: true as const } : {};
    if (runs === undefined) return [];
    const found = { step, span: command.span, what: firstWords(command.text), runs, ...image };
    return isAbsent(command, step) ? [{ ...found, runs: 'likely', absent: program }] : [found];
  });
}

const PASSES_NAMES: ReadonlySet<string> = new Set(['parallel', 'xargs']);

const VALUED = /^-(?:[aEIdLnPsj]|-(?:arg-file|delimiter|max-args|max-lines|max-procs|jobs|replace))$/;

function ofListed(
  command: ShellCommand,
  words: readonly string[],
  folder: Folder,
  ground: Ground,
  step: Step,
): RunsProject | undefined {
  if (!PASSES_NAMES.has(command.program)) return undefined;
  let at = 0;
  while (words[at]?.startsWith('-') === true) at += VALUED.test(words[at] ?? '') ? 2 : 1;
  const inner = words[at]?.split('/').at(-1) ?? '';
  const rest = words.slice(at + 1);
  if (
    !INTERPRETERS.has(inner) ||
    !rest.every((word) => (word.startsWith('-') ? !/^-[a-z]*[cen]$/.test(word) : word === '{}'))
  )
    return undefined;
  const lister = listerBefore(command);
  if (lister === undefined) return undefined;
  const listed = listedPlaces(lister).map((word) => pathOf(word, step));
  const places = listed.length === 0 ? ['.'] : listed;
  return places.some((place) => reaches(folderAt(folder, beforeWildcard(place)), ground)) ? 'certain' : undefined;
}

function beforeWildcard(path: string): string {
  const wildcard = path.search(/[*?[]/);
  return wildcard === -1 ? path : `./${path.slice(0, path.lastIndexOf('/', wildcard) + 1)}`.replace('.//', '/');
}

function programOf({ program, words }: ShellCommand, step: Step): readonly [program: string, called: string] {
  const [first] = words;
  if (program === '' && first !== undefined) {
    const path = pathOf(first, step);
    return path === first.value || !path.includes('/') ? ['', ''] : [path.split('/').at(-1) ?? '', path];
  }
  return [program, words.find(({ value }) => value.split('/').at(-1) === program)?.value ?? program];
}

function matrixExecution(step: Step, ground: Ground): Execution | undefined {
  const span = step.run?.span;
  if (span === undefined) return undefined;
  for (const value of matrixCommands(step)) {
    const runs = commandLine(value, startFolder(step), ground, step);
    if (runs !== undefined) return { step, span, what: firstWords(value), runs };
  }
  return undefined;
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
  if (called.includes('/')) {
    if (runsFile(called, folder, ground, step)) return 'certain';
    return reaches(at, ground) && isSaved(called.split('/').at(-1) ?? '', step) ? 'likely' : undefined;
  }
  if (INTERPRETERS.has(program)) return interpreted(program, words, at, ground, step);
  if (PACKAGE_RUNNERS.has(program)) return runner(words, folder, ground, step);
  if (program === 'docker' || program === 'podman') {
    const inside = inContainer(words, folder, ground, step);
    if (inside !== undefined) return inside;
  }
  if (program === 'find') return inFind(words, folder, ground, step);
  const runs = runsProject(program, words);
  if (runs === undefined) return reaches(at, ground) && isSaved(`/bin/${program}`, step) ? 'likely' : undefined;
  const clean =
    ground.pathsAreData && words.some((word) => ground.clean.some((inner) => isWithin(folderAt(folder, word), inner)));
  if (clean) return undefined;
  if (reaches(at, ground)) return runs;
  if (PROJECT_LAUNCHERS.has(program) && /^(?:run|exec)$/.test(words[0] ?? '')) {
    return judge(words[1]?.split('/').at(-1) ?? '', words[1] ?? '', words.slice(2), folder, ground, step);
  }
  return ground.pathsAreData === undefined &&
    words.some((word) => ground.folder !== '' && reaches(folderAt(folder, word.replace(/^.*=/, '')), ground))
    ? runs
    : undefined;
}

function runner(words: readonly string[], folder: Folder, ground: Ground, step: Step): RunsProject | undefined {
  if (!reaches(workingFolder(words, folder), ground)) return undefined;
  const at = words.findIndex(
    (word, index) => !word.startsWith('-') && !/^(?:-p|--package)$/.test(words[index - 1] ?? ''),
  );
  const tool = words[at]?.replace(/(?<=[\w.-])@[\w.^~-]{1,40}$/, '');
  const inner = tool === undefined ? undefined : judge(tool, tool, words.slice(at + 1), folder, ground, step);
  return inner ?? 'likely';
}

const MOUNTED_FOLDER =
  /^(?:type=bind,(?:src|source)=)?["']?(?:\$\{?PWD\}?|\$\(pwd\)|`pwd`|\$\{?GITHUB_WORKSPACE\}?|\$\{\{\s*github\.workspace\s*\}\}|\.)((?:\/[\w./-]{0,200})?)(?:[:,]|$)/;

function mountedFolder(word: string, folder: Folder): Folder {
  const [whole, below = ''] = MOUNTED_FOLDER.exec(word) ?? [];
  return whole === undefined ? undefined : folderAt(folder, `.${below}`);
}

function inContainer(words: readonly string[], folder: Folder, ground: Ground, step: Step): RunsProject | undefined {
  if (words[0] !== 'run') return undefined;
  const mounted = words
    .slice(0, MAX_CONTAINER_WORDS)
    .map((word, index) =>
      /^(?:-v|--volume|--mount)$/.test(words[index - 1] ?? '')
        ? mountedFolder(word, folder)
        : mountedFolder(/^(?:-v|--volume=|--mount=)(.+)$/.exec(word)?.[1] ?? '', folder),
    )
    .find((each) => reaches(each, ground));
  if (mounted === undefined) return undefined;
  for (let at = 2; at < Math.min(words.length, MAX_CONTAINER_WORDS); at += 1) {
    const word = words[at] as string;
    if (word.startsWith('-') || word.includes('=')) continue;
    const found = judge(
      word.split('/').at(-1) ?? '',
      word.replace(/^\/(?!$)/, './'),
      words.slice(at + 1),
      mounted,
      ground,
      step,
    );
    // The container has the files, but not always the credentials.
    if (found !== undefined) return 'likely';
  }
  return undefined;
}

const MAX_CONTAINER_WORDS = 60;

function inFind(words: readonly string[], folder: Folder, ground: Ground, step: Step): RunsProject | undefined {
  const at = words.findIndex((word) => /^-(?:exec|execdir|ok)$/.test(word));
  const inner = at === -1 ? undefined : words[at + 1];
  return inner === undefined ? undefined : judge(inner, inner, words.slice(at + 2), folder, ground, step);
}

function commandLine(text: string, folder: Folder, ground: Ground, step: Step): RunsProject | undefined {
  const lines = text.slice(0, MAX_LINE).split(/&&|\|\||[;\n|]/, MAX_COMMANDS);
  const found = lines.flatMap((line) => {
    const [called = '', ...words] = line.trim().split(/\s+/, MAX_CONTAINER_WORDS);
    return judge(called.split('/').at(-1) ?? '', called, words, folder, ground, step) ?? [];
  });
  return found.find((runs) => runs === 'certain') ?? found[0];
}

const MAX_LINE = 2_000;
const MAX_COMMANDS = 50;

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
  // What a command prints, as in `bash <(curl …)`, is no file of the folder.
  if (path.startsWith('<(')) return false;
  return !ENVIRONMENT_FILE.test(path) && reaches(folderAt(folder, path), ground) && !isFetchedBefore(path, step);
}

function isFetchedBefore(path: string, step: Step): boolean {
  const name = path.split('/').at(-1) ?? path;
  return fetchesIn(step.parent).texts.some(({ index, text }) => index <= step.index && text.includes(name));
}

function isSaved(name: string, step: Step): boolean {
  if (name === '') return false;
  const first = fetchesIn(step.parent).saved.get(name.startsWith('/') ? name : `/${name}`);
  return first !== undefined && first <= step.index;
}

interface Fetches {
  readonly texts: readonly { readonly index: number; readonly text: string }[];
  readonly saved: ReadonlyMap<string, number>;
}

const MAX_FETCHES = 200;
const MAX_FOLDERS = 20;

const fetchesIn = memoByNode(({ steps }: Step['parent']): Fetches => {
  const texts: { readonly index: number; readonly text: string }[] = [];
  const saved = new Map<string, number>();
  for (const step of steps) {
    for (const { program, text } of commandsOf(step)) {
      if (texts.length === MAX_FETCHES) return { texts, saved };
      if (!/^(?:curl|wget|tar|unzip|gh|aws|gsutil)$/.test(program)) continue;
      texts.push({ index: step.index, text });
      if (!/^(?:sudo\s+)?(?:curl|wget)\b/.test(text)) continue;
      for (const word of text.split(/[\s"'=]/)) {
        const parts = word.split('/').slice(-MAX_FOLDERS);
        for (let at = 0; at < parts.length; at += 1) {
          const end = `/${parts.slice(at).join('/')}`;
          if (!saved.has(end)) saved.set(end, step.index);
        }
      }
    }
  }
  return { texts, saved };
});

const SHELLS = /^(?:ba|da|z)?sh$/;

const PARSES_ONLY = /^-[euvx]{0,4}n[euvx]{0,4}$/;

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
    if (PYTHON_PROJECT_MODULES.has(module)) return reaches(folder, ground) ? 'certain' : undefined;
    // Python looks for the module in the folder first.
    return module !== '' && !PYTHON_OWN_MODULES.has(module) && reaches(folder, ground) ? 'certain' : undefined;
  }
  const code = words.findIndex((word) => /^-[a-z]*c$/.test(word));
  if (code !== -1 && SHELLS.test(program)) {
    return commandLine(words[code + 1] ?? '', folder, ground, step);
  }
  if (words.some((word) => /^-(?:c|e|p)$|^--(?:eval|command|print)$/.test(word))) return undefined;
  const at = words.findIndex((word) => !word.startsWith('-') && word !== '');
  const file = words[at];
  if (SHELLS.test(program) && words.slice(0, at).some((word) => PARSES_ONLY.test(word))) return undefined;
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
  if (program === 'R')
    return words[0] === 'CMD' && /^(?:INSTALL|build|check)$/.test(words[1] ?? '') ? 'certain' : undefined;
  if (program === 'jupyter' && words[0] === 'nbconvert') return words.includes('--execute') ? 'certain' : undefined;
  // With a new version npm runs the scripts around it.
  if (program === 'npm' && words[0] === 'version' && words.slice(1).some((word) => !word.startsWith('-')))
    return 'certain';
  if (PROJECT_PROGRAMS.has(program)) return 'certain';
  if (program === 'pip' || program === 'pip3') return pip(words);
  if (program === 'uv' && words[0] === 'pip') return pip(words.slice(1));
  const known = ownValue(PROJECT_SUBCOMMANDS, program);
  if (known === undefined) return undefined;
  const verb = words.find((word) => !word.startsWith('-') || known.except?.includes(word) === true) ?? '';
  if (known.only?.includes(verb) === false || known.except?.includes(verb) === true) return undefined;
  if (known.unless?.some((word) => words.includes(word)) === true) return undefined;
  return known.certain?.includes(verb) === true ? 'certain' : (known.runs ?? 'certain');
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
  const at = folderAt(
    '',
    FOLDER_INPUTS.map((input) => inputOf(step, input)?.value).find((path) => path !== undefined) ?? '',
  );
  const commanded = RUNS_ELSEWHERE.test(action.slug) ? undefined : commandInputs(step, at, ground);
  if (commanded?.runs === 'certain') return [{ ...commanded, step, span }];
  const known = PROJECT_ACTIONS[action.name] ?? PROJECT_ACTIONS[FORMER_ACTION_NAMES[action.slug] ?? action.slug];
  if (known === undefined) return commanded === undefined ? [] : [{ ...commanded, step, span }];
  const input = known.input === undefined ? undefined : inputOf(step, known.input);
  if (known.input !== undefined && (input === undefined || isFalse(input))) return [];
  if (known.unless !== undefined && isTrue(inputOf(step, known.unless))) return [];
  const apart = action.slug === 'docker/build-push-action' && OPENS_IMAGE_BUILD.every((each) => !inputOf(step, each));
  return reaches(at, ground)
    ? [{ step, span, what: name, runs: known.runs, ...(apart ? { onlyInImageBuild: apart } : {}) }]
    : [];
}

const FOLDER_INPUTS = ['working-directory', 'working_directory', 'context', 'workdir', 'directory', 'cwd'];

function commandInputs(
  step: Step,
  folder: Folder,
  ground: Ground,
): { readonly what: string; readonly runs: RunsProject } | undefined {
  let likely: string | undefined;
  for (const { name, value } of step.with?.entries ?? []) {
    if (!COMMAND_INPUT.test(name)) continue;
    for (const { program, args, words, text } of commandsIn(value)) {
      const called = words.find((word) => word.value.split('/').at(-1) === program)?.value ?? program;
      const given = args.map((arg) => arg.value);
      // A single word such as `build: next` may be a mode.
      if (given.length === 0 && !called.includes('/') && !/command|cmd|script|run/i.test(name)) continue;
      const runs = judge(program, called, given, folder, ground, step);
      const what = `${firstWords(text)} in ${step.uses?.text.value ?? ''}`;
      if (runs === 'certain') return { what, runs };
      if (runs !== undefined) likely ??= what;
    }
  }
  return likely === undefined ? undefined : { what: likely, runs: 'likely' };
}
