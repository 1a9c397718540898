'use client';

import { MarkGithubIcon } from '@primer/octicons-react';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import type { BrowserDatabase } from '#lib/db/browser.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/octicon.tsx';
import { createCallApi } from './api.ts';
import { type Arrival, takeArrival } from './arrival.ts';
import { LinkResult } from './link-result.tsx';
import { Repositories } from './repositories.tsx';
import { useConnection } from './use-connection.ts';
import { useSession } from './use-session.ts';

interface Props {
  readonly database: BrowserDatabase;
  readonly host: string;
  readonly connectUrl: string | null;
  readonly notice: ReactNode;
}

export function Setup({ database, host, connectUrl, notice }: Props) {
  const [arrival, setArrival] = useState<Arrival | null | undefined>();
  const { session, token, signIn, signOut } = useSession(database);
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
          <Button variant="primary" className="min-h-11 px-5" onClick={() => void signIn()}>
            <Icon of={MarkGithubIcon} />
            {`Continue with ${host === 'github.com' ? 'GitHub' : host}`}
          </Button>
          <p className="mt-3 max-w-[70ch] text-sm text-muted">
            Signing in shares your identity and email address. Repository access was set when you installed the app.
          </p>
        </>
      ) : (
        <SignedIn
          key={session.userId}
          database={database}
          token={token}
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
  readonly token: () => Promise<string | null>;
  readonly arrival: Arrival | null;
  readonly name: string;
  readonly onSignOut: () => void;
}

function SignedIn({ database, token, arrival, name, host, connectUrl, notice, onSignOut }: SignedInProps) {
  const call = useMemo(() => createCallApi(token), [token]);
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
