import type { UsedAction } from '#lib/workflow/model/action-uses.ts';
import { isFullSha } from '#lib/workflow/model/reference.ts';
import { isExact, parseVersion } from '#lib/workflow/model/versions.ts';
import type { NetworkFacts } from './facts.ts';

export interface ReleaseTag {
  readonly slug: string;
  readonly tag: string;
  readonly commit: string | undefined;
}

export function releaseTagsUsed(used: readonly UsedAction[], { actions }: NetworkFacts): readonly ReleaseTag[] {
  return used.flatMap(({ slug, references }) => {
    const tags = actions.get(slug)?.tags;
    if (tags === undefined) return [];
    return [...new Set(references.map(({ ref }) => ref))].flatMap((tag) => {
      const version = parseVersion(tag);
      if (version === undefined || !isExact(version)) return [];
      const commit = tags.get(tag);
      return [{ slug, tag, commit: commit !== undefined && isFullSha(commit) ? commit : undefined }];
    });
  });
}
