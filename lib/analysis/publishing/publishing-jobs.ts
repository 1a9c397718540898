import { innermostSteps } from '#lib/workflow/model/action-uses.ts';
import type { Job, Trigger } from '#lib/workflow/model/model.ts';
import { memoByRepository, memoInRepository } from '../memo.ts';
import { type Publish, publishesIn } from './publish.ts';

export interface PublishingJob {
  readonly job: Job;
  readonly publish: Publish;
}

/** Returns what a job publishes, also in its local composite actions; those count at the step that uses them. */
export const publishesOf = memoInRepository((job: Job, repository): readonly Publish[] =>
  job.steps.flatMap((step) => {
    const local = step.uses?.reference?.kind === 'local' ? step.uses : undefined;
    if (local === undefined) return publishesIn(step);
    const inner = innermostSteps([step], repository).flatMap(publishesIn);
    return inner.map((publish) => ({ ...publish, step, span: local.span }));
  }),
);

export const publishingJobs = memoByRepository((repository): readonly PublishingJob[] =>
  repository.workflows
    .flatMap(({ jobs }) => jobs)
    .flatMap((job) => {
      const publish = publishesOf(job, repository).find(({ kind }) => kind !== 'sign' && kind !== 'attest');
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
