'use client';

import { useEffect } from 'react';
import type { BrowserDatabase } from '#lib/db/browser.ts';
import { safeNext } from './next-page.ts';
import { SignInButton } from './sign-in-button.tsx';
import { useSession } from './use-session.ts';

interface Props {
  readonly database: BrowserDatabase;
  readonly host: string;
}

export function SignIn({ database, host }: Props) {
  const { session, signIn } = useSession(database);
  const signedIn = session.kind === 'signed-in';
  useEffect(() => {
    if (signedIn) location.replace(nextOfPage());
  }, [signedIn]);
  if (session.kind !== 'signed-out')
    return <p className="needs-script text-muted">Checking whether you are signed in.</p>;
  return <SignInButton host={host} onPress={() => void signIn(nextOfPage())} />;
}

function nextOfPage(): string {
  return safeNext(new URLSearchParams(location.search).get('next'));
}
