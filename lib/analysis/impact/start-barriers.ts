import { AVAILABLE_CONTEXTS, CONTEXTS } from '#lib/data/curated/available-contexts.ts';
import { RETIRED_RUNNER_LABELS, type RetiredRunnerLabel } from '#lib/data/curated/hosted-runners.ts';
import { REFUSED_RELEASES, RENAMED_BRANCHES, type RefusedRelease } from '#lib/data/curated/retired-releases.ts';
import { accessedPaths, conditionOf, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import { actionOf } from '#lib/workflow/model/action-uses.ts';
import type { Job, Step, Text, Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { inRange, newestOf, usedVersion } from '#lib/workflow/model/versions.ts';
import { MAX_EXPRESSIONS_PER_TEXT } from '#lib/workflow/text/limits.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { valueOf, type YamlMapping } from '#lib/workflow/yaml/parse.ts';
import { textsBelow } from '#lib/workflow/yaml/texts.ts';
import { memoByNode, memoByRepository, memoInRepository } from '../memo.ts';
import { runnerKind, soleLabels } from '../privileges/runners.ts';
import { asksForStatus, dependentsIn } from '../reachability/needed-jobs.ts';

export interface StartBarrier {
  readonly because: string;
  readonly span: Span;
  readonly label?: string;
}

const RETIRED: ReadonlyMap<string, RetiredRunnerLabel> = new Map(
  RETIRED_RUNNER_LABELS.map((entry) => [entry.label, entry]),
);
const REFUSED: ReadonlyMap<string, RefusedRelease> = new Map(REFUSED_RELEASES.map((entry) => [entry.action, entry]));

/** Returns why a job cannot start before somebody edits the workflow; undefined if it can, or in doubt. */
export function startBarrier(job: Job, repository: Repository): StartBarrier | undefined {
  return barriersIn(job.workflow, repository).get(job);
}

const barriersIn = memoInRepository((workflow: Workflow, repository: Repository): ReadonlyMap<Job, StartBarrier> => {
  const found = new Map<Job, StartBarrier>();
  const rejection = rejectionOf(workflow);
  for (const job of workflow.jobs) {
    const barrier = rejection ?? ownBarrier(job, repository);
    if (barrier !== undefined) found.set(job, barrier);
  }
  const asking = new Set(workflow.jobs.filter(asksForStatus));
  const queue = [...found];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const [job, barrier] = next;
    if (job.mapping.entries.has('continue-on-error')) continue;
    for (const dependent of dependentsIn(workflow).get(job) ?? []) {
      if (found.has(dependent) || asking.has(dependent)) continue;
      found.set(dependent, barrier);
      queue.push([dependent, barrier]);
    }
  }
  return found;
});

function ownBarrier(job: Job, repository: Repository): StartBarrier | undefined {
  return retiredLabel(job, repository) ?? refusedStep(job, repository);
}

function retiredLabel(job: Job, repository: Repository): StartBarrier | undefined {
  const { runsOn } = job;
  if (runsOn === undefined || !retires(repository) || usesOwnMachines(repository)) return undefined;
  const retired = (soleLabels(job) ?? []).map((label) => RETIRED.get(label));
  const [first] = retired;
  if (first === undefined || retired.some((each) => each === undefined || each.onlyAnnounced === true))
    return undefined;
  return { because: `GitHub removed ${first.label} on ${first.removed}`, span: runsOn.span, label: first.label };
}

const usesOwnMachines = memoByRepository(({ workflows }: Repository) =>
  workflows.some(({ jobs }) =>
    jobs.some((job) => {
      const kind = runnerKind(job);
      return job.runsOn?.group !== undefined || kind === 'self-hosted' || kind === 'own-label';
    }),
  ),
);

function retires({ platform }: Repository): boolean {
  return platform.does('refused-retirements');
}

function refusedStep({ steps }: Job, repository: Repository): StartBarrier | undefined {
  for (const step of steps) {
    if (step.uses === undefined) continue;
    const { span } = step.uses.text;
    const renamed = retires(repository) ? renamedBranch(step) : undefined;
    if (renamed !== undefined) {
      return { because: `${renamed.action} has had no branch ${renamed.branch} since ${renamed.since}`, span };
    }
    const found = refusedRelease(step, repository);
    if (found?.endsJob !== true) continue;
    const { action, since } = found.release;
    return { because: `GitHub has refused ${action} ${found.tag} since ${since}`, span };
  }
  return undefined;
}

function renamedBranch(step: Step): (typeof RENAMED_BRANCHES)[number] | undefined {
  const used = actionOf(step);
  return RENAMED_BRANCHES.find(({ action, branch }) => used?.slug === action && used.ref === branch);
}

/**
 * Returns the release of an action that GitHub refuses. `endsJob` is false for one that only fails later, and if only a
 * comment or a pre-release names it.
 */
export function refusedRelease(
  step: Step,
  repository: Repository,
): { readonly release: RefusedRelease; readonly tag: string; readonly endsJob: boolean } | undefined {
  const release = REFUSED.get(actionOf(step)?.slug ?? '');
  const used = step.uses && usedVersion(step.uses);
  if (release === undefined || used === undefined || !inRange(newestOf(used.version), release.versions))
    return undefined;
  const isCertain = used.known !== 'comment' && used.version.prerelease === undefined;
  const endsJob = release.endsSetUp && isCertain && step.parent.kind === 'job' && retires(repository);
  return { release, tag: used.tag, endsJob };
}

/** Returns why the code host rejects a whole workflow, as far as its expressions show. */
export const rejectionOf = memoByNode(
  (workflow: Workflow): (StartBarrier & { readonly at: Workflow | Job | Step }) | undefined => {
    const ofWorkflow = problemIn(workflow, workflow.root, WORKFLOW_KEYS);
    if (ofWorkflow !== undefined) return ofWorkflow;
    for (const job of workflow.jobs) {
      for (const at of [job, ...job.steps]) {
        const because = at.condition && problemOf(at.condition, at.kind);
        if (at.condition !== undefined && because !== undefined) return { because, span: at.condition.span, at };
      }
      const ofJob = problemIn(job, job.mapping, JOB_KEYS);
      if (ofJob !== undefined) return ofJob;
    }
    return undefined;
  },
);

type Key = keyof typeof AVAILABLE_CONTEXTS;

const WORKFLOW_KEYS: Readonly<Record<string, readonly [Key, string]>> = {
  concurrency: ['concurrency', 'the workflow’s concurrency'],
  env: ['env', 'the workflow’s env'],
  'run-name': ['run-name', 'the name of a run'],
};

const JOB_KEYS: Readonly<Record<string, readonly [Key, string]>> = {
  concurrency: ['jobs.concurrency', 'the concurrency of a job'],
  'continue-on-error': ['jobs.continue-on-error', 'continue-on-error of a job'],
  env: ['jobs.env', 'the env of a job'],
  name: ['jobs.name', 'the name of a job'],
  'runs-on': ['jobs.runs-on', 'runs-on'],
  secrets: ['jobs.secrets', 'a secret for a called workflow'],
  strategy: ['jobs.strategy', 'a strategy'],
  'timeout-minutes': ['jobs.timeout-minutes', 'the timeout of a job'],
  with: ['jobs.with', 'an input of a called workflow'],
};

function problemIn<Node extends Workflow | Job>(
  at: Node,
  mapping: YamlMapping,
  keys: Readonly<Record<string, readonly [Key, string]>>,
): (StartBarrier & { readonly at: Node }) | undefined {
  for (const [name, [key, what]] of Object.entries(keys)) {
    const node = valueOf(mapping, name);
    for (const text of node === undefined ? [] : textsBelow(node)) {
      const context = unavailable(expressionsIn(text), key);
      if (context === undefined) continue;
      return { because: `GitHub rejects the file: ${what} cannot read ${context}`, span: text.span, at };
    }
  }
  return undefined;
}

function problemOf(condition: Text, kind: 'job' | 'step'): string | undefined {
  if (isUnclosed(condition)) return 'GitHub rejects the file: a quote or brace of a condition is not closed';
  const read = condition.value.includes('${{') ? expressionsIn(condition) : [conditionOf(condition)];
  const context = unavailable(read, kind === 'job' ? 'jobs.if' : 'jobs.steps.if');
  return context && `GitHub rejects the file: the condition of a ${kind} cannot read ${context}`;
}

function isUnclosed(condition: Text): boolean {
  const { value } = condition;
  if (!value.includes('${{')) return value.split("'").length % 2 === 0;
  const closed = expressionsIn(condition);
  return closed.length < MAX_EXPRESSIONS_PER_TEXT && value.slice(closed.at(-1)?.range.end ?? 0).includes('${{');
}

function unavailable(expressions: ReturnType<typeof expressionsIn>, key: Key): string | undefined {
  const available: readonly string[] = AVAILABLE_CONTEXTS[key];
  for (const { node } of expressions) {
    const roots = node === undefined ? [] : accessedPaths(node).map((path) => path.split('.')[0] ?? '');
    const found = roots.find((root) => CONTEXTS.has(root) && !available.includes(root));
    if (found !== undefined) return found;
  }
  return undefined;
}
