'use client';

import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { usePathname } from 'next/navigation';
import { NuqsAdapter } from 'nuqs/adapters/next/app';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type BrowserDatabase, browserDb } from '#lib/db/browser.ts';
import { createCallApi } from '../session/call-api.ts';
import { endLoops } from '../session/use-loop.ts';
import { type Session, type SessionControls, useSession } from '../session/use-session.ts';
import { UserProvider } from './context.tsx';
import { noticeWrites } from './freshness/writes.ts';
import { mayPass, requestWith } from './request.ts';
import { SessionEnded } from './session-ended.tsx';
import { ShellSkeleton } from './shell-skeleton.tsx';

interface Props {
  readonly database: BrowserDatabase;
  readonly host: string;
  readonly hostUrl: string;
  readonly connectUrl: string | null;
  readonly nonce: string;
  readonly children: ReactNode;
}

const RETRY_AFTER_MS = [1_000, 3_000];
const FRESH_MS = 30_000;

export function Dashboard({ database, nonce, children, ...site }: Props) {
  const controls = useSession(database);
  const { session } = controls;
  useEffect(() => {
    if (session.kind !== 'signed-out') return;
    endLoops();
    location.replace(signInAddress());
  }, [session.kind]);
  if (session.kind !== 'signed-in') return <ShellSkeleton />;
  return (
    <CSPProvider nonce={nonce}>
      <NuqsAdapter>
        <SignedIn key={session.userId} database={database} controls={controls} session={session} site={site}>
          {children}
        </SignedIn>
      </NuqsAdapter>
    </CSPProvider>
  );
}

interface SignedInProps {
  readonly database: BrowserDatabase;
  readonly controls: SessionControls;
  readonly session: Extract<Session, { kind: 'signed-in' }>;
  readonly site: Pick<Props, 'host' | 'hostUrl' | 'connectUrl'>;
  readonly children: ReactNode;
}

function SignedIn({ database, controls, session, site, children }: SignedInProps) {
  const [ended, setEnded] = useState(false);
  const [client] = useState(createClient);
  const { host, hostUrl, connectUrl } = site;
  const { userId: id, name, email } = session;
  const { signIn } = controls;
  useFocusOnNavigation();
  const signOut = useCallback(() => {
    endLoops();
    client.clear();
    sessionStorage.clear();
    void controls.signOut();
  }, [client, controls]);
  const user = useMemo(() => {
    const { call, writes } = noticeWrites(createCallApi(controls, () => setEnded(true)));
    const db = browserDb(database);
    return { id, name, email, host, hostUrl, connectUrl, db, call, request: requestWith(call), writes, signOut };
  }, [controls, database, id, name, email, host, hostUrl, connectUrl, signOut]);
  return (
    <QueryClientProvider client={client}>
      <UserProvider user={user}>{children}</UserProvider>
      {ended && <SessionEnded host={host} onSignIn={() => void signIn(location.pathname + location.search)} />}
    </QueryClientProvider>
  );
}

function useFocusOnNavigation(): void {
  const pathname = usePathname();
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    const heading =
      document.querySelector<HTMLElement>('main h1[tabindex]') ?? document.querySelector<HTMLElement>('main');
    heading?.focus({ preventScroll: true });
  }, [pathname]);
}

function createClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        // Changes made elsewhere are offered: lists do not move by themselves.
        refetchOnWindowFocus: false,
        retry: (failures, error) => failures < RETRY_AFTER_MS.length && mayPass(error),
        retryDelay: (failures) => RETRY_AFTER_MS[failures] ?? 0,
      },
    },
  });
}

function signInAddress(): string {
  return `/signin?${new URLSearchParams({ next: location.pathname + location.search }).toString()}`;
}
