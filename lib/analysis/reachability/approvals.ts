import { type Job, jobOf, type Step, type Trigger, type Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { RepositoryMemo } from '../memo.ts';
import type { Scenario } from './conditions.ts';
import { refusesForks } from './fork-refusals.ts';
import { jobsRead, requiredJobs } from './needed-jobs.ts';
import { mayRun, type OutsiderEvent, outsiderEvents, scenariosOf } from './outsider-reach.ts';
import { looksUpPermission, refusalSkipsBot } from './permission-lookups.ts';

/**
 * `standing-label`: later pushes run without another review. `elsewhere`: only the name of a workflow of another
 * repository suggests a check. `environment`: no file says whether it is protected.
 */
export type Approval = 'label' | 'standing-label' | 'permission' | 'elsewhere' | 'environment';

export function isLabelled(approval: Approval | undefined): boolean {
  return approval === 'label' || approval === 'standing-label';
}

type Candidate = Pick<OutsiderEvent, 'event' | 'trigger' | 'workflow'>;

const approvals = new RepositoryMemo<Job | Step, Trigger, Approval | 'none'>();
const underWay = new Set<Job | Step>();

/**
 * Returns the approval required between an outsider's event and a job or step. A called workflow counts as approved if
 * every caller is.
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
  const runs = scenariosOf(candidate).filter((scenario) => mayRun(node, scenario));
  if (looksUpPermission(node, repository, runs) && !refusalSkipsBot(node, candidate.event, repository))
    return 'permission';
  if (refusesForks(node, candidate.event, repository)) return 'permission';
  const required = [...requiredJobs(job, runs), ...jobsRead(node, job)];
  if (required.some(callsCheckElsewhere)) return 'elsewhere';
  if (hasEnvironment(job) || required.some(hasEnvironment)) return 'environment';
  if (candidate.workflow === job.workflow) return undefined;
  const approval = approvalsOfCalls.get(
    repository,
    job.workflow,
    candidate.trigger,
    () => approvalOfCalls(job.workflow, candidate, repository) ?? 'none',
  );
  return approval === 'none' ? undefined : approval;
}

const approvalsOfCalls = new RepositoryMemo<Workflow, Trigger, Approval | 'none'>();

function approvalOfCalls(called: Workflow, candidate: Candidate, repository: Repository): Approval | undefined {
  let first: Approval | undefined;
  for (const caller of repository.callersOf(called)) {
    if (!outsiderEvents(caller, repository).some(({ event }) => event === candidate.event)) continue;
    const approval = approvalBefore(caller, candidate, repository);
    if (approval === undefined) return undefined;
    first ??= approval;
  }
  return first;
}

function callsCheckElsewhere({ uses }: Job): boolean {
  return uses?.reference?.kind === 'repository' && GATE.test(uses.reference.path.split('/').at(-1) ?? '');
}

const GATE =
  /^check[-_]?run\b|(?:check|verify|validate|require|assert|is)[-_]?(?:[a-z]{1,12}[-_])?(?:access|actor|approv|author|collaborator|contributor|maintainer|member|permission|trust|user)|authori[sz]e|permission[-_]?(?:check|gate)|(?:member|approval|access|trust)[-_]?(?:check|gate)/i;

/**
 * True if someone seems to approve an outsider’s run before it uses the job’s machine, although a fork’s own file may
 * omit that.
 */
export function isGated(job: Job, event: Candidate, repository: Repository): boolean {
  if (approvalBefore(job, event, repository) !== undefined) return true;
  const before = [job, ...requiredJobs(job, scenariosOf(event))];
  if (before.some((each) => each.environment !== undefined || /\blabels?\./.test(each.condition?.value ?? ''))) {
    return true;
  }
  const callers = repository.callersOf(job.workflow).filter((caller) => outsiderEvents(caller, repository).length > 0);
  return (
    callers.length > 0 &&
    callers.every((caller) => requiredJobs(caller).some(({ environment }) => environment !== undefined))
  );
}

function hasEnvironment({ environment }: Job): boolean {
  return (environment?.name?.value.trim() ?? '') !== '';
}

function labelApproval(node: Job | Step, candidate: Candidate): 'label' | 'standing-label' | undefined {
  const runs = scenariosOf(candidate).filter((scenario) => mayRun(node, scenario));
  const gatedByLabel = (scenario: Scenario): boolean => !mayRun(node, { ...scenario, labels: 'none' });
  // A template may label an issue, but a pull request has no label when an outsider opens it.
  const fresh = candidate.event.startsWith('pull_request');
  const running = runs.filter((scenario) => !fresh || scenario.action !== 'opened' || !gatedByLabel(scenario));
  if (running.length === 0) return runs.length === 0 ? undefined : 'label';
  const gated = running.every((scenario) => scenario.action === 'labeled' || gatedByLabel(scenario));
  if (!gated) return undefined;
  return running.every(({ action }) => action === 'labeled') ? 'label' : 'standing-label';
}
