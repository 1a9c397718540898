'use client';

import { useCallback, useEffect, useState } from 'react';
import { type BrowserDatabase, browserDb } from '#lib/db/browser.ts';

export type Session =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'signed-out' }
  | { readonly kind: 'signed-in'; readonly userId: string; readonly name: string };

/** Where a sign-in comes back to. */
const CALLBACK_PATH = '/auth/callback';

/** Who is signed in with this browser, and how to change that. */
export function useSession(database: BrowserDatabase): {
  readonly session: Session;
  /** The access token, renewed when it is about to expire; null when nobody is signed in any more. */
  readonly token: () => Promise<string | null>;
  /** Leaves this page for the code host's. */
  readonly signIn: () => Promise<void>;
  readonly signOut: () => Promise<void>;
} {
  const [session, setSession] = useState<Session>({ kind: 'unknown' });
  const { url, publishableKey } = database;
  const db = useCallback(() => browserDb({ url, publishableKey }), [url, publishableKey]);

  useEffect(() => {
    const { data } = db().auth.onAuthStateChange((_event, current) => {
      const next: Session =
        current === null
          ? { kind: 'signed-out' }
          : { kind: 'signed-in', userId: current.user.id, name: nameOf(current.user) };
      // A renewed token tells the same once more.
      setSession((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next));
    });
    return () => data.subscription.unsubscribe();
  }, [db]);

  const token = useCallback(async () => (await db().auth.getSession()).data.session?.access_token ?? null, [db]);
  const signIn = useCallback(async () => {
    const options = { redirectTo: `${location.origin}${CALLBACK_PATH}` };
    await db().auth.signInWithOAuth({ provider: 'github', options });
  }, [db]);
  const signOut = useCallback(async () => {
    // Of this browser alone: other devices stay signed in.
    await db().auth.signOut({ scope: 'local' });
  }, [db]);
  return { session, token, signIn, signOut };
}

function nameOf(user: { readonly email?: string; readonly user_metadata: Readonly<Record<string, unknown>> }): string {
  const name = user.user_metadata['user_name'];
  return typeof name === 'string' ? name : (user.email ?? 'you');
}
