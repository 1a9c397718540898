import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import { jobOf, type Step, sourceOf, stepsOf, type Trigger } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { memoByRepository } from '../memo.ts';

export interface OpenCommand {
  readonly step: Step;
  readonly dispatchType: string;
}

const MAX_STEPS = 50;
const MAX_COMMANDS = 100;
const PLAIN = /^[\w-]{1,100}$/;

/** Returns the commands that an action takes from comments of people without write access, and sends on. */
export const openCommands = memoByRepository((repository): readonly OpenCommand[] =>
  repository.workflows
    .flatMap(stepsOf)
    .filter((step) => actionOf(step)?.slug === 'peter-evans/slash-command-dispatch')
    .slice(0, MAX_STEPS)
    .flatMap(commandsOf)
    .slice(0, MAX_COMMANDS),
);

function commandsOf(step: Step): OpenCommand[] {
  if (!/^(?:none|read)$/.test(inputOf(step, 'permission')?.value.trim() ?? '')) return [];
  if (!/^(?:\$\{\{\s{0,9}github\.repository\s{0,9}\}\})?$/.test(inputOf(step, 'repository')?.value.trim() ?? ''))
    return [];
  if (inputOf(step, 'dispatch-type')?.value.trim() === 'workflow') return [];
  if (asksBefore(step)) return [];
  const suffix = inputOf(step, 'event-type-suffix')?.value.trim() ?? '-command';
  const names = (inputOf(step, 'commands')?.value ?? '').split(/[\s,]+/).filter((name) => PLAIN.test(name));
  return names.map((name) => ({ step, dispatchType: `${name}${suffix}`.toLowerCase() }));
}

const ASKS =
  /author_?association|CollaboratorPermission|membership|\/(?:collaborators|members)\/|(?:check|get)[-_]?(?:user[-_]?)?permission|(?:is|team)[-_]?member/i;

function asksBefore(step: Step): boolean {
  const job = jobOf(step);
  return job !== undefined && ASKS.test(sourceOf(step).text.slice(job.span.start, step.span.end));
}

export function commandsStarting(trigger: Trigger, repository: Repository): readonly OpenCommand[] {
  if (trigger.event !== 'repository_dispatch') return [];
  const types = trigger.types?.map((type) => type.toLowerCase());
  return openCommands(repository).filter(({ dispatchType }) => types?.includes(dispatchType) ?? true);
}
