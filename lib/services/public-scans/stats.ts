import * as publicScans from '#lib/db/queries/public-scans.ts';
import type { Env } from '#lib/env.ts';
import { severityRank } from '#lib/scanner/engine/finding.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { compareText } from '#lib/workflow/text/compare-text.ts';
import type { Services } from '../context.ts';

const CACHE_MS = 5 * 60_000;
/** Below this, the ranking would reveal single repositories. */
const ENOUGH_REPOSITORIES = 10;
const MAX_RULES = 10;

type PublicStats = ReturnType<typeof toStats>;

let cache: { readonly env: Env; readonly expires: number; readonly stats: Promise<PublicStats> } | undefined;

/** Returns coarse figures, computed at most once in five minutes per process. */
export async function readPublicStats(services: Services, now = performance.now()): Promise<PublicStats> {
  if (cache?.env !== services.env || cache.expires <= now) {
    const stats = publicScans.readStatistics(services.adminDb()).then(toStats);
    const entry = { env: services.env, expires: now + CACHE_MS, stats };
    cache = entry;
    stats.catch(() => {
      if (cache === entry) cache = undefined;
    });
  }
  return cache.stats;
}

function toStats({ repositories, workflows, findings, actions, rules: fired, recent }: publicScans.Statistics) {
  return {
    repositories_scanned: thousands(repositories),
    workflows_scanned: thousands(workflows),
    findings_found: thousands(findings),
    actions_scored: thousands(actions),
    top_rules: repositories < ENOUGH_REPOSITORIES ? [] : rank(fired),
    recent: recent.map(({ repo, counts, scanned_at }) => ({
      repo,
      findings: counts.HIGH + counts.MEDIUM + counts.LOW + counts.INFO,
      counts,
      scanned_at,
    })),
  };
}

function rank(fired: Readonly<Record<string, number>>) {
  return rules
    .filter(({ id }) => (fired[id] ?? 0) > 0)
    .sort(
      (a, b) =>
        severityRank(a.meta.severity) - severityRank(b.meta.severity) ||
        (fired[b.id] ?? 0) - (fired[a.id] ?? 0) ||
        compareText(a.id, b.id),
    )
    .slice(0, MAX_RULES)
    .map(({ id, meta: { title, category, severity } }) => ({ rule_id: id, title, category, severity }));
}

function thousands(count: number): string {
  return `${Math.floor(count / 1000)}k+`;
}
