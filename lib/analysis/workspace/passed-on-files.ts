import { actionOf, inputOf, runsAction } from '#lib/workflow/model/action-uses.ts';
import type { Job, Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { textsBelow } from '#lib/workflow/yaml/texts.ts';
import { mayEqual } from '../checkouts/run-artifacts.ts';
import { memoInRepository } from '../memo.ts';
import { releaseWorkflows } from '../publishing/releases.ts';
import { type PlacedStep, withInnerSteps } from '../reachability/composites.ts';
import { neededJobs } from '../reachability/outsider-reach.ts';
import { cacheTextsOf, savesCache } from './caches.ts';

/**
 * True if another job can take files from a job: an artifact, or a cache of the same run. What a run finds in a cache of
 * earlier runs is not counted.
 */
export function passesFilesOn(job: Job, repository: Repository): boolean {
  return passesCacheOn(job, repository) || passesArtifactOn(job, repository);
}

const UPLOADS = /upload-?artifact/i;
const DOWNLOADS = /download-?artifact|artifact\/merge|\brun download\b|actions\/artifacts|\w{4,8}Artifacts?\b/i;

function passesArtifactOn(job: Job, repository: Repository): boolean {
  const uploads = job.steps.filter(({ uses }) => UPLOADS.test(uses?.text.value ?? ''));
  if (uploads.length === 0) return false;
  const others = releaseWorkflows(job.workflow, repository).flatMap((each) => each.jobs);
  return others.some(
    (other) =>
      (other !== job || other.matrix !== undefined) &&
      (isElsewhere(other) ||
        uploads.some((upload) => takersIn(other, repository).some((taker) => takes(taker, upload)))),
  );
}

function isElsewhere({ uses }: Job): boolean {
  return uses !== undefined && uses.reference?.kind !== 'local';
}

const takersIn = memoInRepository((job: Job, repository): readonly PlacedStep[] =>
  withInnerSteps(job.steps, repository).filter(
    ({ step }) =>
      !UPLOADS.test(step.uses?.text.value ?? '') && textsBelow(step.mapping).some(({ value }) => DOWNLOADS.test(value)),
  ),
);

function takes({ step, caller }: PlacedStep, upload: Step): boolean {
  const known = caller === undefined && runsAction(step, 'actions/download-artifact');
  if (!known || actionOf(upload)?.name !== 'actions/upload-artifact') return true;
  const name = inputOf(upload, 'name')?.value ?? 'artifact';
  const given = inputOf(step, 'name')?.value;
  if (given !== undefined) return mayEqual(given, name);
  const pattern = inputOf(step, 'pattern')?.value;
  return pattern === undefined || /[?[\]{}()!]/.test(pattern) || mayEqual(pattern.replaceAll('*', '${{ }}'), name);
}

const OF_THIS_RUN = /\bgithub\.(?:run_(?:id|number|attempt)|sha|ref_name|ref)\b/;

function passesCacheOn(job: Job, repository: Repository): boolean {
  if (!savesCache(job, repository)) return false;
  const saved = new Set(keysIn(job, repository).filter((key) => OF_THIS_RUN.test(key)));
  if (saved.size === 0) return false;
  return job.workflow.jobs.some(
    (later) => neededJobs(later).includes(job) && keysIn(later, repository).some((key) => saved.has(key)),
  );
}

function keysIn(job: Job, repository: Repository): string[] {
  return withInnerSteps(job.steps, repository).flatMap(({ step, caller }) =>
    cacheTextsOf(step, caller).flatMap(({ input, text }) => (input === 'key' ? [text.value] : [])),
  );
}
