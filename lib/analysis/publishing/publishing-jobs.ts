import type { Job, Trigger } from '#lib/workflow/model/model.ts';
import { memoByRepository } from '../memo.ts';
import { type Publish, publishesIn } from './publish.ts';

export interface PublishingJob {
  readonly job: Job;
  readonly publish: Publish;
}

/** Returns the jobs that deliver something outside; signing and attesting alone do not count. */
export const publishingJobs = memoByRepository((repository): readonly PublishingJob[] =>
  repository.workflows
    .flatMap(({ jobs }) => jobs)
    .flatMap((job) => {
      const publish = job.steps.flatMap(publishesIn).find(({ kind }) => kind !== 'sign' && kind !== 'attest');
      return publish === undefined ? [] : [{ job, publish }];
    }),
);

export function tagTrigger({ workflow }: Job): Trigger | undefined {
  return workflow.triggers.find(
    ({ event, tags, branches }) => event === 'push' && (tags !== undefined || branches === undefined),
  );
}

export function placeOf({ workflow, id }: Job): string {
  return `${workflow.source.path.replace(/^\.github\/workflows\//, '')}:${id}`;
}
