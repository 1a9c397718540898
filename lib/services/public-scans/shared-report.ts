import type { ComboSeverity } from '#lib/combos/combo.ts';
import { combos } from '#lib/combos/combos/index.ts';
import * as publicScans from '#lib/db/queries/public-scans.ts';
import type { PublicScanReport } from '#lib/db/shapes/public-scans.ts';
import { AppError } from '#lib/errors.ts';
import { isRepositoryName, type RepositoryName } from '#lib/hosts/code-host/repository-name.ts';
import type { Services } from '../context.ts';
import { type OldData, oldDataAt } from '../pages/old-data.ts';
import { type BadgeCounts, badgeOf } from './badge.ts';
import { CACHE_SECONDS, keyOf, toReport } from './scan.ts';

export interface ReportedPath {
  readonly id: string;
  readonly severity: ComboSeverity;
  readonly count: number;
  readonly title: string;
  readonly impact: string;
  readonly stages: readonly { readonly title: string; readonly breaks: boolean }[];
}

export interface SharedReport {
  readonly report: PublicScanReport & { readonly slug: string };
  readonly badge: BadgeCounts;
  /** Missing for scans stored before attack paths were. */
  readonly outlook:
    | {
        readonly paths: readonly ReportedPath[];
        readonly fixes: number | null;
        readonly checks: publicScans.ScanOutlook['checks'];
      }
    | undefined;
  readonly commit: string | null;
  readonly engineVersion: string | null;
  readonly freshFrom: string;
  readonly isRescannable: boolean;
  readonly outdated: boolean;
  readonly oldData: OldData | undefined;
}

export async function readSharedReport(services: Services, slug: string): Promise<SharedReport> {
  const db = services.adminDb();
  const stored = await publicScans.findBySlug(db, slug);
  if (stored === null) throw new AppError('not-found', 'There is no report at this address.');
  return toShared(stored, (await publicScans.findNewest(db, keyOf(stored.repo))) ?? stored);
}

export async function readNewestReport(services: Services, name: RepositoryName): Promise<SharedReport | null> {
  if (!isRepositoryName(name)) return null;
  const stored = await publicScans.findNewest(services.adminDb(), keyOf(`${name.owner}/${name.name}`));
  return stored === null ? null : toShared(stored, stored);
}

function toShared(stored: publicScans.StoredScan, newest: publicScans.StoredScan): SharedReport {
  const report = { ...toReport(stored, true), slug: stored.slug };
  const freshFrom = Date.parse(newest.scanned_at) + CACHE_SECONDS * 1000;
  const { attack_paths, path_fixes, checks } = stored;
  return {
    report,
    badge: badgeOf(report),
    outlook:
      attack_paths === null || checks === null
        ? undefined
        : { paths: attack_paths.flatMap(describe), fixes: path_fixes, checks },
    commit: stored.commit_sha,
    engineVersion: stored.engine_version,
    freshFrom: new Date(freshFrom).toISOString(),
    isRescannable: freshFrom <= Date.now(),
    outdated: newest.slug !== stored.slug,
    oldData: oldDataAt(new Date(stored.scanned_at)),
  };
}

function describe({ id, severity, count }: publicScans.FoundPath): ReportedPath[] {
  const combo = combos.find((each) => each.id === id);
  if (combo === undefined) return [];
  const { title, impact, stages, breakChain } = combo;
  return [
    {
      id,
      severity,
      count,
      title,
      impact,
      stages: stages.map(({ slot, title: stage }) => ({ title: stage, breaks: slot === breakChain.slot })),
    },
  ];
}
