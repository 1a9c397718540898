import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { Database } from './database.types.ts';

/** What a browser needs to know of the database. Both are public; they are handed over when the page is made. */
export interface BrowserDatabase {
  readonly url: string;
  readonly publishableKey: string;
}

declare const brand: unique symbol;

/** The database as the person in front of the browser sees it, with the session kept in this browser. */
export type BrowserDb = SupabaseClient<Database> & { readonly [brand]: 'browser' };

/** What the last scan of a repository counted; open findings only. */
export interface LastScan {
  /** RFC 3339. */
  readonly finishedAt: string;
  readonly counts: Readonly<Record<'HIGH' | 'MEDIUM' | 'LOW' | 'INFO', number>>;
}

/** The database's own bound for the rows of one answer. */
const PAGE_ROWS = 1000;

let connected: BrowserDb | undefined;

/** The one client of this page: two of them would fight over the session. Only for browsers. */
export function browserDb({ url, publishableKey }: BrowserDatabase): BrowserDb {
  connected ??= createClient<Database>(url, publishableKey, {
    // Codes in addresses are read by the page that expects one: the code host puts one of its own into others.
    auth: { flowType: 'pkce', detectSessionInUrl: false },
  }) as BrowserDb;
  return connected;
}

/** The last scan of each repository that the person may see, by the repository's id. Throws when it cannot be read. */
export async function readLastScans(db: BrowserDb): Promise<ReadonlyMap<string, LastScan>> {
  const found = new Map<string, LastScan>();
  for (let from = 0; ; from += PAGE_ROWS) {
    const { data, error } = await db
      .from('repositories')
      .select('id, last_scan:scans!repositories_last_scan_id_id_org_id_fkey(finished_at, high, medium, low, info)')
      .is('removed_at', null)
      .order('id')
      .range(from, from + PAGE_ROWS - 1);
    if (error !== null) throw new Error('The last scans could not be read.', { cause: error });
    for (const { id, last_scan: scan } of data) {
      if (scan === null) continue;
      const { finished_at: finishedAt, high, medium, low, info } = scan;
      found.set(id, { finishedAt, counts: { HIGH: high, MEDIUM: medium, LOW: low, INFO: info } });
    }
    if (data.length < PAGE_ROWS) return found;
  }
}
