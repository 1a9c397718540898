'use client';

import { type ReactNode, useEffect, useMemo, useState } from 'react';
import type { BrowserDatabase } from '#lib/db/browser.ts';
import { visible } from '#lib/report/visible.ts';
import { createCallApi, type Tokens } from '../session/call-api.ts';
import { SignInButton } from '../session/sign-in-button.tsx';
import { endLoops } from '../session/use-loop.ts';
import { useSession } from '../session/use-session.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { Field, Select } from '../ui/field.tsx';
import { type Arrival, takeArrival } from './arrival.ts';
import { ChooseOrganization } from './choose-organization.tsx';
import { LinkResult } from './link-result.tsx';
import { Permissions } from './permissions.tsx';
import { Repositories } from './repositories.tsx';
import { type FirstSteps, useConnection } from './use-connection.ts';

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
          <p>Only an owner can install the app. The owners were asked at {host}; come back to this page afterwards.</p>
        </Banner>
      )}
      {session.kind === 'signed-out' ? (
        <>
          {arrival?.kind === 'installed' && (
            <p className="mb-4">The app is installed. Sign in to confirm that the account is yours.</p>
          )}
          <SignInButton host={host} onPress={() => void signIn('/setup')} />
          <Permissions host={host} />
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
          onSignOut={() => {
            endLoops();
            void signOut().then(() => setArrival(takeArrival()));
          }}
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
  const steps = useConnection(database, call, arrival);
  const { orgs, org, link, list, load, giveUpLink, connectTo } = steps;
  const isSettled = link.kind === 'asking' || (link.kind !== 'linking' && list.kind !== 'loading');
  return (
    <>
      <div className="mb-6 flex flex-wrap items-end gap-x-4 gap-y-3">
        <p className="me-auto flex min-h-10 items-center">
          <span>
            Signed in as <strong className="font-semibold wrap-anywhere">{name}</strong>
          </span>
        </p>
        {link.kind !== 'asking' && <OrganizationChoice {...steps} />}
        <Button onClick={onSignOut}>Sign out</Button>
      </div>
      {link.kind === 'asking' && <ChooseOrganization orgs={orgs} call={call} onChoose={connectTo} />}
      <LinkResult link={link} org={org} host={host} onRetry={load} onGiveUp={giveUpLink} />
      {link.kind !== 'asking' && link.kind !== 'linking' && (
        <Repositories
          key={org?.id}
          list={list}
          org={org}
          call={call}
          host={host}
          connectUrl={connectUrl}
          notice={notice}
          onReload={load}
        />
      )}
      {isSettled && <Permissions host={host} />}
    </>
  );
}

function OrganizationChoice({ orgs, org, list, open }: FirstSteps) {
  return (
    <Field label="Organization" className="w-56 max-w-full">
      <Select
        value={org?.id ?? ''}
        disabled={org === null}
        onChange={({ target }) => {
          const chosen = orgs.find(({ id }) => id === target.value);
          if (chosen !== undefined) open(chosen);
        }}
      >
        {org === null && <option value="">{list.kind === 'loading' ? 'Loading' : 'Unknown'}</option>}
        {orgs.map(({ id, name }) => (
          <option key={id} value={id}>
            {visible(name)}
          </option>
        ))}
      </Select>
    </Field>
  );
}
