import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { createAdminDb, type DatabaseConfig } from '#lib/db/clients.ts';

/** Connects to the Data API with a user's access token, under row-level security. */
export function createUserDb({ url, publishableKey }: DatabaseConfig, accessToken: string): SupabaseClient {
  return createClient(url, publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    accessToken: async () => accessToken,
    realtime: { transport: Object as never },
  });
}

/** Connects as the service to tables that the generated types do not know. */
export function createUntypedAdminDb(config: DatabaseConfig): SupabaseClient {
  return createAdminDb(config);
}
