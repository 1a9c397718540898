import { looksUpPermission, mayRun, neededJobs, type OutsiderEvent, outsiderEvents, scenariosOf } from './guards.ts';
import { type Job, jobOf, type Step } from './model.ts';
import type { Repository } from './repository.ts';

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

/**
 * The approval that stands between an outsider's event and a job or step; undefined when none does. A called workflow
 * has its callers' approval when each of them asks for one.
 */
export function approvalBefore(
  node: Job | Step,
  candidate: Candidate,
  repository: Repository,
  depth = 0,
): Approval | undefined {
  const job = node.kind === 'job' ? node : jobOf(node);
  if (job === undefined) return undefined;
  const label = labelApproval(node, candidate);
  if (label !== undefined) return label;
  if (looksUpPermission(node)) return 'permission';
  if ([job, ...neededJobs(job)].some(hasEnvironment)) return 'environment';
  if (candidate.workflow === job.workflow || depth > MAX_CALL_DEPTH) return undefined;
  const approvals = repository
    .callersOf(job.workflow)
    .filter((caller) => outsiderEvents(caller, repository).some(({ event }) => event === candidate.event))
    .map((caller) => approvalBefore(caller, candidate, repository, depth + 1));
  return approvals.includes(undefined) ? undefined : approvals[0];
}

const MAX_CALL_DEPTH = 10;

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
