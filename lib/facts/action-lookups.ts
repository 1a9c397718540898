import { type RepositoryReference, usesOf } from '#lib/workflow/model/action-uses.ts';
import type { Definition, Job, Step, Uses } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import type { ActionFacts, Facts, NetworkFacts } from './facts.ts';

export interface RepositoryUse {
  readonly uses: Uses;
  readonly at: Step | Job;
  readonly reference: RepositoryReference;
}

export function* repositoryUsesOf(definition: Definition): Generator<RepositoryUse> {
  for (const { uses, at } of usesOf(definition)) {
    const { reference } = uses;
    if (reference?.kind === 'repository') yield { uses, at, reference };
  }
}

export function* knownUsesOf(
  definition: Definition,
  facts: Facts,
): Generator<RepositoryUse & { readonly known: ActionFacts }> {
  const network = networkOf(facts);
  if (network === undefined) return;
  for (const use of repositoryUsesOf(definition)) {
    const known = network.actions.get(use.reference.slug);
    if (known !== undefined) yield { ...use, known };
  }
}

export function* distinctUsesIn(
  { workflows, actions }: Repository,
  facts: Facts,
): Generator<RepositoryUse & { readonly known: ActionFacts }> {
  const seen = new Set<string>();
  for (const definition of [...workflows, ...actions]) {
    for (const use of knownUsesOf(definition, facts)) {
      const { slug, path, ref } = use.reference;
      const key = JSON.stringify([slug, path, ref]);
      if (!seen.has(key)) yield use;
      seen.add(key);
    }
  }
}

export function networkOf({ network }: Facts): NetworkFacts | undefined {
  return 'value' in network ? network.value : undefined;
}

export function nameOf({ owner, repo, path }: RepositoryReference): string {
  return [owner, repo, ...(path === '' ? [] : [path])].join('/');
}
