'use client';

import { useCallback, useEffect, useMemo, useState } from 'react';
import { type BrowserDatabase, browserDb } from '#lib/db/browser.ts';
import type { Tokens } from './call-api.ts';
import { storeNext } from './next-page.ts';
import { tellSessionChanged } from './stored-session.ts';

export type Session =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'signed-out' }
  | { readonly kind: 'signed-in'; readonly userId: string; readonly name: string; readonly email: string | null };

const CALLBACK_PATH = '/auth/callback';

export interface SessionControls extends Tokens {
  readonly session: Session;
  readonly signIn: (next: string) => Promise<void>;
  readonly signOut: () => Promise<void>;
}

export function useSession(database: BrowserDatabase): SessionControls {
  const [session, setSession] = useState<Session>({ kind: 'unknown' });
  const { url, publishableKey } = database;
  const db = useCallback(() => browserDb({ url, publishableKey }), [url, publishableKey]);

  useEffect(() => {
    const { data } = db().auth.onAuthStateChange((_event, current) => {
      const next: Session =
        current === null
          ? { kind: 'signed-out' }
          : {
              kind: 'signed-in',
              userId: current.user.id,
              name: nameOf(current.user),
              email: current.user.email ?? null,
            };
      tellSessionChanged();
      // A renewed token reports the same session again.
      setSession((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next));
    });
    return () => data.subscription.unsubscribe();
  }, [db]);

  const token = useCallback(async () => (await db().auth.getSession()).data.session?.access_token ?? null, [db]);
  const renew = useCallback(
    async () =>
      (
        await db()
          .auth.refreshSession()
          .catch(() => null)
      )?.data.session?.access_token ?? null,
    [db],
  );
  const signIn = useCallback(
    async (next: string) => {
      storeNext(next);
      const options = { redirectTo: `${location.origin}${CALLBACK_PATH}` };
      await db().auth.signInWithOAuth({ provider: 'github', options });
    },
    [db],
  );
  const signOut = useCallback(async () => {
    await db().auth.signOut({ scope: 'local' });
  }, [db]);
  return useMemo(() => ({ session, token, renew, signIn, signOut }), [session, token, renew, signIn, signOut]);
}

function nameOf(user: { readonly email?: string; readonly user_metadata: Readonly<Record<string, unknown>> }): string {
  const name = user.user_metadata['user_name'];
  return typeof name === 'string' ? name : (user.email ?? 'you');
}
