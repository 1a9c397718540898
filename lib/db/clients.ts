import { createClient, type SupabaseClient } from '@supabase/supabase-js';

export interface DatabaseConfig {
  readonly url: string;
  readonly publishableKey: string;
  readonly secretKey: string;
}

declare const brand: unique symbol;

/** Bypasses row-level security. Only services that the layer test names may have one. */
export type AdminDb = SupabaseClient & { readonly [brand]: 'admin' };

/** Sees what one signed-in user may see. */
export type UserDb = SupabaseClient & { readonly [brand]: 'user' };

/** How long one call may take; a stuck database must not hold a request for ever. */
const TIMEOUT_MS = 10_000;

export function createAdminDb(config: DatabaseConfig): AdminDb {
  return connect(config.url, config.secretKey) as AdminDb;
}

export function createUserDb(config: DatabaseConfig, accessToken: string): UserDb {
  return connect(config.url, config.publishableKey, accessToken) as UserDb;
}

function connect(url: string, key: string, accessToken?: string): SupabaseClient {
  return createClient(url, key, {
    // The token of the caller is passed on as it is; no session is kept on a server.
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    ...(accessToken !== undefined && { accessToken: async () => accessToken }),
    global: { fetch: withTimeout },
    // The client asks for a WebSocket when made, which Node 20 lacks; nothing here uses one.
    realtime: { transport: noWebSocket as never },
  });
}

const withTimeout: typeof fetch = (input, init) => {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  return fetch(input, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, timeout]) : timeout });
};

function noWebSocket(): never {
  throw new Error('Realtime is not used.');
}
