import { accessedPaths, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import { actionOf, inputOf, isTrue, originOf } from '#lib/workflow/model/action-uses.ts';
import type { Job, Step, Text, Trigger, Workflow } from '#lib/workflow/model/model.ts';
import { isFullSha } from '#lib/workflow/model/reference.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { environmentValue, withStatedVariables } from '#lib/workflow/shell/env-lookup.ts';
import { commandsOf, type ShellCommand } from '#lib/workflow/shell/shell.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { memoByNode, RepositoryMemo } from '../memo.ts';
import { givenInput, type PlacedStep, withInnerSteps } from '../reachability/composites.ts';
import { reachOf } from '../reachability/events.ts';
import { followsPullRequests } from '../reachability/followed-runs.ts';
import { outsiderEvents, privilegedOutsiderEvents, workflowOutsiderEvents } from '../reachability/outsider-reach.ts';
import { locationOf, locationOfCommand } from './locations.ts';

/**
 * `fork`: a fork's pull request runs a producer from its own workflow file. `data`: outsiders start a producer that runs
 * the repository's code on their data. `conditional`: a job of this run built it from fork code after an approval.
 * `unknown`: the producer is not in the repository, and nothing tells what started it. `conditionsToDrop` exclude forks,
 * but in a file of which a fork's pull request runs its own version.
 */
export interface ForeignDownload {
  readonly step: Step;
  readonly how: string;
  readonly span: Span;
  readonly name: string | undefined;
  readonly folder: string | undefined;
  readonly producers: readonly Workflow[];
  readonly trust: 'fork' | 'data' | 'conditional' | 'unknown';
  readonly conditionsToDrop: boolean;
  readonly madeBy: Job | undefined;
  readonly stepsAfterDownload: readonly Step[];
}

const RUN_SEARCHING_ACTIONS: ReadonlySet<string> = new Set([
  'aochmann/actions-download-artifact',
  'bettermarks/action-artifact-download',
  'dawidd6/action-download-artifact',
  'levonet/action-download-last-artifact',
  'marcofaggian/action-download-multiple-artifacts',
  'redhat-plumbers-in-action/download-artifact',
]);

const ARCHIVE_ACTIONS: ReadonlySet<string> = new Set(['carpentries/actions/download-workflow-artifact']);

const DAWIDD6_SKIPS_FORKS_SINCE = 6;

interface Candidate {
  readonly step: Step;
  readonly how: string;
  readonly span: Span;
  readonly name: string | undefined;
  readonly folder: string | undefined;
  readonly run: Text | undefined;
  readonly workflow: string | undefined;
}

function candidatesOf(placed: PlacedStep): Candidate[] {
  const { step, caller } = placed;
  const action = actionOf(step);
  if (action !== undefined && step.uses !== undefined) {
    const given = (name: string): Text | undefined => givenInput(placed, name);
    const literal = (name: string): string | undefined => literalOf(given(name));
    const folder = folderIn(given('path'), step);
    const common = { step, span: step.uses.span, how: `${action.owner}/${action.repo}` };
    if (action.slug === 'actions/download-artifact') {
      const run = given('run-id');
      if (run === undefined || run.value.trim() === '' || readsOnly(run, 'github.run_id')) return [];
      // Without a token the action ignores the run and takes the artifacts of its own (actions/download-artifact#295).
      if ((given('github-token')?.value.trim() ?? '') === '') return [];
      return [{ ...common, name: literal('name'), folder, run, workflow: undefined }];
    }
    if (RUN_SEARCHING_ACTIONS.has(action.slug)) {
      const run = given('run_id');
      const event = literal('event');
      if (event !== undefined && /^(?:push|schedule|release|workflow_dispatch)$/.test(event)) return [];
      if (run === undefined && action.slug === 'dawidd6/action-download-artifact' && leavesForksOut(step, action.ref)) {
        return [];
      }
      return [{ ...common, name: literal('name'), folder, run, workflow: literal('workflow') }];
    }
    if (ARCHIVE_ACTIONS.has(action.name)) {
      return unpackedTo(step, step.span.start, caller, []).map((into) => ({
        ...common,
        name: literal('name'),
        folder: into,
        run: given('run'),
        workflow: undefined,
      }));
    }
    const script = action.slug === 'actions/github-script' ? inputOf(step, 'script') : undefined;
    if (script === undefined || !/\bdownloadArtifact\s*\(/.test(script.value)) return [];
    return unpackedTo(step, step.span.start, caller, savedByScript(script)).map((into) => ({
      ...common,
      how: 'a script through the REST API',
      name: /\.name\s*={2,3}\s*["'`]([\w.-]+)["'`]/.exec(script.value)?.[1],
      folder: into,
      run: undefined,
      workflow: undefined,
    }));
  }
  if (!/run download|\/artifacts\//.test(step.run?.value ?? '')) return [];
  return commandsOf(step).flatMap((command) => commandCandidates(step, command, caller));
}

const downloadsByJob = new RepositoryMemo<Job, Job, readonly ForeignDownload[]>();

export function downloadsOfRuns(job: Job, repository: Repository): readonly ForeignDownload[] {
  return downloadsByJob.get(repository, job, job, () => {
    const steps = withInnerSteps(job.steps, repository).filter(({ step }) => mayDownload(step));
    return steps.flatMap((placed) => {
      const { step, caller = step } = placed;
      const candidates = candidatesOf(placed);
      if (candidates.length === 0 || privilegedOutsiderEvents(caller, repository).length === 0) return [];
      return candidates.flatMap((candidate) => {
        const own = placed.caller === undefined ? candidate : { ...candidate, step: caller, span: caller.span };
        const judged = judge(own, job, repository);
        if (judged === undefined) return [];
        return [placed.caller === undefined ? judged : insideOf(caller, step, judged)];
      });
    });
  });
}

function insideOf(caller: Step, { parent, index }: Step, download: ForeignDownload): ForeignDownload {
  const how = parent.kind === 'action' ? `${download.how}${originOf(parent)}` : download.how;
  return {
    ...download,
    how,
    span: caller.uses?.span ?? caller.span,
    stepsAfterDownload: parent.steps.slice(index + 1),
  };
}

function mayDownload({ uses, run, with: inputs }: Step): boolean {
  return (
    /artifact/i.test(uses?.text.value ?? '') ||
    /artifact|run download/.test(run?.value ?? '') ||
    inputs?.get('script')?.value.value.includes('downloadArtifact') === true
  );
}

const MAX_COMMANDS = 2_000;
const MAX_UNPACKED = 100;
const MAX_FOLDERS = 5;

interface Unpacked {
  readonly start: number;
  readonly archive: string | undefined;
  readonly folder: string | undefined;
}

function unpackedTo(
  step: Step,
  after: number,
  caller: Step | undefined,
  saved: readonly string[],
): readonly (string | undefined)[] {
  const found = unpackedAfter(step, after, caller);
  const [first] = found;
  if (first === undefined) return [undefined];
  const named = found.filter(({ archive }) => archive !== undefined && saved.includes(baseName(archive)));
  const again = found.filter((one) => one === first || (first.archive !== undefined && one.archive === first.archive));
  const folders = new Set((named.length > 0 ? named : again).map(({ folder }) => folder));
  return [...folders].slice(0, MAX_FOLDERS);
}

function unpackedAfter(step: Step, after: number, caller: Step | undefined): readonly Unpacked[] {
  const later = caller === undefined ? [] : caller.parent.steps.slice(caller.index + 1);
  const found: Unpacked[] = [];
  for (const each of [...step.parent.steps.slice(step.index), ...later]) {
    for (const one of unpackedIn(each)) {
      if (each === step && one.start <= after) continue;
      if (found.push(one) === MAX_UNPACKED) return found;
    }
  }
  return found;
}

const MAX_SAVED = 300;

function savedByScript({ value }: Text): readonly string[] {
  const [, ...written] = value.split(/\bwriteFile(?:Sync)?\(/, MAX_FOLDERS + 1);
  return written.flatMap((call) => /["'`/]([\w.-]+\.zip)["'`]/.exec(call.slice(0, MAX_SAVED))?.[1] ?? []);
}

function savedByCommand({ args, redirects }: ShellCommand): readonly string[] {
  const words = args.map(({ value }) => value);
  const path = redirects.find(({ operator }) => operator === '>')?.target?.value ?? optionIn(words, '-o', '--output');
  return path === undefined ? [] : [baseName(path)];
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

const UNPACKS = /unzip|\btar\b|\b7z\b|zipfile|expand-archive/i;
const EXPANDS = /\bexpand-archive\b[^\n]{0,300}?-d(?:estinationpath)?\s+(?:["']([^"'\n]+)["']|(\S+))/i;

const unpackedIn = memoByNode((step: Step): readonly Unpacked[] => {
  const script = step.run?.value ?? '';
  if (!UNPACKS.test(script)) return [];
  const unpacked = commandsOf(step)
    .slice(0, MAX_COMMANDS)
    .flatMap((command): Unpacked[] => {
      const target = targetOf(command);
      const archive = command.args.find(({ value }) => value.length <= MAX_SAVED && ARCHIVE.test(value))?.value;
      return target === undefined
        ? []
        : [{ start: command.span.start, archive, folder: placeFrom(step, command, target.folder) }];
    });
  const [, quoted, bare] = EXPANDS.exec(script) ?? [];
  const folder = quoted ?? bare;
  return unpacked.length > 0 || folder === undefined
    ? unpacked
    : [{ start: step.span.end, archive: undefined, folder }];
});

const ARCHIVE = /(?:^|\/)[\w.-]+\.zip$/;

function targetOf({ program, args }: ShellCommand): { readonly folder: string | undefined } | undefined {
  const words = args.map(({ value }) => value);
  if (program === 'unzip') {
    return words.some((word) => /^-[a-z]*[lptz]/.test(word)) ? undefined : { folder: optionIn(words, '-d') };
  }
  if (/^(?:bsd)?tar$/.test(program)) {
    const extracts = /^(?:-?[a-zA-Z]*x|--extract|--get)/.test(words[0] ?? '');
    return extracts ? { folder: optionIn(words, '-C', '--directory') } : undefined;
  }
  if (program === '7z') {
    return words[0] === 'x' || words[0] === 'e'
      ? { folder: words.find((word) => word.startsWith('-o'))?.slice(2) }
      : undefined;
  }
  if (!program.startsWith('python') || words[0] !== '-m' || words[1] !== 'zipfile') return undefined;
  return words[2] === '-e' || words[2] === '--extract' ? { folder: words[4] } : undefined;
}

function placeFrom(step: Step, command: ShellCommand, path: string | undefined): string | undefined {
  const at = locationOfCommand(step, command);
  if (path === undefined) return at === '' ? undefined : at;
  const stated = assignedIn(step, path);
  const location = locationOf(stated);
  if (location === undefined || at === undefined || at === '' || location.startsWith('/')) return stated;
  return `${at}/${location}`;
}

function assignedIn(step: Step, path: string): string {
  const [whole = '', name] = /^\$\{?(\w+)\}?(?=\/|$)/.exec(path) ?? [];
  if (name === undefined || locationOf(path) !== undefined) return path;
  const assigned = firstAssigned(step).get(name);
  const stated = environmentValue(name, step);
  const value = assigned ?? (stated && withStatedVariables(stated.text.value, stated.at));
  return value === undefined ? path : `${value}${path.slice(whole.length)}`;
}

const firstAssigned = memoByNode((step: Step): ReadonlyMap<string, string> => {
  const assignments = commandsOf(step).flatMap((command) => command.assignments);
  return new Map(assignments.toReversed().map(({ name, value }) => [name, value.value]));
});

function optionIn(words: readonly string[], ...names: readonly string[]): string | undefined {
  const index = words.findIndex((word) => names.some((name) => word === name || word.startsWith(`${name}=`)));
  if (index === -1) return undefined;
  const word = words[index] as string;
  return word.includes('=') ? word.slice(word.indexOf('=') + 1) : words[index + 1];
}

function commandCandidates(step: Step, command: ShellCommand, caller: Step | undefined): Candidate[] {
  const words = command.args.map(({ value }) => value);
  if (command.program === 'gh' && words[0] === 'run' && words[1] === 'download') {
    const name = optionIn(words, '--name', '-n');
    return [
      {
        step,
        how: 'gh run download',
        span: command.span,
        name: name === undefined || name.includes('$') ? undefined : name,
        folder: placeFrom(step, command, optionIn(words, '--dir', '-D')),
        run: undefined,
        workflow: undefined,
      },
    ];
  }
  if (
    (command.program === 'gh' || command.program === 'curl') &&
    /\/artifacts\/[^\n]{1,200}\/zip\b/.test(command.text)
  ) {
    const how = `${command.program} from the REST API`;
    const common = { step, how, span: command.span, name: undefined, run: undefined, workflow: undefined };
    return unpackedTo(step, command.span.start, caller, savedByCommand(command)).map((folder) => ({
      ...common,
      folder,
    }));
  }
  return [];
}

function leavesForksOut(step: Step, ref: string): boolean {
  if (isTrue(inputOf(step, 'allow_forks'))) return false;
  const major = /^v?(\d+)/.exec(isFullSha(ref) ? (step.uses?.comment ?? '') : ref)?.[1];
  return major === undefined || Number(major) >= DAWIDD6_SKIPS_FORKS_SINCE;
}

export function literalOf(text: Text | undefined): string | undefined {
  return text === undefined || text.value.includes('${{') || text.value.trim() === '' ? undefined : text.value.trim();
}

export function folderIn(text: Text | undefined, step: Step): string | undefined {
  const folder = (text && withStatedVariables(text.value, step))
    ?.trim()
    .replace(/^\.\//, '')
    .replace(/(?<!\/)\/+$/, '');
  return folder === undefined || folder === '' || folder === '.' || /^\$\{\{\s*github\.workspace\s*\}\}$/.test(folder)
    ? undefined
    : folder;
}

export function readsOnly(text: Text, path: string): boolean {
  const paths = expressionsIn(text).flatMap(({ node }) => (node === undefined ? [] : accessedPaths(node)));
  return paths.length > 0 && paths.every((candidate) => candidate === path);
}

function judge(candidate: Candidate, job: Job, repository: Repository): ForeignDownload | undefined {
  const { step, how, span, name, folder } = candidate;
  const found = producersOf(candidate, job, repository);
  const common = { step, how, span, name, folder, stepsAfterDownload: [], conditionsToDrop: false, madeBy: undefined };
  const uploading = name === undefined ? [] : found.workflows.filter((workflow) => uploads(workflow, name, repository));
  const producers = uploading.length > 0 ? uploading : found.workflows;
  const events = producers.flatMap((workflow) => workflowEvents(workflow, repository));
  if (events.some(usesForksWorkflowFile)) return { ...common, producers, trust: 'fork' };
  if (producers.some(({ triggers }) => triggers.some(({ event }) => usesForksWorkflowFile(event)))) {
    return { ...common, producers, trust: 'fork', conditionsToDrop: true };
  }
  if (producers.some((workflow) => passesOn(workflow, name, repository)))
    return { ...common, producers, trust: 'fork' };
  if (found.unknown || found.workflows.length === 0) {
    const forked = candidate.workflow === undefined && followsPullRequests(step, repository);
    return { ...common, producers: found.workflows, trust: forked ? 'fork' : 'unknown' };
  }
  return events.length > 0 ? { ...common, producers, trust: 'data' } : undefined;
}

const underWay = new Set<Workflow>();

function passesOn(workflow: Workflow, name: string | undefined, repository: Repository): boolean {
  if (underWay.has(workflow) || !workflow.triggers.some(({ event }) => event === 'workflow_run')) return false;
  underWay.add(workflow);
  try {
    return workflow.jobs.some((job) => {
      const downloads = downloadsOfRuns(job, repository).filter(
        ({ trust, folder }) => trust === 'fork' && folder !== undefined,
      );
      return downloads.some((download) =>
        job.steps.slice(download.step.index + 1).some((step) => uploadsFrom(step, download.folder ?? '', name)),
      );
    });
  } finally {
    underWay.delete(workflow);
  }
}

export function uploadsFrom(step: Step, folder: string, name: string | undefined): boolean {
  if (actionOf(step)?.slug !== 'actions/upload-artifact') return false;
  if (name !== undefined && !mayEqual(inputOf(step, 'name')?.value ?? 'artifact', name)) return false;
  const from = locationOf(folder);
  const paths = inputOf(step, 'path')?.value.split('\n') ?? [];
  return paths.some((path) => {
    const location = locationOf(path.replace(/\/?\*{1,2}$/, ''));
    if (location === undefined || from === undefined || path.trim() === '') return false;
    return (
      location === '' ||
      from === '' ||
      location === from ||
      location.startsWith(`${from}/`) ||
      from.startsWith(`${location}/`)
    );
  });
}

function usesForksWorkflowFile(event: string): boolean {
  return reachOf(event) === 'outsider-unprivileged';
}

function producersOf(
  { workflow: searched }: Candidate,
  job: Job,
  repository: Repository,
): { workflows: Workflow[]; unknown: boolean } {
  if (searched !== undefined) {
    const base = searched.replace(/^.*\//, '');
    const workflow = repository.workflowAt(`.github/workflows/${base}`) ?? repository.workflowNamed(searched);
    return workflow === undefined ? { workflows: [], unknown: true } : { workflows: [workflow], unknown: false };
  }
  const triggers = runTriggers(job.workflow, repository);
  if (triggers.length === 0) return { workflows: [], unknown: true };
  const names = triggers.flatMap(({ workflows }) => workflows ?? []);
  const workflows = names.flatMap((name) => repository.workflowNamed(name) ?? []);
  return { workflows, unknown: workflows.length < names.length };
}

/** A called workflow reads the artifacts of the run that its caller follows. */
function runTriggers(workflow: Workflow, repository: Repository): Trigger[] {
  const own = workflow.triggers.filter(({ event }) => event === 'workflow_run');
  if (own.length > 0) return own;
  return workflowOutsiderEvents(workflow, repository).flatMap(({ event, trigger }) =>
    event === 'workflow_run' ? [trigger] : [],
  );
}

function workflowEvents(workflow: Workflow, repository: Repository): string[] {
  return workflow.jobs.flatMap((job) => outsiderEvents(job, repository).map(({ event }) => event));
}

function uploads(workflow: Workflow, name: string, repository: Repository, depth = 0): boolean {
  return workflow.jobs.some((job) => {
    if (job.uses?.reference?.kind === 'local' && depth < 3) {
      const called = repository.workflowAt(job.uses.reference.path);
      return called !== undefined && uploads(called, name, repository, depth + 1);
    }
    return job.steps.some((step) => {
      const given = actionOf(step)?.slug === 'actions/upload-artifact' ? inputOf(step, 'name')?.value : undefined;
      return given !== undefined && mayEqual(given, name);
    });
  });
}

const EXPRESSION = /\$\{\{[^}]*(?:\}\})?/;

export function mayEqual(template: string, name: string): boolean {
  const [ours, others] = [template.split(EXPRESSION), name.split(EXPRESSION)];
  const [first = '', start = ''] = [ours[0], others[0]];
  const [last = '', end = ''] = [ours.at(-1), others.at(-1)];
  if (ours.length === 1 && others.length === 1) return template === name;
  if (ours.length === 1) return template.startsWith(start) && template.endsWith(end);
  if (others.length === 1) return name.startsWith(first) && name.endsWith(last);
  return (first.startsWith(start) || start.startsWith(first)) && (last.endsWith(end) || end.endsWith(last));
}
