import type { BrowserDb } from '#lib/db/browser.ts';
import type { Severity } from '../../../messages.ts';
import { rowsOf } from '../request.ts';

export interface OpenCounts {
  readonly repositories: number;
  readonly neverScanned: number;
  readonly open: Readonly<Record<Severity, number>>;
}

const PAGE_ROWS = 1_000;

/** Sums the open findings of each repository's last scan. */
export async function readOpenCounts(db: BrowserDb, orgId: string): Promise<OpenCounts> {
  const open = { HIGH: 0, MEDIUM: 0, LOW: 0, INFO: 0 };
  let repositories = 0;
  let neverScanned = 0;
  for (let from = 0; ; from += PAGE_ROWS) {
    const rows = rowsOf(
      await db
        .from('repositories')
        .select('id, last_scan:scans!repositories_last_scan_id_id_org_id_fkey(high, medium, low, info)')
        .eq('org_id', orgId)
        .is('removed_at', null)
        .order('id')
        .range(from, from + PAGE_ROWS - 1),
    );
    repositories += rows.length;
    for (const { last_scan: scan } of rows) {
      if (scan === null) {
        neverScanned += 1;
        continue;
      }
      open.HIGH += scan.high;
      open.MEDIUM += scan.medium;
      open.LOW += scan.low;
      open.INFO += scan.info;
    }
    if (rows.length < PAGE_ROWS) return { repositories, neverScanned, open };
  }
}
