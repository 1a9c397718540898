import { type Job, jobOf, type Step, type Trigger } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { RepositoryMemo } from '../memo.ts';
import {
  looksUpPermission,
  mayRun,
  neededJobs,
  type OutsiderEvent,
  outsiderEvents,
  scenariosOf,
} from './outsider-reach.ts';

/** What somebody with write access does before a job or step runs for an outsider. */
export type Approval =
  /** Sets a label, and only the event of setting it runs. */
  | 'label'
  /** Has set a label once: later pushes run without a new look. */
  | 'standing-label'
  /** Has the permission that a step asks for. */
  | 'permission'
  /** May have to approve the deployment, when the environment is protected: the file does not say. */
  | 'environment';

type Candidate = Pick<OutsiderEvent, 'event' | 'trigger' | 'workflow'>;

/** By job or step and the trigger that leads to it: a workflow may be called in many ways, and each value's origin asks. */
const approvals = new RepositoryMemo<Job | Step, Trigger, Approval | 'none'>();
/** Workflows that call each other are refused by the code host; this ends the walk. */
const underWay = new Set<Job | Step>();

/**
 * The approval that stands between an outsider's event and a job or step; undefined when none does. A called workflow
 * has its callers' approval when each of them asks for one.
 */
export function approvalBefore(node: Job | Step, candidate: Candidate, repository: Repository): Approval | undefined {
  if (underWay.has(node)) return undefined;
  const approval = approvals.get(repository, node, candidate.trigger, () => {
    underWay.add(node);
    try {
      return findApproval(node, candidate, repository) ?? 'none';
    } finally {
      underWay.delete(node);
    }
  });
  return approval === 'none' ? undefined : approval;
}

function findApproval(node: Job | Step, candidate: Candidate, repository: Repository): Approval | undefined {
  const job = node.kind === 'job' ? node : jobOf(node);
  if (job === undefined) return undefined;
  const label = labelApproval(node, candidate);
  if (label !== undefined) return label;
  if (looksUpPermission(node)) return 'permission';
  if ([job, ...neededJobs(job)].some(hasEnvironment)) return 'environment';
  if (candidate.workflow === job.workflow) return undefined;
  const before = repository
    .callersOf(job.workflow)
    .filter((caller) => outsiderEvents(caller, repository).some(({ event }) => event === candidate.event))
    .map((caller) => approvalBefore(caller, candidate, repository));
  return before.includes(undefined) ? undefined : before[0];
}

function hasEnvironment({ environment }: Job): boolean {
  return (environment?.name?.value.trim() ?? '') !== '';
}

function labelApproval(node: Job | Step, candidate: Candidate): 'label' | 'standing-label' | undefined {
  const running = scenariosOf(candidate).filter((scenario) => mayRun(node, scenario));
  if (running.length === 0) return undefined;
  const gated = running.every(
    (scenario) => scenario.action === 'labeled' || !mayRun(node, { ...scenario, labels: 'none' }),
  );
  if (!gated) return undefined;
  return running.every(({ action }) => action === 'labeled') ? 'label' : 'standing-label';
}
