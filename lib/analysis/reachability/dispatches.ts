import { type Expression, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import { type Step, stepsOf, type Workflow } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { commandsOf, type ShellCommand, type ShellWord } from '#lib/workflow/shell/shell.ts';
import { memoByNode, memoByRepository } from '../memo.ts';

export interface Dispatch {
  readonly step: Step;
  readonly event: 'workflow_dispatch' | 'repository_dispatch';
  readonly target: string;
  readonly values: readonly { readonly name: string; readonly value: ShellWord | readonly Expression[] }[];
}

const ACTIONS: Readonly<
  Record<string, { readonly event: Dispatch['event']; readonly target: string; readonly values: string }>
> = {
  'benc-uk/workflow-dispatch': { event: 'workflow_dispatch', target: 'workflow', values: 'inputs' },
  'convictional/trigger-workflow-and-wait': {
    event: 'workflow_dispatch',
    target: 'workflow_file_name',
    values: 'client_payload',
  },
  'peter-evans/repository-dispatch': {
    event: 'repository_dispatch',
    target: 'event-type',
    values: 'client-payload',
  },
};

export const MAX_DISPATCHES = 500;
const MAX_PER_TARGET = 6;

const allDispatches = memoByRepository((repository): readonly Dispatch[] =>
  repository.workflows.flatMap(dispatchesIn).slice(0, MAX_DISPATCHES),
);

export function dispatchesTo(workflow: Workflow, repository: Repository): readonly Dispatch[] {
  return allDispatches(repository)
    .filter((dispatch) => startsWorkflow(dispatch, workflow))
    .slice(0, MAX_PER_TARGET);
}

export const dispatchesIn = memoByNode((workflow: Workflow): readonly Dispatch[] =>
  stepsOf(workflow).flatMap(dispatchesOf),
);

export function startsWorkflow({ event, target }: Dispatch, workflow: Workflow): boolean {
  const trigger = workflow.triggers.find((own) => own.event === event);
  if (trigger === undefined) return false;
  if (event === 'repository_dispatch') return trigger.types?.includes(target) ?? true;
  const file = workflow.source.path.split('/').at(-1) ?? '';
  return target === file || target === workflow.source.path || target === workflow.name?.value;
}

function dispatchesOf(step: Step): Dispatch[] {
  const known = ACTIONS[actionOf(step)?.slug ?? ''];
  if (known === undefined) {
    if (!/\bgh\b[^\n]{0,200}(?:workflow run|dispatches)/.test(step.run?.value ?? '')) return [];
    return commandsOf(step).flatMap((command) => commandDispatch(command, step) ?? []);
  }
  const repository = (inputOf(step, 'repository') ?? inputOf(step, 'repo'))?.value ?? '';
  if (repository !== '' && !/github\.(?:repository|event\.repository\.name)\b/.test(repository)) return [];
  const target = inputOf(step, known.target)?.value.trim();
  const text = inputOf(step, known.values);
  if (target === undefined || text === undefined) return [];
  const values = expressionsIn(text).map((expression) => ({
    name: keyBefore(text.value, expression.range.start),
    value: [expression],
  }));
  return [{ step, event: known.event, target, values }];
}

const MAX_BEFORE = 300;

function keyBefore(text: string, offset: number): string {
  const before = text.slice(Math.max(0, offset - MAX_BEFORE), offset);
  const [, name = '*'] = /["']([\w-]{1,100})["']\s{0,20}:(?:\s{0,20}["'])?[^"'{}]*$/.exec(before) ?? [];
  return name.toLowerCase();
}

function commandDispatch({ program, args }: ShellCommand, step: Step): Dispatch | undefined {
  if (program !== 'gh') return undefined;
  const words = args.map(({ value }) => value);
  if (
    words.some((word) => /^(?:-R|--repo)\b/.test(word) && !/GITHUB_REPOSITORY|github\.repository/.test(words.join(' ')))
  ) {
    return undefined;
  }
  const fields = fieldsOf(args);
  if (words[0] === 'workflow' && words[1] === 'run') {
    const target = words.slice(2).find((word) => !word.startsWith('-') && !word.includes('='));
    return target === undefined ? undefined : { step, event: 'workflow_dispatch', target, values: fields };
  }
  if (words[0] !== 'api') return undefined;
  const workflow = words
    .map((word) => /\/workflows\/([^/]+)\/dispatches$/.exec(word)?.[1])
    .find((name) => name !== undefined);
  if (workflow !== undefined)
    return { step, event: 'workflow_dispatch', target: workflow, values: inner(fields, 'inputs') };
  if (!words.some((word) => word.endsWith('/dispatches'))) return undefined;
  const target = words.map((word) => /^event_type=(.+)$/.exec(word)?.[1]).find((type) => type !== undefined);
  return target === undefined
    ? undefined
    : { step, event: 'repository_dispatch', target, values: inner(fields, 'client_payload') };
}

type Field = Dispatch['values'][number];

function fieldsOf(args: readonly ShellWord[]): Field[] {
  return args.flatMap((word, index): Field[] => {
    const joined = /^(?:--(?:raw-)?field=|-[fF])(?=.)/.exec(word.value)?.[0] ?? '';
    const follows = /^(?:-[fF]|--(?:raw-)?field)$/.test(args[index - 1]?.value ?? '');
    if (joined === '' && !follows) return [];
    const [, name] = /^([\w[\]-]{1,100})=/.exec(word.value.slice(joined.length)) ?? [];
    return name === undefined ? [] : [{ name: name.toLowerCase(), value: word }];
  });
}

function inner(fields: readonly Field[], outer: string): Field[] {
  return fields.flatMap(({ name, value }) => {
    const [, key] = new RegExp(`^${outer}\\[([\\w-]+)\\]`).exec(name) ?? [];
    return key === undefined ? [] : [{ name: key, value }];
  });
}
