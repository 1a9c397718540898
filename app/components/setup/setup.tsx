'use client';

import { type ReactNode, useEffect, useMemo, useState } from 'react';
import type { BrowserDatabase } from '#lib/db/browser.ts';
import { createCallApi, type Tokens } from '../session/call-api.ts';
import { SignInButton } from '../session/sign-in-button.tsx';
import { useSession } from '../session/use-session.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { type Arrival, takeArrival } from './arrival.ts';
import { LinkResult } from './link-result.tsx';
import { Repositories } from './repositories.tsx';
import { useConnection } from './use-connection.ts';

interface Props {
  readonly database: BrowserDatabase;
  readonly host: string;
  readonly connectUrl: string | null;
  readonly notice: ReactNode;
}

export function Setup({ database, host, connectUrl, notice }: Props) {
  const [arrival, setArrival] = useState<Arrival | null | undefined>();
  const controls = useSession(database);
  const { session, signIn, signOut } = controls;
  useEffect(() => setArrival(takeArrival()), []);
  if (arrival === undefined || session.kind === 'unknown') {
    return <p className="needs-script text-muted">Checking whether you are signed in.</p>;
  }
  return (
    <>
      {arrival?.kind === 'requested' && (
        <Banner tone="neutral" title="The installation is waiting for an organization owner" className="mb-6">
          <p>Only an owner can install the app. {host} has asked them; come back to this page afterwards.</p>
        </Banner>
      )}
      {session.kind === 'signed-out' ? (
        <>
          {arrival?.kind === 'installed' && (
            <p className="mb-4">The app is installed. Sign in to confirm that the account is yours.</p>
          )}
          <SignInButton host={host} onPress={() => void signIn('/setup')} />
        </>
      ) : (
        <SignedIn
          key={session.userId}
          database={database}
          tokens={controls}
          arrival={arrival}
          name={session.name}
          host={host}
          connectUrl={connectUrl}
          notice={notice}
          onSignOut={() => void signOut().then(() => setArrival(takeArrival()))}
        />
      )}
    </>
  );
}

interface SignedInProps extends Props {
  readonly tokens: Tokens;
  readonly arrival: Arrival | null;
  readonly name: string;
  readonly onSignOut: () => void;
}

function SignedIn({ database, tokens, arrival, name, host, connectUrl, notice, onSignOut }: SignedInProps) {
  const call = useMemo(() => createCallApi(tokens), [tokens]);
  const { link, list, load, giveUpLink } = useConnection(database, call, arrival);
  return (
    <>
      <div className="mb-6 flex flex-wrap items-center gap-3">
        <p>
          Signed in as <strong className="font-semibold break-all">{name}</strong>
        </p>
        <Button onClick={onSignOut}>Sign out</Button>
      </div>
      <LinkResult link={link} host={host} onRetry={load} onGiveUp={giveUpLink} />
      <Repositories list={list} call={call} host={host} connectUrl={connectUrl} notice={notice} onReload={load} />
    </>
  );
}
