import { actionOf, innerSteps, inputOf, isTrue, runsAction } from '#lib/workflow/model/action-uses.ts';
import { type Definition, type Job, type Step, stepsOf } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { commandsOf, type ShellCommand } from '#lib/workflow/shell/shell.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { memoByNode, memoByRepository, memoInRepository } from '../memo.ts';
import { runsAfterFailure } from './needed-jobs.ts';

export interface AutoMergeStep {
  readonly what: string;
  /** `auto-merge` waits for branch requirements; an unknown action's merge counts as one that does not. */
  readonly kind: 'merge' | 'auto-merge' | 'approval' | 'push';
  readonly span: Span;
  readonly kinds: ReadonlySet<Kind>;
  readonly stepsUpToIt?: readonly Step[];
}

type Kind = AutoMergeStep['kind'];

const IN_WORDS: Readonly<Record<Kind, string>> = {
  merge: 'merges the pull request',
  'auto-merge': 'merges the pull request',
  approval: 'approves the pull request',
  push: 'pushes commits',
};

const ACTIONS: Readonly<Record<string, Kind>> = {
  'ahmadnassri/action-dependabot-auto-merge': 'merge',
  'alexwilson/enable-github-automerge-action': 'auto-merge',
  'andrewmusgrave/automatic-pull-request-review': 'approval',
  'daneden/enable-automerge-action': 'auto-merge',
  'endbug/add-and-commit': 'push',
  'ad-m/github-push-action': 'push',
  'hmarr/auto-approve-action': 'approval',
  'juliangruber/approve-pull-request-action': 'approval',
  'pascalgn/automerge-action': 'merge',
  'peter-evans/enable-pull-request-automerge': 'auto-merge',
  'plm9606/automerge_actions': 'merge',
  'reitermarkus/automerge': 'merge',
  'ridedott/merge-me-action': 'merge',
  'stefanzweifel/git-auto-commit-action': 'push',
  'sudo-bot/action-pull-request-approve': 'approval',
  'sudo-bot/action-pull-request-merge': 'merge',
};

/** A composite action's step with a condition of its own counts as one that does not act. */
export const autoMergeStep = memoInRepository((step: Step, repository): AutoMergeStep | undefined => {
  const steps = innerSteps(step, repository);
  const { uses } = step;
  if (steps.length === 0 || uses === undefined) return summaryOf(actsOf(step));
  const inner = actOfAction(steps);
  return inner && { ...inner, span: uses.text.span };
});

type Act = Pick<AutoMergeStep, 'kind' | 'span'>;

function summaryOf(acts: readonly Act[]): AutoMergeStep | undefined {
  const [first] = acts;
  return first && { ...first, what: IN_WORDS[first.kind], kinds: new Set(acts.map(({ kind }) => kind)) };
}

const actOfAction = memoByNode((steps: readonly Step[]): AutoMergeStep | undefined => {
  const acting = steps.filter((step) => step.condition === undefined && actsOf(step).length > 0);
  const [first] = acting;
  if (first === undefined) return undefined;
  const summary = summaryOf(acting.flatMap(actsOf));
  return summary && { ...summary, stepsUpToIt: steps.slice(0, steps.indexOf(first) + 1) };
});

const actsOf = memoByNode((step: Step): readonly Act[] => {
  const action = actionOf(step);
  if (action !== undefined && step.uses !== undefined) {
    const known = ACTIONS[action.slug];
    const script = action.slug === 'actions/github-script' ? inputOf(step, 'script') : undefined;
    const kind = known ?? (script === undefined ? undefined : actOfScript(script.value));
    return kind === undefined ? [] : [{ kind, span: step.uses.text.span }];
  }
  if (!/\b(?:push|merge|review)\b|pullrequest/i.test(step.run?.value ?? '')) return [];
  return commandsOf(step).flatMap((command) => {
    const kind = actOfCommand(command);
    return kind === undefined ? [] : [{ kind, span: command.span }];
  });
});

function actOfScript(script: string): Kind | undefined {
  if (/\bpulls\.merge\s*\(|mergePullRequest/.test(script)) return 'merge';
  if (script.includes('enablePullRequestAutoMerge')) return 'auto-merge';
  return /\bpulls\.createReview\s*\(/.test(script) && /\bAPPROVE\b/.test(script) ? 'approval' : undefined;
}

function actOfCommand({ program, args }: ShellCommand): Kind | undefined {
  const values = args.map(({ value }) => value);
  const [first, second] = values;
  if (program === 'git' && values.includes('push')) return 'push';
  if (program !== 'gh') return undefined;
  if (first === 'pr' && second === 'merge') return values.includes('--auto') ? 'auto-merge' : 'merge';
  if (first === 'pr' && second === 'review') {
    return values.includes('--approve') || values.includes('-a') ? 'approval' : undefined;
  }
  if (first !== 'api') return undefined;
  if (values.some((value) => /\/pulls\/[^/]+\/merge\b|mergePullRequest/.test(value))) return 'merge';
  return values.some((value) => value.includes('enablePullRequestAutoMerge')) ? 'auto-merge' : undefined;
}

export function leavesUnmerged({ kinds }: AutoMergeStep, repository: Repository): boolean {
  return kinds.size === 1 && kinds.has('approval') && !mergesPullRequests(repository);
}

const mergesPullRequests = memoByRepository(
  ({ workflows, actions, partial }): boolean => partial || [...workflows, ...actions].some(mayMerge),
);

const MERGES =
  /\bauto[-_ ]?merg|\bmerge[-_]?(?:me|pull|pr|bot)|\bpr merge\b|\bpulls?[./]merge\b|\/pulls\/[^\s/]{1,100}\/merge\b|\buses:[^\n#]{1,200}merge/gi;

function mayMerge(definition: Definition): boolean {
  const found = [...definition.source.text.matchAll(MERGES)];
  if (found.length === 0) return false;
  const own = stepsOf(definition).filter(mergesCreatedBefore);
  return found.some(({ index }) => !own.some(({ span }) => span.start <= index && index < span.end));
}

function mergesCreatedBefore(step: Step): boolean {
  const text = step.run?.value ?? inputOf(step, 'pull-request-number')?.value ?? '';
  return step.parent.steps
    .slice(0, step.index)
    .some(
      (before) =>
        before.id !== undefined &&
        runsAction(before, 'peter-evans/create-pull-request') &&
        text.includes(`steps.${before.id.value}.outputs.pull-request-`),
    );
}

/** True for a step that fails unless Dependabot itself opened the pull request and signed its commit. */
export function verifiesDependabot(step: Step): boolean {
  const action = actionOf(step);
  if (action === undefined) return false;
  if (action.slug === 'fastify/github-action-merge-dependabot') return true;
  return (
    action.slug === 'dependabot/fetch-metadata' &&
    !isTrue(inputOf(step, 'skip-verification')) &&
    !isTrue(inputOf(step, 'skip-commit-verification'))
  );
}

/** True if such a step precedes this one, or is in a composite action that does; for a job, if any of its steps is one. */
export function isVerifiedBefore(node: Job | Step, repository: Repository): boolean {
  const verified = firstVerified(node.kind === 'job' ? node : node.parent, repository);
  if (node.kind === 'job') return verified.any;
  if (runsAfterFailure(node)) return false;
  return (
    verified.index <= node.index ||
    verified.conditional.some((step) => step.index <= node.index && skipsBoth(step, node))
  );
}

const firstVerified = memoInRepository(({ steps }: Step['parent'], repository) => {
  const verifies = (step: Step): boolean => verifiesDependabot(step) || anyVerifies(innerSteps(step, repository));
  const strict = steps.filter((step) => verifies(step) && !step.mapping.entries.has('continue-on-error'));
  const first = strict.find(({ condition }) => condition === undefined);
  return {
    index: first?.index ?? Number.POSITIVE_INFINITY,
    conditional: strict.filter(({ condition }) => condition !== undefined).slice(0, MAX_CONDITIONAL),
    any: steps.some(verifies),
  };
});

const MAX_CONDITIONAL = 20;

function skipsBoth(verifying: Step, step: Step): boolean {
  const [own = '', other = ''] = [verifying, step].map(({ condition }) => condition?.value.trim() ?? '');
  if (verifying === step) return true;
  if (other.replace(own, '').includes('||')) return false;
  const at = other.indexOf(own);
  if (at !== -1) return !/![\s(]*$/.test(other.slice(0, at));
  return verifying.id !== undefined && other.includes(`steps.${verifying.id.value}.`) && !other.includes('!');
}

const anyVerifies = memoByNode((steps: readonly Step[]): boolean => steps.some(verifiesDependabot));
