import pMap from 'p-map';
import * as fixes from '#lib/db/queries/fix-pull-requests.ts';
import type { RefreshedFixes } from '#lib/db/shapes/campaigns.ts';
import { AppError } from '#lib/errors.ts';
import type { Services } from '../context.ts';

const PAGE = 1_000;
const INSTALLATIONS_AT_ONCE = 4;

/**
 * Asks the code host about every fix pull request without an outcome and stores the answers. Concurrent runs are safe,
 * and an installation that fails affects no other.
 */
export async function refreshFixes(services: Services): Promise<RefreshedFixes> {
  const total = { checked: 0, refreshed: 0, failed: 0 };
  const broken = new Set<string>();
  let last: fixes.OpenFix | null = null;
  for (;;) {
    const page: readonly fixes.OpenFix[] = await fixes.listOpen(services.adminDb(), last, PAGE);
    const counts = await pMap([...byInstallation(page)], (each) => refreshInstallation(services, each, broken), {
      concurrency: INSTALLATIONS_AT_ONCE,
    });
    const refreshed = counts.reduce((sum, count) => sum + count, 0);
    total.checked += page.length;
    total.refreshed += refreshed;
    total.failed += page.length - refreshed;
    last = page.at(-1) ?? null;
    if (page.length < PAGE) return total;
  }
}

async function refreshInstallation(
  services: Services,
  [installation, open]: readonly [string, readonly fixes.OpenFix[]],
  broken: Set<string>,
): Promise<number> {
  if (broken.has(installation)) return 0;
  const asked = open.map(({ scm_id, full_name, number }) => ({ scmId: scm_id, fullName: full_name, number }));
  let refreshed = 0;
  try {
    for await (const answers of services.codeHostApp().readPullRequests(installation, asked)) {
      const outcomes = answers.map(({ scmId, mergedAt, closedAt, mergeCommit, ...rest }) => ({
        scm_id: scmId,
        merged_at: mergedAt,
        closed_at: closedAt,
        merge_commit_sha: mergeCommit,
        ...rest,
      }));
      await fixes.recordOutcomes(services.adminDb(), outcomes);
      refreshed += answers.length;
    }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'scm-unreachable') throw error;
    broken.add(installation);
    services.log.warn('fix pull requests of an installation not refreshed', { installation, error });
  }
  return refreshed;
}

function byInstallation(page: readonly fixes.OpenFix[]): ReadonlyMap<string, readonly fixes.OpenFix[]> {
  const groups = new Map<string, fixes.OpenFix[]>();
  for (const each of page) {
    const group = groups.get(each.installation_id) ?? [];
    group.push(each);
    groups.set(each.installation_id, group);
  }
  return groups;
}
