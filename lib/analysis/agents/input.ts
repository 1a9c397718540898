import { accessedPaths, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import { jobOf, type Step, type Text } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { textsBelow } from '#lib/workflow/yaml/texts.ts';
import { taintsIn } from '../dataflow/taint.ts';
import type { OutsiderEvent } from '../reachability/outsider-reach.ts';
import { originsOfCommand } from '../workspace/tainted-sources.ts';
import { untrustedFilesBefore } from '../workspace/untrusted-files.ts';
import { type Agent, writtenIn } from './catalog.ts';
import { holdsList, readsList } from './lists.ts';
import { isInstructed, printsVariables } from './tools.ts';

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
  const named = namedInput(agent, repository);
  if (named?.certain === true) return named;
  const files = untrustedFilesBefore(step, repository);
  const file = files.find(({ certain }) => certain);
  if (file !== undefined) {
    const source = file.from === 'artifact' ? 'a downloaded artifact' : 'the pull request’s code';
    return { route: 'file', source, certain: true };
  }
  if (named !== undefined) return named;
  const [first] = events;
  if (first === undefined) return undefined;
  const item = `the content of the ${first.event} event`;
  if (agent.readsEvent) return { route: 'item', source: item, certain: true };
  if (!isInstructed(agent)) return undefined;
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
  }
  if (agent.command === undefined) return undefined;
  return originsOfCommand(agent.command, writtenIn(agent), repository).find(({ writer }) => writer === 'outsider')
    ?.source;
}

/** The action or the agent expands variables in a prompt, such as `${TITLE}`. */
function namedInput(agent: Agent, repository: Repository): AgentInput | undefined {
  for (const value of namedValues(agent)) {
    const taint = taintsIn(value, writtenIn(agent), repository).find(
      ({ writer, text: kind }) => writer === 'outsider' && kind !== 'structured',
    );
    if (taint === undefined) continue;
    const certain = printsVariables(agent);
    return { route: certain ? 'prompt' : 'item', source: taint.source, certain };
  }
  return undefined;
}

function namedValues(agent: Agent): readonly Text[] {
  const prompts = agent.prompts.map(({ value }) => value).join('\n');
  const names = new Set([...prompts.matchAll(/\$\{?(\w{1,100})/g)].map(([, name]) => name));
  return (writtenIn(agent).env?.entries ?? []).flatMap(({ name, value }) => (names.has(name) ? [value] : []));
}

export function scheduledInput(agent: Agent, repository: Repository): AgentInput | undefined {
  const { step, inner, command, prompts } = agent;
  const triggers = jobOf(step)?.workflow.triggers ?? [];
  if (inner !== undefined || !triggers.some(({ event }) => event === 'schedule')) return undefined;
  const source = 'the text of issues or pull requests';
  const pasted =
    command === undefined
      ? prompts.some((text) => holdsList(text, step, repository))
      : readsList(command, step, repository);
  if (pasted) return { route: 'prompt', source, certain: true };
  if (command !== undefined || !namedValues(agent).some((text) => holdsList(text, step, repository))) return undefined;
  const certain = printsVariables(agent);
  return { route: certain ? 'prompt' : 'item', source, certain };
}

function mentionsItem(step: Step): boolean {
  const job = jobOf(step);
  const inherited = [...(job?.env?.entries ?? []), ...(job?.workflow.env?.entries ?? [])];
  const handedOn = inherited.filter(({ value }) => namesItem(value));
  return textsBelow(step.mapping).some(
    (text) => namesItem(text) || handedOn.some(({ name }) => text.value.includes(name)),
  );
}

function namesItem(text: Text): boolean {
  if (ITEM.test(text.value)) return true;
  return expressionsIn(text).some(
    ({ node }) => node !== undefined && accessedPaths(node).some((path) => ITEM.test(path)),
  );
}

function preparedFromItem({ promptFile, step }: Agent): boolean {
  const name = promptFile?.value.split('/').at(-1);
  if (name === undefined || name === '') return false;
  return step.parent.steps
    .slice(0, step.index)
    .some((before) => before.run?.value.includes(name) === true && mentionsItem(before));
}
