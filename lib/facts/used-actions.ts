import type { Action, Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { parseAction } from '#lib/workflow/parse/action.ts';
import { createSource } from '#lib/workflow/text/source.ts';
import { nameOf, networkOf } from './action-lookups.ts';
import type { Facts, NetworkFacts } from './facts.ts';

/** Bound what definitions of others cost: each is parsed once for every step that uses it. */
const MAX_USES = 200;
const MAX_LENGTH = 50_000;
const MAX_TOTAL_LENGTH = 500_000;

const known = new WeakMap<NetworkFacts, WeakMap<Repository, Repository>>();

/** Adds the composite actions of other repositories whose definitions were looked up, without those that they use. */
export function withUsedActions(repository: Repository, facts: Facts): Repository {
  const network = networkOf(facts);
  if (network === undefined) return repository;
  const ofNetwork = known.get(network) ?? new WeakMap<Repository, Repository>();
  known.set(network, ofNetwork);
  const added = ofNetwork.get(repository) ?? addUsedActions(repository, network);
  ofNetwork.set(repository, added);
  return added;
}

function addUsedActions(repository: Repository, network: NetworkFacts): Repository {
  const usedActions = new Map<Step, Action>();
  let length = 0;
  for (const step of stepsOf(repository)) {
    if (usedActions.size >= MAX_USES) break;
    const reference = step.uses?.reference;
    if (reference?.kind !== 'repository') continue;
    const { slug, path, ref } = reference;
    const text = network.actions.get(slug)?.definitions?.get(`${path}@${ref}`);
    if (text === undefined || text.length > MAX_LENGTH || !/\bcomposite\b/i.test(text)) continue;
    length += text.length;
    if (length > MAX_TOTAL_LENGTH) break;
    const { definition } = parseAction(createSource(`${nameOf(reference)}@${ref}/action.yml`, text));
    if (definition?.using?.value === 'composite') usedActions.set(step, Object.assign(definition, { usedBy: step }));
  }
  return usedActions.size === 0 ? repository : { ...repository, usedActions };
}

function stepsOf({ workflows, actions }: Repository): readonly Step[] {
  return [...workflows.flatMap(({ jobs }) => jobs), ...actions].flatMap(({ steps }) => steps);
}
