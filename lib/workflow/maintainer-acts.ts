import { actionOf, inputOf, isTrue } from './actions.ts';
import type { Job, Step } from './model.ts';
import { commandsOf, type ShellCommand } from './shell.ts';
import type { Span } from './source.ts';

/** Something that a step does with a pull request in a maintainer's stead. */
export interface MaintainerAct {
  /** In words: `merges the pull request`. */
  readonly what: string;
  readonly span: Span;
}

const MERGES = 'merges the pull request';
const APPROVES = 'approves the pull request';
const PUSHES = 'pushes commits';

const ACTIONS: Readonly<Record<string, string>> = {
  'ahmadnassri/action-dependabot-auto-merge': MERGES,
  'alexwilson/enable-github-automerge-action': MERGES,
  'andrewmusgrave/automatic-pull-request-review': APPROVES,
  'daneden/enable-automerge-action': MERGES,
  'endbug/add-and-commit': PUSHES,
  'ad-m/github-push-action': PUSHES,
  'hmarr/auto-approve-action': APPROVES,
  'juliangruber/approve-pull-request-action': APPROVES,
  'pascalgn/automerge-action': MERGES,
  'peter-evans/enable-pull-request-automerge': MERGES,
  'plm9606/automerge_actions': MERGES,
  'reitermarkus/automerge': MERGES,
  'ridedott/merge-me-action': MERGES,
  'stefanzweifel/git-auto-commit-action': PUSHES,
  'sudo-bot/action-pull-request-approve': APPROVES,
  'sudo-bot/action-pull-request-merge': MERGES,
};

/** The first merge, approval or push of a step. */
export function maintainerAct(step: Step): MaintainerAct | undefined {
  const action = actionOf(step);
  if (action !== undefined && step.uses !== undefined) {
    const what = ACTIONS[action.slug];
    if (what !== undefined) return { what, span: step.uses.text.span };
    const script = action.slug === 'actions/github-script' ? inputOf(step, 'script') : undefined;
    const done = script === undefined ? undefined : actOfScript(script.value);
    return script === undefined || done === undefined ? undefined : { what: done, span: step.uses.text.span };
  }
  if (!/\b(?:push|merge|review)\b|pullrequest/i.test(step.run?.value ?? '')) return undefined;
  for (const command of commandsOf(step)) {
    const what = actOfCommand(command);
    if (what !== undefined) return { what, span: command.span };
  }
  return undefined;
}

function actOfScript(script: string): string | undefined {
  if (/\bpulls\.merge\s*\(|mergePullRequest|enablePullRequestAutoMerge/.test(script)) return MERGES;
  return /\bpulls\.createReview\s*\(/.test(script) && /\bAPPROVE\b/.test(script) ? APPROVES : undefined;
}

function actOfCommand({ program, args }: ShellCommand): string | undefined {
  const [first, second] = args.map(({ value }) => value);
  if (program === 'git' && args.some(({ value }) => value === 'push')) return PUSHES;
  if (program !== 'gh') return undefined;
  if (first === 'pr' && second === 'merge') return MERGES;
  if (first === 'pr' && second === 'review') {
    return args.some(({ value }) => value === '--approve' || value === '-a') ? APPROVES : undefined;
  }
  if (first !== 'api') return undefined;
  return args.some(({ value }) => /\/pulls\/[^/]+\/merge\b|enablePullRequestAutoMerge|mergePullRequest/.test(value))
    ? MERGES
    : undefined;
}

/** A step that fails unless Dependabot itself opened the pull request and signed its commit. */
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

/** Whether such a step stands before this one in its job, or in the job of a job-wide question. */
export function isVerifiedBefore(node: Job | Step): boolean {
  if (node.kind === 'job') return node.steps.some(verifiesDependabot);
  const before = node.parent.steps.slice(0, node.index + 1);
  const anyway = /\b(?:always|failure|cancelled)\s*\(/i.test(node.condition?.value ?? '');
  return (
    !anyway &&
    before.some((step) => verifiesDependabot(step) && step.mapping.entries.get('continue-on-error') === undefined)
  );
}
