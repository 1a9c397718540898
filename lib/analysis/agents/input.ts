import { jobOf, type Step, type Text } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { textsBelow } from '#lib/workflow/yaml/texts.ts';
import { taintsIn } from '../dataflow/taint.ts';
import type { OutsiderEvent } from '../reachability/outsider-reach.ts';
import { originsOfCommand } from '../workspace/tainted-sources.ts';
import { untrustedFilesBefore } from '../workspace/untrusted-files.ts';
import { type Agent, writtenIn } from './catalog.ts';

export interface AgentInput {
  /**
   * `prompt`: inserted into it. `file`: read from an outsider's files. `item`: the agent fetches the issue or pull
   * request itself.
   */
  readonly route: 'prompt' | 'file' | 'item';
  readonly source: string;
  readonly certain: boolean;
}

const ITEM =
  /github\.event\.(?:issue|pull_request|comment|discussion|review)\.(?:number|html_url|url|node_id|id)\b|github\.event\.number\b|inputs\.[\w-]*(?:issue|number|pr|pull|url)[\w-]*/;

export function outsideInput(
  agent: Agent,
  events: readonly OutsiderEvent[],
  repository: Repository,
): AgentInput | undefined {
  const { step } = agent;
  const pasted = pastedSource(agent, repository);
  if (pasted !== undefined) return { route: 'prompt', source: pasted, certain: true };
  const files = untrustedFilesBefore(step, repository);
  const file = files.find(({ certain }) => certain);
  if (file !== undefined) {
    const source = file.from === 'artifact' ? 'a downloaded artifact' : 'the pull request’s code';
    return { route: 'file', source, certain: true };
  }
  const [first] = events;
  if (first === undefined) return undefined;
  const item = `the content of the ${first.event} event`;
  if (agent.readsEvent) return { route: 'item', source: item, certain: true };
  if (mentionsItem(step) || mentionsItem(writtenIn(agent)) || preparedFromItem(agent))
    return { route: 'item', source: item, certain: false };
  return agent.widenedBy !== undefined && agent.access === 'anyone'
    ? { route: 'item', source: item, certain: false }
    : undefined;
}

function pastedSource(agent: Agent, repository: Repository): string | undefined {
  for (const text of agent.prompts) {
    const taint = taintsIn(text, writtenIn(agent), repository).find(
      ({ writer, text: kind }) => writer === 'outsider' && kind !== 'structured',
    );
    if (taint !== undefined) return taint.source;
    const named = namedSource(text, writtenIn(agent), repository);
    if (named !== undefined) return named;
  }
  if (agent.command === undefined) return undefined;
  return originsOfCommand(agent.command, writtenIn(agent), repository).find(({ writer }) => writer === 'outsider')
    ?.source;
}

/** The action or the agent expands variables in a prompt, such as `${TITLE}`. */
function namedSource(prompt: Text, step: Step, repository: Repository): string | undefined {
  if (!prompt.value.includes('$')) return undefined;
  for (const { name, value } of step.env?.entries ?? []) {
    if (!/^\w+$/.test(name) || !new RegExp(`\\$\\{?${name}\\b`).test(prompt.value)) continue;
    const taint = taintsIn(value, step, repository).find(
      ({ writer, text: kind }) => writer === 'outsider' && kind !== 'structured',
    );
    if (taint !== undefined) return taint.source;
  }
  return undefined;
}

function mentionsItem(step: Step): boolean {
  const job = jobOf(step);
  const inherited = [...(job?.env?.entries ?? []), ...(job?.workflow.env?.entries ?? [])];
  for (const { value } of textsBelow(step.mapping)) {
    if (ITEM.test(value)) return true;
    if (inherited.some((variable) => value.includes(variable.name) && ITEM.test(variable.value.value))) return true;
  }
  return false;
}

function preparedFromItem({ promptFile, step }: Agent): boolean {
  const name = promptFile?.value.split('/').at(-1);
  if (name === undefined || name === '') return false;
  return step.parent.steps
    .slice(0, step.index)
    .some((before) => before.run?.value.includes(name) === true && mentionsItem(before));
}
