import { ABSENT_PROGRAMS, HOSTED_RUNNER_LABELS } from '#lib/data/curated/hosted-runners.ts';
import { actionOf } from '#lib/workflow/model/action-uses.ts';
import type { Job, Step } from '#lib/workflow/model/model.ts';
import { commandsOf, type ShellCommand } from '#lib/workflow/shell/shell.ts';
import { memoByNode } from '../memo.ts';

const IMAGES: ReadonlySet<string> = new Set(HOSTED_RUNNER_LABELS);

const INSTALLS_NO_PROGRAM: ReadonlySet<string> = new Set([
  'actions/checkout',
  'actions/create-github-app-token',
  'actions/setup-node',
  'step-security/harden-runner',
]);

const CHANGES_NOTHING: ReadonlySet<string> = new Set(['cd', 'echo', 'set']);

/** True if a command fails for want of its program: the image lacks it, and nothing before can have installed it. */
export function isAbsent(command: ShellCommand, step: Step): boolean {
  return isLacking(command) && isFirstToInstall(step) && command.span.start < firstOther(step);
}

function isLacking({ program, words, assignments }: ShellCommand): boolean {
  return ABSENT_PROGRAMS.has(program) && words[0]?.value === program && assignments.length === 0;
}

const firstOther = memoByNode((step: Step): number => {
  const other = commandsOf(step).filter((each) => !isLacking(each) && !CHANGES_NOTHING.has(each.program));
  return other.reduce((first, { span }) => Math.min(first, span.start), Number.POSITIVE_INFINITY);
});

const isFirstToInstall = memoByNode(({ parent, index, shell, env }: Step): boolean => {
  if (parent.kind !== 'job' || !runsOnBareImage(parent)) return false;
  const { workflow } = parent;
  const settings = [env, parent.env, workflow.env];
  if (shell !== undefined || settings.some((each) => each !== undefined && mayNamePath(each))) return false;
  return index <= firstInstalling(parent);
});

const firstInstalling = memoByNode(({ steps }: Job): number =>
  steps.findIndex((step) => !INSTALLS_NO_PROGRAM.has(actionOf(step)?.slug ?? '')),
);

function runsOnBareImage({ runsOn, container, defaultShell, workflow }: Job): boolean {
  if (runsOn === undefined || runsOn.group !== undefined || container !== undefined) return false;
  if (defaultShell !== undefined || workflow.defaultShell !== undefined || runsOn.labels.length === 0) return false;
  return runsOn.labels.every(({ value }) => IMAGES.has(value.trim().toLowerCase()));
}

function mayNamePath({ entries, expression }: NonNullable<Step['env']>): boolean {
  return expression !== undefined || entries.some(({ name }) => /^(?:path|bash_env)$/i.test(name));
}
