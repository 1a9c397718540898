import { READING_ACTIONS } from '#lib/data/curated/reading-actions.ts';
import { accessedPaths, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import { actionOf, innermostSteps, inputOf, usedSteps } from '#lib/workflow/model/action-uses.ts';
import { type Job, jobOf, type Step, type Text } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { ScriptIndex } from '#lib/workflow/shell/assignments.ts';
import { commandFileWrites } from '#lib/workflow/shell/command-files.ts';
import { environmentValue, withStatedVariables } from '#lib/workflow/shell/env-lookup.ts';
import { commandWith, type ShellCommand } from '#lib/workflow/shell/shell.ts';
import { folderAt } from '#lib/workflow/shell/working-directory.ts';
import { ownValue } from '#lib/workflow/text/own-value.ts';
import { textsBelow } from '#lib/workflow/yaml/texts.ts';
import { replacesFolder } from '../checkouts/checked-out-files.ts';
import { isOutsideWorkspace, locationOf, locationOfCommand, workspaceFolder } from '../checkouts/locations.ts';
import { liesIn } from '../checkouts/placed-files.ts';
import type { ForeignDownload } from '../checkouts/run-artifacts.ts';
import { memoByNode, RepositoryMemo } from '../memo.ts';
import { publishesIn } from '../publishing/publish.ts';
import { neededJobs } from '../reachability/needed-jobs.ts';
import { writesOfName } from '../values/output-file-values.ts';
import { mayHoldFileText } from '../values/script-file-flow.ts';
import { sourcesOfWord } from '../values/value-sources.ts';
import { commandsAfter, isMadeByJob, madeFolders } from './made-files.ts';
import { settingsReaderIn } from './settings-readers.ts';
import { originsOfCommand, originsOfWrite, type TaintedSource } from './tainted-sources.ts';
import { executionsInside } from './workspace-execution.ts';

export interface ArtifactUse {
  readonly kind:
    | 'committed'
    | 'executed'
    | 'expanded'
    | 'variables'
    | 'overwrites'
    | 'settings'
    | 'shipped'
    | 'published'
    | 'read';
  readonly detail: string;
  /** Set if an unknown action stands between the files and what happens. */
  readonly unsure?: true;
  readonly job?: Job;
}

const INTERPRETERS: ReadonlySet<string> = new Set(
  '. bash bun deno node perl php python python3 ruby sh source zsh'.split(' '),
);

const BUILDERS: ReadonlySet<string> = new Set(
  'ant bazel bun bundle cargo cmake composer dotnet go gradle gradlew invoke just make mise mvn mvnw ninja nox npm npx nx pip pnpm poetry pre-commit pytest python python3 rake rush task tox turbo uv yarn'.split(
    ' ',
  ),
);

export function useOf(download: ForeignDownload, repository: Repository): ArtifactUse | undefined {
  const job = jobOf(download.step);
  if (job === undefined) return undefined;
  const end = replacedAt(download);
  const inner = withActionsOnce(job.steps.slice(download.step.index, end), download, repository);
  const all = end === undefined ? inner : withActionsOnce(job.steps.slice(download.step.index), download, repository);
  for (const find of [executed, variables, expanded, overwrites, settings, shipped, published, committed, read]) {
    for (const step of find === expanded ? all : inner) {
      const use = find(download, step, repository);
      if (use !== undefined) return use;
    }
  }
  return undefined;
}

const replacedAt = memoByNode(({ step: { parent, index }, folder }: ForeignDownload): number | undefined => {
  const placed = workspaceFolder(folder);
  if (placed === undefined) return undefined;
  return parent.steps.find((step) => step.index > index && replacesFolder(step, placed))?.index;
});

function isBeforeEnd(step: Step, download: ForeignDownload): boolean {
  return step.index < (replacedAt(download) ?? Number.POSITIVE_INFINITY);
}

function withActionsOnce(steps: readonly Step[], download: ForeignDownload, repository: Repository): Set<Step> {
  const all = new Set<Step>();
  const entered = new Set<readonly Step[]>();
  for (const step of steps) {
    all.add(step);
    const own = step === download.step ? download.stepsAfterDownload : usedSteps(step, repository);
    if (own.length === 0 || entered.has(own)) continue;
    entered.add(own);
    for (const inner of innermostSteps(own, repository)) all.add(inner);
  }
  return all;
}

function executed(download: ForeignDownload, step: Step, repository: Repository): ArtifactUse | undefined {
  // With a checkout in the workspace, a path alone does not show whose file it is.
  if (download.folder === undefined && checkoutBefore(download) !== undefined) return undefined;
  const placed = { folder: download.folder, from: 'artifact' as const };
  for (const command of commandsAfter(download, step)) {
    const name = command.words[0]?.value ?? '';
    const target = INTERPRETERS.has(command.program)
      ? command.args.find(({ value }) => !value.startsWith('-'))?.value
      : name.includes('/')
        ? name
        : undefined;
    const inside =
      target !== undefined &&
      !target.startsWith('<(') &&
      /[./]/.test(target) &&
      liesInside(target, placed, step) &&
      !isMadeByJob(target, download, command, step);
    if (
      inside ||
      runsText(command, placed, step) ||
      loadsFile(command, placed, step) ||
      startsImage(command, placed, step, repository)
    )
      return { kind: 'executed', detail: command.text.split('\n')[0] as string };
  }
  const folder = workspaceFolder(download.folder);
  if (folder === undefined || (step === download.step && step.run === undefined)) return undefined;
  const clean = [...checkedOutFolders(step), ...madeFolders(download, step)];
  const inFolder = executionsInside(step, folder, clean).filter(
    ({ span }) => step.parent !== download.step.parent || span.start > download.span.start,
  );
  const built = inFolder.find(({ runs }) => runs === 'certain');
  if (built !== undefined) return { kind: 'executed', detail: built.what };
  const mounted = inFolder.find(({ what }) => /^(?:sudo )?(?:docker|podman) run\b/.test(what));
  return mounted === undefined ? undefined : { kind: 'executed', detail: mounted.what, unsure: true };
}

function startsImage(
  { program, args, redirects }: ShellCommand,
  placed: Placed,
  step: Step,
  repository: Repository,
): boolean {
  const [verb] = args;
  if (!/^(?:docker|podman)$/.test(program) || !/^(?:load|import)$/.test(verb?.value ?? '')) return false;
  const at = args.findIndex(({ value }) => /^(?:-i|--input)$/.test(value));
  const file =
    args[at + 1]?.value === verb?.value
      ? redirects.find(({ operator }) => operator === '<')?.target?.value
      : args[at + 1]?.value;
  if (file === undefined || !liesInside(file, placed, step)) return false;
  const next = step.parent.steps.slice(step.index, step.index + MAX_IMAGE_STEPS);
  return innermostSteps(next, repository).some(({ run }) =>
    /\b(?:docker|podman)\s+(?:run|compose\b.{0,100}\bup)\b/.test(run?.value ?? ''),
  );
}

const MAX_IMAGE_STEPS = 20;

function committed(download: ForeignDownload, step: Step): ArtifactUse | undefined {
  const folder = workspaceFolder(download.folder);
  if (folder === undefined || checkoutBefore(download) === undefined) return undefined;
  let added = false;
  for (const { program, args } of commandsAfter(download, step)) {
    const [verb, ...words] = args.map(({ value }) => value);
    if (program !== 'git') continue;
    if (verb === 'add') {
      added ||= words.some((word) => /^(?:-A|--all|\.)$/.test(word) || isBelow(word, folder) || folder === '');
    }
    if (verb === 'push' && added) return { kind: 'committed', detail: 'git push' };
  }
  return undefined;
}

type Placed = Parameters<typeof liesIn>[1];

/** `eval "$(cat file)"` runs the file, and `export $(cat file)` sets any variable for what comes next. */
function runsText({ program, args }: ShellCommand, placed: Placed, step: Step): boolean {
  if (program === 'xargs' && args.some(({ value }) => SHELL.test(value)) && args.some(({ value }) => value === '-c')) {
    const at = args.findIndex(({ value }) => /^(?:-a|--arg-file)$/.test(value));
    const file = args[at + 1]?.value;
    return at !== -1 && file !== undefined && liesIn(file, placed, step);
  }
  if (program !== 'eval' && program !== 'export' && !(SHELL.test(program) && args.some(({ value }) => value === '-c')))
    return false;
  return args.some((word) =>
    sourcesOfWord(word, step).some(
      (source) =>
        source.kind === 'file' &&
        source.checked !== 'number' &&
        /\w/.test(source.operand) &&
        liesIn(source.operand, placed, step),
    ),
  );
}

const SHELL = /^(?:ba|da|z)?sh$/;
const INSTALLS: Readonly<Record<string, RegExp>> = {
  apk: /^add$/,
  apt: /^install$/,
  'apt-get': /^install$/,
  bun: /^(?:add|install|i)$/,
  cargo: /^install$/,
  dpkg: /^-i$/,
  gem: /^install$/,
  npm: /^(?:install|i|add)$/,
  pip: /^install$/,
  pip3: /^install$/,
  pnpm: /^(?:add|install|i)$/,
  uv: /^(?:add|install)$/,
  yarn: /^add$/,
};
const LOADED =
  /^(?:LD_PRELOAD|LD_LIBRARY_PATH|NODE_OPTIONS|NODE_PATH|PATH|PYTHONPATH|PYTHONSTARTUP|RUBYOPT|BASH_ENV|GIT_SSH_COMMAND)$/;

const HERE = /^(?:\$\{?PWD\}?|\$\(pwd\)|`pwd`|\$\{?GITHUB_WORKSPACE\}?)\//;

function beforeStar(path: string): string {
  const star = path.indexOf('*');
  return star === -1 ? path : path.slice(0, star);
}

function loadsFile({ program, args, assignments }: ShellCommand, placed: Placed, step: Step): boolean {
  if (placed.folder === undefined) return false;
  const inside = (word: string): boolean => {
    const path = beforeStar(word.replace(/^file:/, '').replace(HERE, './'));
    return path.includes('/') && !path.startsWith('-') && liesInside(path, placed, step);
  };
  const all = args.map(({ value }) => value);
  const words = program === 'uv' && all[0] === 'pip' ? all.slice(1) : all;
  if (
    ownValue(INSTALLS, program)?.test(words.find((word, index) => !word.startsWith('-') || index === 0) ?? '') === true
  ) {
    return words.some(inside);
  }
  if (program === 'docker' && /^(?:build|buildx)$/.test(words[0] ?? ''))
    return words.some((word) => inside(`${word}/`));
  return assignments.some(({ name, value }) => LOADED.test(name) && value.value.split(/[:=\s]/).some(inside));
}

function checkedOutFolders({ parent, index }: Step): string[] {
  return checkoutsIn(parent).flatMap((checkout) => (checkout.index < index ? [checkout.folder] : []));
}

const checkoutsIn = memoByNode(({ steps }: Step['parent']) =>
  steps.flatMap((step) => {
    const path = actionOf(step)?.slug === 'actions/checkout' ? inputOf(step, 'path') : undefined;
    const folder = path && folderAt('', path.value);
    return folder === undefined ? [] : [{ index: step.index, folder }];
  }),
);

function liesInside(target: string, placed: Parameters<typeof liesIn>[1], step: Step): boolean {
  const plain = placed.folder === undefined || workspaceFolder(placed.folder) !== undefined;
  if (plain && /^(?:\/|\$|~|\.\.)/.test(target)) return false;
  if (placed.folder !== undefined && !target.includes('/')) return false;
  return liesIn(target, placed, step);
}

function variables(download: ForeignDownload, step: Step, repository: Repository): ArtifactUse | undefined {
  for (const write of commandFileWrites(step)) {
    if (write.file !== 'env' && write.file !== 'path') continue;
    const fromFile = originsOfWrite(write, step, repository).find(
      ({ kind, multiline }) => kind === 'file' && multiline,
    );
    if (fromFile !== undefined && !write.randomDelimiter && !isPlainCheckoutFile(download, fromFile.source)) {
      return { kind: 'variables', detail: write.file === 'env' ? 'GITHUB_ENV' : 'GITHUB_PATH' };
    }
  }
  return undefined;
}

function isFile({ kind, checked }: TaintedSource): boolean {
  return kind === 'file' && checked === undefined;
}

function isPlainCheckoutFile(download: ForeignDownload, source: string): boolean {
  return download.folder === undefined && checkoutBefore(download) !== undefined && !/artifact/.test(source);
}

function expanded(download: ForeignDownload, step: Step, repository: Repository): ArtifactUse | undefined {
  const found = expandedIn(step, download, repository, (path) => [path]);
  const job = jobOf(step);
  if (found !== undefined || job === undefined || step !== download.step) return found;
  for (const later of job.workflow.jobs) {
    if (later === job || !neededJobs(later).includes(job)) continue;
    for (const each of later.steps) {
      const use = expandedIn(each, download, repository, (path) => passedOn(path, later, job));
      if (use !== undefined) return { ...use, job: later };
    }
  }
  return undefined;
}

function expandedIn(
  step: Step,
  download: ForeignDownload,
  repository: Repository,
  resolve: (path: string) => readonly string[],
): ArtifactUse | undefined {
  const script = step.run ?? (actionOf(step)?.slug === 'actions/github-script' ? inputOf(step, 'script') : undefined);
  for (const path of script === undefined ? [] : pathsIn(script)) {
    const outputs = resolve(path);
    if (holdsFileVariable(path, step, download, repository)) return { kind: 'expanded', detail: path };
    if (outputs.some((output) => holdsArtifactText(output, download, repository)))
      return { kind: 'expanded', detail: path };
    if (outputs.some((output) => mayHoldArtifactText(output, download))) {
      return { kind: 'expanded', detail: path, unsure: true };
    }
  }
  return undefined;
}

function pathsIn(text: Text): string[] {
  return expressionsIn(text).flatMap(({ node }) => (node === undefined ? [] : accessedPaths(node)));
}

function passedOn(path: string, later: Job, job: Job): string[] {
  const [context, id, outputs, name] = path.split('.');
  if (context === 'matrix' && later.matrix !== undefined) {
    return textsBelow(later.matrix)
      .flatMap(pathsIn)
      .filter((inner) => inner.startsWith('needs.'))
      .flatMap((inner) => passedOn(inner, later, job));
  }
  if (context !== 'needs' || outputs !== 'outputs' || id !== job.id.toLowerCase() || name === undefined) return [];
  const text = job.outputs?.get(name)?.value;
  return text === undefined ? [] : pathsIn(text);
}

function holdsArtifactText(path: string, download: ForeignDownload, repository: Repository): boolean {
  const [context, id, outputs, name] = path.split('.');
  if (context !== 'steps' || outputs !== 'outputs' || id === undefined || name === undefined) return false;
  const source = download.step.parent.steps.find(
    (one) => one.id?.value.toLowerCase() === id && one.index > download.step.index - 1,
  );
  if (source === undefined || !isBeforeEnd(source, download)) return false;
  return readByAction(source, name, download) || holdsFileText(source, name, repository);
}

function holdsFileVariable(path: string, step: Step, download: ForeignDownload, repository: Repository): boolean {
  const from = download.step;
  const [context, name] = path.split('.');
  if (context !== 'env' || name === undefined || step.parent !== from.parent) return false;
  if (environmentValue(name, step) !== undefined) return false;
  const { parent, index: first } = from;
  const setters = settersOfVariable.get(repository, parent, name, () =>
    parent.steps.flatMap((setter): Setter[] => {
      const writes = writesOfName(setter, 'env', name);
      const ofFile = writes.some(({ write, words }) =>
        originsOfWrite({ ...write, words }, setter, repository).some(isFile),
      );
      return writes.length === 0 ? [] : [{ index: setter.index, certain: setter.condition === undefined, ofFile }];
    }),
  );
  const before = setters.filter(({ index }) => index >= first && index < step.index);
  const last = before.findLastIndex(({ certain }) => certain);
  const end = replacedAt(download) ?? Number.POSITIVE_INFINITY;
  return before.slice(Math.max(0, last)).some(({ index, ofFile }) => ofFile && index < end);
}

interface Setter {
  readonly index: number;
  readonly certain: boolean;
  readonly ofFile: boolean;
}

const settersOfVariable = new RepositoryMemo<Step['parent'], string, readonly Setter[]>();

const PATH = /^[\w./~-]{1,200}$/;
const FILE = /^[\w./-]{1,190}\.(?:csv|env|json|md|properties|toml|txt|xml|ya?ml)$/i;

function mayHoldArtifactText(path: string, download: ForeignDownload): boolean {
  const [context, id, outputs] = path.split('.');
  const { folder } = download;
  if (context !== 'steps' || outputs !== 'outputs') return false;
  if (folder === undefined && checkoutBefore(download) !== undefined) return false;
  const source = download.step.parent.steps.find(
    (one) => one.id?.value.toLowerCase() === id && one.index > download.step.index,
  );
  const action = source && actionOf(source);
  if (source === undefined || action === undefined || !isBeforeEnd(source, download)) return false;
  if (/^(?:actions|github|docker)$/i.test(action.owner)) return false;
  return (source.with?.entries ?? []).some(
    ({ value }) =>
      (folder === undefined ? FILE : PATH).test(value.value.trim()) &&
      liesIn(value.value.trim(), { folder, from: 'checkout' }, source),
  );
}

function readByAction(step: Step, name: string, { folder }: ForeignDownload): boolean {
  if (name !== ownValue(READING_ACTIONS, actionOf(step)?.name ?? '')) return false;
  const path = inputOf(step, 'path')?.value;
  return path !== undefined && liesIn(path, { folder, from: 'artifact' }, step);
}

function holdsFileText(step: Step, name: string, repository: Repository): boolean {
  const script = actionOf(step)?.slug === 'actions/github-script' ? inputOf(step, 'script') : undefined;
  if (script !== undefined) return readsUnchecked(script) && mayHoldFileText(step, name);
  return writesOfName(step, 'output', name).some(({ write, words }) =>
    originsOfWrite({ ...write, words }, step, repository).some(isFile),
  );
}

const READS_FILE = /\breadFile(?:Sync)?\s*\(|\brequire\s*\(\s*['"`]\.{0,2}\//;
const TO_NUMBER = /\b(?:parseInt|Number|parseFloat)\s*\(|\bisInteger\b|\/\^[^/\n]+\$\/|\.match\(|\.test\(/;

function readsUnchecked(script: Text): boolean {
  return READS_FILE.test(script.value) && !TO_NUMBER.test(script.value);
}

function overwrites(download: ForeignDownload, step: Step): ArtifactUse | undefined {
  const git = gitOver(download, step);
  if (git !== undefined) return { kind: 'overwrites', detail: git };
  if (download.folder !== undefined || checkoutBefore(download) === undefined) return undefined;
  const reference = step.uses?.reference;
  if (reference?.kind === 'local' && step !== download.step)
    return { kind: 'overwrites', detail: step.uses?.text.value ?? '' };
  for (const command of commandsAfter(download, step)) {
    const name = command.words[0]?.value ?? '';
    const runs =
      (BUILDERS.has(command.program) && !isInstallOfNames(command)) ||
      (/^(?:\.\/|[\w-]+\/)/.test(name) && !name.startsWith('/')) ||
      (INTERPRETERS.has(command.program) && command.args.some(({ value }) => /\.\w+$/.test(value)));
    if (runs) return { kind: 'overwrites', detail: command.text.split('\n')[0] as string };
  }
  return undefined;
}

function settings(download: ForeignDownload, step: Step): ArtifactUse | undefined {
  const folder = workspaceFolder(download.folder);
  if (folder === undefined || download.step.run !== undefined) return undefined;
  const reader = settingsReaderIn(step, folder);
  return reader === undefined ? undefined : { kind: 'settings', detail: reader.what };
}

const USES_CONFIG = /^(?:add|am|checkout|commit|diff|fetch|merge|pull|push|rebase|reset|restore|stash|status|switch)$/;

const COMMITTING_ACTIONS: ReadonlySet<string> = new Set([
  'endbug/add-and-commit',
  'peter-evans/create-pull-request',
  'stefanzweifel/git-auto-commit-action',
]);

function gitOver(download: ForeignDownload, step: Step): string | undefined {
  const folder = workspaceFolder(download.folder);
  if (folder === undefined || !isCheckedOutAt(folder, download)) return undefined;
  if (step !== download.step && COMMITTING_ACTIONS.has(actionOf(step)?.slug ?? '') && folder === '')
    return step.uses?.text.value;
  for (const command of commandsAfter(download, step)) {
    if (command.program !== 'git') continue;
    const words = command.args.map(({ value }) => value);
    const [verb = '', below = ''] = words[0] === '-C' ? [words[2], words[1]] : words;
    const at = locationOfCommand(step, command);
    const target = words[0] === '-C' && at !== undefined ? folderAt(at, below) : at;
    if (USES_CONFIG.test(verb) && target === folder) return command.text.split('\n')[0];
  }
  return undefined;
}

function isCheckedOutAt(folder: string, { step }: ForeignDownload): boolean {
  if (folder === '' && step.parent.kind === 'action') return false;
  return (firstCheckouts(step.parent).get(folder) ?? step.index) < step.index;
}

const firstCheckouts = memoByNode(({ steps }: Step['parent']): ReadonlyMap<string | undefined, number> => {
  const checkouts = steps.filter((step) => actionOf(step)?.slug === 'actions/checkout').toReversed();
  return new Map(checkouts.map((step) => [folderAt('', inputOf(step, 'path')?.value ?? ''), step.index]));
});

function isInstallOfNames({ args }: ShellCommand): boolean {
  const line = args.map(({ value }) => value).join(' ');
  return /^(?:install (?:-\S+ )*[a-z@]|(?:i|install|add) -g\b|-c\b|--version\b|tool install\b|-m (?:pip|venv)\b)/.test(
    line,
  );
}

function checkoutBefore({ step }: ForeignDownload): Step | undefined {
  const first = firstWholeCheckout(step.parent);
  return first !== undefined && first.index < step.index ? first : undefined;
}

const firstWholeCheckout = memoByNode(({ steps }: Step['parent']): Step | undefined =>
  steps.find((step) => actionOf(step)?.slug === 'actions/checkout' && inputOf(step, 'path') === undefined),
);

const SHIPS: ReadonlySet<string> = new Set(['attest', 'image', 'package', 'release', 'sign']);

function shipped(download: ForeignDownload, step: Step): ArtifactUse | undefined {
  const { folder } = download;
  if (folder === undefined || (step === download.step && step.run === undefined)) return undefined;
  const publish = publishesIn(step).find(({ kind }) => SHIPS.has(kind));
  if (publish === undefined) return undefined;
  const byDefault = publish.name === 'pypa/gh-action-pypi-publish' && step.with?.get('packages-dir') === undefined;
  const named = names(step, folder) || (byDefault && workspaceFolder(folder) === 'dist');
  return named ? { kind: 'shipped', detail: publish.name } : undefined;
}

function names(step: Step, folder: string): boolean {
  const given = [...((step.run === undefined ? step.with : step.env)?.entries ?? [])].map(({ value }) => value.value);
  const texts = step.run === undefined ? given : [step.run.value, ...given];
  const wanted = locationOf(folder);
  if (wanted === undefined) return false;
  return texts.some((text) => wordsOf(withStatedVariables(text, step)).some((word) => isBelow(word, wanted)));
}

function wordsOf(text: string): string[] {
  return text
    .replace(/\$\{\{\s*runner\.temp\s*\}\}/gi, '$RUNNER_TEMP')
    .replace(/\$\{\{\s*github\.workspace\s*\}\}/gi, '$GITHUB_WORKSPACE')
    .replace(/["']/g, '')
    .split(/[\s,;=]+/);
}

function isBelow(word: string, folder: string): boolean {
  const star = word.indexOf('*');
  const location = locationOf(star === -1 ? word : word.slice(0, word.lastIndexOf('/', star) + 1) || '.');
  return location === folder || location?.startsWith(`${folder}/`) === true;
}

function published(download: ForeignDownload, step: Step): ArtifactUse | undefined {
  if (step === download.step && step.run === undefined) return undefined;
  const [publish] = publishesIn(step);
  if (isOutsideWorkspace(download.folder) && !names(step, download.folder ?? '')) return undefined;
  return publish === undefined ? undefined : { kind: 'published', detail: publish.name };
}

function read(download: ForeignDownload, step: Step, repository: Repository): ArtifactUse | undefined {
  const script = actionOf(step)?.slug === 'actions/github-script' ? inputOf(step, 'script') : undefined;
  if (script !== undefined && step !== download.step && readsUnchecked(script) && mayRead(script, download)) {
    return { kind: 'read', detail: 'a script' };
  }
  for (const write of commandFileWrites(step)) {
    const foreign = originsOfWrite(write, step, repository).some(isFile);
    if (write.file === 'output' && foreign) return { kind: 'read', detail: 'an output of the step' };
    if (write.file === 'env' && foreign) return { kind: 'read', detail: 'a variable of the job' };
  }
  for (const command of commandsAfter(download, step)) {
    if (command.assignments.length === 0 && !/^(?:gh|curl|git)$/.test(command.program)) continue;
    if (isCheckedLater(command, step)) continue;
    const words = commandWith(command, { args: [...command.args, ...command.assignments.map(({ value }) => value)] });
    const file = originsOfCommand(words, step, repository).find(isFile);
    if (file !== undefined) return { kind: 'read', detail: command.text.split('\n')[0] as string };
  }
  return undefined;
}

function mayRead({ value }: Text, { folder }: ForeignDownload): boolean {
  if (folder === undefined || !isOutsideWorkspace(folder)) return true;
  const last = folder.split('/').at(-1) ?? '';
  return /RUNNER_TEMP|runner\.temp|process\.env|homedir|tmpdir/.test(value) || (last !== '' && value.includes(last));
}

function isCheckedLater({ assignments }: ShellCommand, step: Step): boolean {
  return assignments.some(({ name }) => ScriptIndex.of(step).isChecked(name));
}
