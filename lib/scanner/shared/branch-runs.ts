import { memoByNode } from '#lib/analysis/memo.ts';
import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { mayRun } from '#lib/analysis/reachability/outsider-reach.ts';
import { ANY_BRANCH } from '#lib/analysis/reachability/trigger-refs.ts';
import type { Job, Trigger, Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { matchesRef } from '#lib/workflow/patterns/ref-pattern.ts';
import { entryOf } from '#lib/workflow/yaml/parse.ts';

/**
 * Returns a workflow whose jobs hold a credential and run on commits of a branch, which may contain variables. With
 * `opened`, a pull request of the branch counts as well.
 */
export function privilegedRunOn(branch: string, opened: boolean, repository: Repository): Workflow | undefined {
  const name = branch.slice(0, MAX_NAME).replace(COMPUTED, 'x');
  return privilegedOnCommits(repository).find(({ triggers }) =>
    triggers.some((trigger) =>
      trigger.event === 'push' ? covers(trigger, name) : opened && trigger.event === 'pull_request',
    ),
  );
}

const COMPUTED = /\$\{\{[^{}]*\}\}|\$\{[^{}]*\}|\$\w+|\$\([^()]*\)/g;
const MAX_NAME = 200;
const MAX_PATTERNS = 50;

const privilegedOnCommits = memoByNode(({ workflows }: Repository): readonly Workflow[] =>
  workflows.filter(({ triggers, jobs }) => {
    const events = ['push', 'pull_request'].filter((name) => triggers.some(({ event }) => event === name));
    return events.some((event) => jobs.some((job) => runsFilesWithCredential(job, event)));
  }),
);

function runsFilesWithCredential(job: Job, event: string): boolean {
  const runs = job.steps.some(({ run, uses }) => run !== undefined || uses?.reference?.kind === 'local');
  return runs && credentialsOf(job).any && mayRun(job, { event, by: 'anyone', refs: ANY_BRANCH });
}

function covers({ branches, tags, settings }: Trigger, name: string): boolean {
  if (branches === undefined) {
    return settings === undefined || entryOf(settings, 'branches-ignore') !== undefined || tags === undefined;
  }
  let covered = false;
  for (const pattern of branches.slice(0, MAX_PATTERNS)) {
    const excludes = pattern.startsWith('!');
    if (matchesRef(excludes ? pattern.slice(1) : pattern, name)) covered = !excludes;
  }
  return covered;
}
