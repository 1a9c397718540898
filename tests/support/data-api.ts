import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { createAdminDb, type DatabaseConfig } from '#lib/db/clients.ts';

export function createUserDb({ url, publishableKey }: DatabaseConfig, accessToken: string): SupabaseClient {
  return createClient(url, publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    accessToken: async () => accessToken,
    realtime: { transport: Object as never },
  });
}

export function createUntypedAdminDb(config: DatabaseConfig): SupabaseClient {
  return createAdminDb(config);
}
