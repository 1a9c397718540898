import { accessedPaths, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import { actionOf, inputOf, isTrue } from '#lib/workflow/model/action-uses.ts';
import type { Job, Step, Text, Workflow } from '#lib/workflow/model/model.ts';
import { isFullSha } from '#lib/workflow/model/reference.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { environmentValue, withStatedVariables } from '#lib/workflow/shell/env-lookup.ts';
import { commandsOf, type ShellCommand } from '#lib/workflow/shell/shell.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { RepositoryMemo } from '../memo.ts';
import { approvalBefore } from '../reachability/approvals.ts';
import { reachOf } from '../reachability/events.ts';
import { neededJobs, outsiderEvents, privilegedOutsiderEvents } from '../reachability/outsider-reach.ts';
import { isGuarded, outsiderCheckouts } from './checkouts.ts';
import { locationOf, locationOfCommand } from './locations.ts';

export interface ForeignDownload {
  readonly step: Step;
  readonly how: string;
  readonly span: Span;
  readonly name: string | undefined;
  readonly folder: string | undefined;
  readonly producers: readonly Workflow[];
  /**
   * `fork`: a fork's pull request runs a producer from its own workflow file. `data`: outsiders start a producer that
   * runs the repository's code on their data. `conditional`: a job of this run built it from fork code after an
   * approval. `unknown`: the producer is not in the repository.
   */
  readonly trust: 'fork' | 'data' | 'conditional' | 'unknown';
  /** True if conditions exclude forks, but in a file of which a fork's pull request runs its own version. */
  readonly conditionsToDrop: boolean;
  readonly madeBy: Job | undefined;
}

const RUN_SEARCHING_ACTIONS: ReadonlySet<string> = new Set([
  'aochmann/actions-download-artifact',
  'bettermarks/action-artifact-download',
  'dawidd6/action-download-artifact',
  'levonet/action-download-last-artifact',
  'marcofaggian/action-download-multiple-artifacts',
  'redhat-plumbers-in-action/download-artifact',
]);

/** Major version of dawidd6/action-download-artifact that excludes forks by default. */
const FORKS_LEFT_OUT_SINCE = 6;

const downloadsByJob = new RepositoryMemo<Job, Job, readonly ForeignDownload[]>();

/**
 * Returns the downloads that can bring an outsider's content into a privileged run, in order. Excludes producers and
 * steps that only trusted events reach.
 */
export function foreignDownloads(job: Job, repository: Repository): readonly ForeignDownload[] {
  return downloadsByJob.get(repository, job, job, () =>
    mentionsArtifacts(job) ? job.steps.flatMap((step) => downloadsOf(step, job, repository)) : [],
  );
}

function mentionsArtifacts(job: Job): boolean {
  return job.steps.some(
    ({ uses, run, with: inputs }) =>
      /artifact/i.test(uses?.text.value ?? '') ||
      /artifact|run download/.test(run?.value ?? '') ||
      inputs?.get('script')?.value.value.includes('downloadArtifact') === true,
  );
}

function downloadsOf(step: Step, job: Job, repository: Repository): ForeignDownload[] {
  const own = ownDownload(step, job, repository);
  if (own !== undefined) return [own];
  return candidatesOf(step).flatMap((candidate) => {
    if (privilegedOutsiderEvents(step, repository).length === 0) return [];
    const judged = judge(candidate, job, repository);
    return judged === undefined ? [] : [judged];
  });
}

function ownDownload(step: Step, job: Job, repository: Repository): ForeignDownload | undefined {
  const action = actionOf(step);
  if (action?.slug !== 'actions/download-artifact' || step.uses === undefined) return undefined;
  const run = inputOf(step, 'run-id');
  if (run !== undefined && !readsOnly(run, 'github.run_id')) return undefined;
  if (privilegedOutsiderEvents(step, repository).length === 0) return undefined;
  const name = literalOf(inputOf(step, 'name'));
  for (const needed of neededJobs(job)) {
    const checkout = outsiderCheckouts(needed, repository).find((each) => !isGuarded(each));
    if (checkout === undefined) continue;
    const uploaded = needed.steps.slice(checkout.step.index + 1).some((each) => {
      const given = actionOf(each)?.slug === 'actions/upload-artifact';
      return given && (name === undefined || mayEqual(inputOf(each, 'name')?.value ?? 'artifact', name));
    });
    if (!uploaded) continue;
    return {
      step,
      how: `${action.owner}/${action.repo}`,
      span: step.uses.span,
      name,
      folder: folderOf(step),
      producers: [job.workflow],
      trust: approvalBefore(checkout.step, checkout, repository) === undefined ? 'fork' : 'conditional',
      conditionsToDrop: false,
      madeBy: needed,
    };
  }
  return undefined;
}

interface Candidate {
  readonly step: Step;
  readonly how: string;
  readonly span: Span;
  readonly name: string | undefined;
  readonly folder: string | undefined;
  readonly run: Text | undefined;
  readonly workflow: string | undefined;
}

function candidatesOf(step: Step): Candidate[] {
  const action = actionOf(step);
  if (action !== undefined && step.uses !== undefined) {
    const literal = (name: string): string | undefined => literalOf(inputOf(step, name));
    const common = { step, span: step.uses.span, how: `${action.owner}/${action.repo}` };
    if (action.slug === 'actions/download-artifact') {
      const run = inputOf(step, 'run-id');
      if (run === undefined || readsOnly(run, 'github.run_id')) return [];
      return [{ ...common, name: literal('name'), folder: folderOf(step), run, workflow: undefined }];
    }
    if (RUN_SEARCHING_ACTIONS.has(action.slug)) {
      const run = inputOf(step, 'run_id');
      const event = literal('event');
      if (event !== undefined && /^(?:push|schedule|release|workflow_dispatch)$/.test(event)) return [];
      if (run === undefined && action.slug === 'dawidd6/action-download-artifact' && leavesForksOut(step, action.ref)) {
        return [];
      }
      return [
        {
          ...common,
          name: literal('name'),
          folder: folderOf(step),
          run,
          workflow: literal('workflow'),
        },
      ];
    }
    const script = action.slug === 'actions/github-script' ? inputOf(step, 'script') : undefined;
    if (script === undefined || !/\bdownloadArtifact\s*\(/.test(script.value)) return [];
    return [
      {
        ...common,
        how: 'a script through the REST API',
        name: /\.name\s*={2,3}\s*["'`]([\w.-]+)["'`]/.exec(script.value)?.[1],
        folder: unpackedTo(step, step.span.start),
        run: undefined,
        workflow: undefined,
      },
    ];
  }
  if (!/run download|\/artifacts\//.test(step.run?.value ?? '')) return [];
  return commandsOf(step).flatMap((command) => commandCandidate(step, command) ?? []);
}

const MAX_COMMANDS = 2_000;

/** Returns the folder into which the first archive after a place is unpacked; undefined for the workspace. */
function unpackedTo(step: Step, after: number): string | undefined {
  for (const each of step.parent.steps.slice(step.index)) {
    if (!/unzip|\btar\b|\b7z\b/.test(each.run?.value ?? '')) continue;
    for (const command of commandsOf(each).slice(0, MAX_COMMANDS)) {
      if (command.span.start <= after) continue;
      const words = command.args.map(({ value }) => value);
      if (command.program === 'unzip' && !words.some((word) => /^-[a-z]*[lptz]/.test(word))) {
        return placeFrom(each, command, optionIn(words, '-d'));
      }
      if (/^(?:bsd)?tar$/.test(command.program) && /^(?:-?[a-zA-Z]*x|--extract|--get)/.test(words[0] ?? '')) {
        return placeFrom(each, command, optionIn(words, '-C', '--directory'));
      }
      if (command.program === '7z' && words[0] === 'x') {
        return placeFrom(each, command, words.find((word) => word.startsWith('-o'))?.slice(2));
      }
    }
  }
  return undefined;
}

/** Returns the folder that a command's path names, or the one it runs in; undefined for the workspace. */
function placeFrom(step: Step, command: ShellCommand, path: string | undefined): string | undefined {
  const at = locationOfCommand(step, command);
  if (path === undefined) return at === '' ? undefined : at;
  const stated = assignedIn(step, path);
  const location = locationOf(stated);
  if (location === undefined || at === undefined || at === '' || location.startsWith('/')) return stated;
  return `${at}/${location}`;
}

/** Replaces `$NAME` at the beginning of a path by what the script or the file assigns to it as plain text. */
function assignedIn(step: Step, path: string): string {
  const [whole = '', name] = /^\$\{?(\w+)\}?(?=\/|$)/.exec(path) ?? [];
  if (name === undefined || locationOf(path) !== undefined) return path;
  const assigned = commandsOf(step)
    .flatMap(({ assignments }) => assignments)
    .find((assignment) => assignment.name === name)?.value.value;
  const stated = environmentValue(name, step);
  const value = assigned ?? (stated && withStatedVariables(stated.text.value, stated.at));
  return value === undefined ? path : `${value}${path.slice(whole.length)}`;
}

function optionIn(words: readonly string[], ...names: readonly string[]): string | undefined {
  const index = words.findIndex((word) => names.some((name) => word === name || word.startsWith(`${name}=`)));
  if (index === -1) return undefined;
  const word = words[index] as string;
  return word.includes('=') ? word.slice(word.indexOf('=') + 1) : words[index + 1];
}

function commandCandidate(step: Step, command: ShellCommand): Candidate | undefined {
  const words = command.args.map(({ value }) => value);
  if (command.program === 'gh' && words[0] === 'run' && words[1] === 'download') {
    const name = optionIn(words, '--name', '-n');
    return {
      step,
      how: 'gh run download',
      span: command.span,
      name: name === undefined || name.includes('$') ? undefined : name,
      folder: placeFrom(step, command, optionIn(words, '--dir', '-D')),
      run: undefined,
      workflow: undefined,
    };
  }
  if (
    (command.program === 'gh' || command.program === 'curl') &&
    /\/artifacts\/[^\n]{1,200}\/zip\b/.test(command.text)
  ) {
    const how = `${command.program} from the REST API`;
    const folder = unpackedTo(step, command.span.start);
    return { step, how, span: command.span, name: undefined, folder, run: undefined, workflow: undefined };
  }
  return undefined;
}

function leavesForksOut(step: Step, ref: string): boolean {
  if (isTrue(inputOf(step, 'allow_forks'))) return false;
  const major = /^v?(\d+)/.exec(isFullSha(ref) ? (step.uses?.comment ?? '') : ref)?.[1];
  return major === undefined || Number(major) >= FORKS_LEFT_OUT_SINCE;
}

function literalOf(text: Text | undefined): string | undefined {
  return text === undefined || text.value.includes('${{') || text.value.trim() === '' ? undefined : text.value.trim();
}

function folderOf(step: Step): string | undefined {
  const text = inputOf(step, 'path');
  const folder = (text && withStatedVariables(text.value, step))
    ?.trim()
    .replace(/^\.\//, '')
    .replace(/(?<!\/)\/+$/, '');
  return folder === undefined || folder === '' || folder === '.' || /^\$\{\{\s*github\.workspace\s*\}\}$/.test(folder)
    ? undefined
    : folder;
}

function readsOnly(text: Text, path: string): boolean {
  const paths = expressionsIn(text).flatMap(({ node }) => (node === undefined ? [] : accessedPaths(node)));
  return paths.length > 0 && paths.every((candidate) => candidate === path);
}

function judge(candidate: Candidate, job: Job, repository: Repository): ForeignDownload | undefined {
  const { step, how, span, name, folder } = candidate;
  const found = producersOf(candidate, job, repository);
  if (found === undefined) return undefined;
  const common = { step, how, span, name, folder, conditionsToDrop: false, madeBy: undefined };
  if (found.unknown || found.workflows.length === 0) return { ...common, producers: found.workflows, trust: 'unknown' };
  const uploading = name === undefined ? [] : found.workflows.filter((workflow) => uploads(workflow, name, repository));
  const producers = uploading.length > 0 ? uploading : found.workflows;
  const events = producers.flatMap((workflow) => workflowEvents(workflow, repository));
  if (events.some(takesFileOfFork)) return { ...common, producers, trust: 'fork' };
  if (producers.some(({ triggers }) => triggers.some(({ event }) => takesFileOfFork(event)))) {
    return { ...common, producers, trust: 'fork', conditionsToDrop: true };
  }
  return events.length > 0 ? { ...common, producers, trust: 'data' } : undefined;
}

/** True for events in which a fork's run also uses the fork's workflow file. */
function takesFileOfFork(event: string): boolean {
  return reachOf(event) === 'outsider-unprivileged';
}

function producersOf(
  { workflow: searched }: Candidate,
  job: Job,
  repository: Repository,
): { workflows: Workflow[]; unknown: boolean } | undefined {
  if (searched !== undefined) {
    const base = searched.replace(/^.*\//, '');
    const workflow = repository.workflowAt(`.github/workflows/${base}`) ?? repository.workflowNamed(searched);
    return workflow === undefined ? { workflows: [], unknown: true } : { workflows: [workflow], unknown: false };
  }
  const triggers = job.workflow.triggers.filter(({ event }) => event === 'workflow_run');
  if (triggers.length === 0) return { workflows: [], unknown: true };
  const open = triggers.filter(({ branches }) => branches === undefined || !branches.every(isOneBranch));
  if (open.length === 0) return undefined;
  const names = open.flatMap(({ workflows }) => workflows ?? []);
  const workflows = names.flatMap((name) => repository.workflowNamed(name) ?? []);
  return { workflows, unknown: workflows.length < names.length };
}

function isOneBranch(pattern: string): boolean {
  return !pattern.startsWith('!') && !/^\*+$/.test(pattern);
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

function mayEqual(template: string, name: string): boolean {
  const [first = '', ...rest] = template.split(/\$\{\{[^}]*(?:\}\})?/);
  if (rest.length === 0) return first === name;
  return name.startsWith(first) && name.endsWith(rest.at(-1) as string);
}
