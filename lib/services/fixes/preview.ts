import * as fixes from '#lib/db/queries/fix-pull-requests.ts';
import * as scans from '#lib/db/queries/scans.ts';
import { AppError } from '#lib/errors.ts';
import type { Ruleset } from '#lib/scanner/engine/rulesets.ts';
import type { Services } from '../context.ts';
import type { Proposal } from './proposals.ts';
import { propose } from './read.ts';

export interface PreviewRequest {
  readonly file?: string | undefined;
  readonly rule_ids?: readonly string[] | undefined;
  readonly ruleset: Ruleset;
  readonly include_review: boolean;
}

export interface FixPreview {
  readonly commit_sha: string | null;
  readonly files: readonly (Pick<Proposal, 'file' | 'diff' | 'fixes' | 'refused'> & { readonly changed: boolean })[];
}

/** Makes the fixes of a repository that belongs to an organization of the caller. Stores nothing. */
export async function previewFixes(
  services: Services,
  userId: string,
  repoId: string,
  { file, rule_ids: ruleIds, ruleset, include_review: includeReview }: PreviewRequest,
): Promise<FixPreview> {
  const db = services.adminDb();
  const target = await scans.getTarget(db, userId, repoId);
  const triaged = await fixes.listTriaged(db, repoId);
  const choice = { ruleset, disabledRules: target.disabled_rules, ruleIds, file, includeReview, triaged };
  const { head, files, isComplete } = await propose(services, target, choice);
  if (!isComplete) throw new AppError('timed-out', 'The fixes take too long. Ask for one file, or for fewer rules.');
  return {
    commit_sha: head.commit,
    files: files.map((each) => ({
      file: each.file,
      changed: each.before !== each.after,
      diff: each.diff,
      fixes: each.fixes,
      refused: each.refused,
    })),
  };
}
