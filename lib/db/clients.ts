import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { outside } from '#lib/tracing.ts';
import type { Database } from './database.types.ts';

export interface DatabaseConfig {
  readonly url: string;
  readonly publishableKey: string;
  readonly secretKey: string;
  readonly timeoutMs?: number;
}

declare const brand: unique symbol;

export type AdminDb = SupabaseClient<Database> & { readonly [brand]: 'admin' };

const TIMEOUT_MS = 10_000;

export function createAdminDb({ url, secretKey, timeoutMs = TIMEOUT_MS }: DatabaseConfig): AdminDb {
  return createClient<Database>(url, secretKey, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    global: { fetch: within(timeoutMs) },
    // The client asks for a WebSocket when created, which Node 20 lacks; nothing here uses one.
    realtime: { transport: noWebSocket as never },
  }) as AdminDb;
}

function within(timeoutMs: number): typeof fetch {
  return (input, init) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = init?.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    const name = `database: ${pathname.replace(/^\/rest\/v1\/(?:rpc\/)?/, '')}`;
    return outside('database', name, () => fetch(input, { ...init, signal }));
  };
}

function noWebSocket(): never {
  throw new Error('Realtime is not used.');
}
