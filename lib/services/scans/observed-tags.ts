import type { ObservedTagRow, UsedTag } from '#lib/db/queries/scans.ts';
import type { Facts, NetworkFacts, ObservedTag, Source } from '#lib/facts/facts.ts';
import { releaseTagsUsed } from '#lib/facts/observed-tags.ts';
import { actionsUsedBy } from '#lib/workflow/model/action-uses.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';

const MAX_TAGS = 1_000;

/** Returns the release tags in use and their commits. Too many are reported as missing: a part would pass for all. */
export function usedTags(repository: Repository, network: Source<NetworkFacts>): Source<readonly UsedTag[]> {
  if ('missing' in network) return network;
  const used = releaseTagsUsed(actionsUsedBy(repository), network.value);
  if (used.length > MAX_TAGS) return { missing: 'rate_limited' };
  return { value: used.map(({ slug, tag, commit = null }) => ({ action: slug, tag, commit })) };
}

export function observationsOf(
  rows: readonly ObservedTagRow[] | undefined,
  tags: Source<readonly UsedTag[]>,
): NonNullable<Facts['observations']> {
  if ('missing' in tags) return tags;
  if (rows === undefined) return { missing: 'offline' };
  const observed = new Map<string, Map<string, ObservedTag>>();
  for (const { action, tag, commit, at } of rows) {
    const ofAction = observed.get(action) ?? new Map<string, ObservedTag>();
    observed.set(action, ofAction.set(tag, { commit, at }));
  }
  return { value: observed };
}
