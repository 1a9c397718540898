import { actionOf, inputOf, runsAction } from '#lib/workflow/model/action-uses.ts';
import type { Job, Step, Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { textsBelow } from '#lib/workflow/yaml/texts.ts';
import { mayEqual } from '../checkouts/run-artifacts.ts';
import { memoInRepository } from '../memo.ts';
import { releaseWorkflows } from '../publishing/releases.ts';
import { withInnerSteps } from '../reachability/composites.ts';
import { neededJobs } from '../reachability/needed-jobs.ts';
import { cacheTextsOf, savesCache } from './caches.ts';

type OtherJobs = ReadonlySet<Job> | undefined;

/**
 * Returns the other jobs that can take files from a job: an artifact, or a cache of the same run. What a run finds in a
 * cache of earlier runs is not counted. Undefined if there are too many to compare.
 */
export const takersOf = memoInRepository((job: Job, repository): OtherJobs => {
  const found = new Set<Job>();
  const each = [takersOfArtifacts(job, repository), takersOfCaches(job, repository)];
  for (const takers of each) {
    if (takers === undefined) return undefined;
    for (const taker of takers) found.add(taker);
  }
  return found.size > MAX_COMPARED ? undefined : found;
});

export function passesFilesOn(job: Job, repository: Repository): boolean {
  return takersOf(job, repository)?.size !== 0;
}

const UPLOADS = /upload-?artifact(?!\/merge)/i;
const DOWNLOADS = /download-?artifact|artifact\/merge|\brun download\b|actions\/artifacts|\w{4,8}Artifacts?\b/i;

type JobsByName = Map<string, Set<Job>>;

const ANY_NAME = '${{ }}';
const MAX_COMPARED = 50;

function takersOfArtifacts(job: Job, repository: Repository): OtherJobs {
  const uploads = job.steps.filter(({ uses }) => UPLOADS.test(uses?.text.value ?? ''));
  const found = new Set<Job>();
  if (uploads.length === 0) return found;
  const names = [...new Set(uploads.map(nameOfUpload))];
  for (const workflow of releaseWorkflows(job.workflow, repository)) {
    const takers = takersIn(workflow, repository);
    for (const name of names) {
      if (!addTakers(found, name, job, takers) || found.size > MAX_COMPARED) return undefined;
    }
  }
  return found;
}

function nameOfUpload(upload: Step): string {
  if (actionOf(upload)?.name !== 'actions/upload-artifact') return ANY_NAME;
  return inputOf(upload, 'name')?.value ?? 'artifact';
}

interface Takers {
  readonly byName: JobsByName;
  readonly templates: readonly string[];
}

function addTakers(found: Set<Job>, name: string, job: Job, { byName, templates }: Takers): boolean {
  const [plain, candidates] = name.includes('${{') ? [[], [...byName.keys()]] : [[name], templates];
  if (candidates.length > MAX_COMPARED) return false;
  for (const each of [...plain, ...candidates]) {
    if (!mayEqual(each, name)) continue;
    for (const taker of byName.get(each) ?? []) {
      if (taker !== job || job.matrix !== undefined) found.add(taker);
      if (found.size > MAX_COMPARED) return false;
    }
  }
  return true;
}

const takersIn = memoInRepository(({ jobs }: Workflow, repository): Takers => {
  const byName: JobsByName = new Map();
  for (const job of jobs) {
    const { uses } = job;
    if (uses !== undefined && uses.reference?.kind !== 'local') add(byName, ANY_NAME, job);
    for (const { step, caller } of withInnerSteps(job.steps, repository)) {
      if (UPLOADS.test(step.uses?.text.value ?? '')) continue;
      if (!textsBelow(step.mapping).some(({ value }) => DOWNLOADS.test(value))) continue;
      const known = caller === undefined && runsAction(step, 'actions/download-artifact');
      add(byName, known ? nameOfDownload(step) : ANY_NAME, job);
    }
  }
  return { byName, templates: [...byName.keys()].filter((name) => name.includes('${{')) };
});

function nameOfDownload(step: Step): string {
  const name = inputOf(step, 'name')?.value;
  if (name !== undefined) return name;
  const pattern = inputOf(step, 'pattern')?.value;
  return pattern === undefined || /[?[\]{}()!]/.test(pattern) ? ANY_NAME : pattern.replaceAll('*', ANY_NAME);
}

function add(jobs: JobsByName, name: string, job: Job): void {
  jobs.set(name, (jobs.get(name) ?? new Set()).add(job));
}

const OF_THIS_RUN = /\bgithub\.(?:run_(?:id|number|attempt)|sha|ref_name|ref)\b/;

function takersOfCaches(job: Job, repository: Repository): OtherJobs {
  const found = new Set<Job>();
  if (!savesCache(job, repository)) return found;
  const saved = cachesIn(job, repository).keys.filter((key) => OF_THIS_RUN.test(key));
  if (saved.length === 0) return found;
  const { keys, prefixes } = cacheReadersIn(job.workflow, repository);
  if (prefixes.size > MAX_COMPARED) return undefined;
  const readers = [
    ...saved.map((key) => keys.get(key)),
    ...[...prefixes].map(([prefix, jobs]) => (saved.some((key) => key.startsWith(prefix)) ? jobs : undefined)),
  ];
  for (const jobs of readers) {
    if (jobs !== undefined && jobs.size > MAX_COMPARED) return undefined;
    for (const later of jobs ?? []) if (neededJobs(later).includes(job)) found.add(later);
  }
  return found;
}

interface Caches {
  readonly keys: readonly string[];
  readonly prefixes: readonly string[];
}

const cachesIn = memoInRepository((job: Job, repository): Caches => {
  const texts = withInnerSteps(job.steps, repository).flatMap(({ step, caller }) => cacheTextsOf(step, caller));
  const ofInput = (name: string): string[] =>
    texts.flatMap(({ input, text }) => (input === name ? [text.value.trim()] : []));
  const lines = ofInput('restore-keys').flatMap((text) => text.split('\n').map((line) => line.trim()));
  return { keys: ofInput('key'), prefixes: lines.filter((line) => line !== '') };
});

const cacheReadersIn = memoInRepository(({ jobs }: Workflow, repository) => {
  const readers = { keys: new Map() as JobsByName, prefixes: new Map() as JobsByName };
  for (const job of jobs) {
    const { keys, prefixes } = cachesIn(job, repository);
    for (const key of keys) add(readers.keys, key, job);
    for (const prefix of prefixes) add(readers.prefixes, prefix, job);
  }
  return readers;
});
