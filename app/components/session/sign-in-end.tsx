'use client';

import { useEffect, useRef, useState } from 'react';
import { type BrowserDatabase, browserDb } from '#lib/db/browser.ts';
import { Banner } from '../ui/banner.tsx';
import { buttonClass } from '../ui/button.tsx';
import { readNext, takeNext } from './next-page.ts';

export function SignInEnd({ database }: { readonly database: BrowserDatabase }) {
  const [failed, setFailed] = useState(false);
  const begun = useRef(false);
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    void signInWithCode(database).then((signedIn) => (signedIn ? location.replace(takeNext()) : setFailed(true)));
  }, [database]);
  if (!failed) return <p className="needs-script text-muted">Signing you in.</p>;
  return (
    <Banner tone="warning" title="You are not signed in" role="alert">
      <p className="mb-3">
        The sign-in was cancelled, started in another browser, or took too long. Nothing was changed.
      </p>
      <a href={`/signin?next=${encodeURIComponent(readNext())}`} className={buttonClass('primary')}>
        Back to sign-in
      </a>
    </Banner>
  );
}

async function signInWithCode(database: BrowserDatabase): Promise<boolean> {
  const code = new URLSearchParams(location.search).get('code');
  if (code === null) return false;
  const { error } = await browserDb(database).auth.exchangeCodeForSession(code);
  return error === null;
}
