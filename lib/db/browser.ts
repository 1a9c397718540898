import { AuthClient } from '@supabase/auth-js';
import { PostgrestClient } from '@supabase/postgrest-js';
import type { SupabaseClient } from '@supabase/supabase-js';
import type { Database } from './database.types.ts';

export interface BrowserDatabase {
  readonly url: string;
  readonly publishableKey: string;
}

declare const brand: unique symbol;

export type BrowserDb = Pick<SupabaseClient<Database>, 'auth' | 'from' | 'rpc'> & { readonly [brand]: 'browser' };

export interface LastScan {
  readonly finishedAt: string;
  readonly counts: Readonly<Record<'HIGH' | 'MEDIUM' | 'LOW' | 'INFO', number>>;
}

const PAGE_ROWS = 1000;

let connected: BrowserDb | undefined;

/** Returns the only client of the page: two would compete for the session. */
export function browserDb({ url, publishableKey }: BrowserDatabase): BrowserDb {
  connected ??= connect(url, publishableKey);
  return connected;
}

/** `createClient` without what pages do not use: channels, files and functions are a third of its 60 kB. */
function connect(url: string, key: string): BrowserDb {
  const auth = new AuthClient({
    url: `${url}/auth/v1`,
    headers: { apikey: key, authorization: `Bearer ${key}` },
    storageKey: `sb-${new URL(url).hostname.split('.')[0]}-auth-token`,
    // Codes in URLs are read by the page that expects one; GitHub puts its own code into others.
    flowType: 'pkce',
    detectSessionInUrl: false,
  });
  const rest = new PostgrestClient<Database>(`${url}/rest/v1`, {
    // Pages repeat their reads themselves: an error would show after 25 seconds instead of 4.
    retry: false,
    fetch: async (input, init) => {
      const { data } = await auth.getSession();
      const headers = new Headers(init?.headers);
      headers.set('apikey', key);
      headers.set('authorization', `Bearer ${data.session?.access_token ?? key}`);
      return fetch(input, { ...init, headers });
    },
  });
  return { auth, from: rest.from.bind(rest), rpc: rest.rpc.bind(rest) } as unknown as BrowserDb;
}

export async function readLastScans(db: BrowserDb, orgId: string): Promise<ReadonlyMap<string, LastScan>> {
  const found = new Map<string, LastScan>();
  for (let from = 0; ; from += PAGE_ROWS) {
    const { data, error } = await db
      .from('repositories')
      .select('id, last_scan:scans!repositories_last_scan_id_id_org_id_fkey(finished_at, high, medium, low, info)')
      .eq('org_id', orgId)
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

interface Connection {
  readonly orgId: string;
  readonly installationId: string;
  readonly account: string;
  readonly suspended: boolean;
}

export async function readConnections(db: BrowserDb): Promise<readonly Connection[]> {
  const { data, error } = await db
    .from('installations')
    .select('org_id, installation_id, account, suspended_at')
    .is('removed_at', null)
    .order('account')
    .order('id')
    .limit(PAGE_ROWS);
  if (error !== null) throw new Error('The connections could not be read.', { cause: error });
  return data.map((row) => ({
    orgId: row.org_id,
    installationId: String(row.installation_id),
    account: row.account,
    suspended: row.suspended_at !== null,
  }));
}
