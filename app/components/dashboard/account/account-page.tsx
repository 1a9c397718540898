'use client';

import Link from 'next/link';
import { useTheme } from 'next-themes';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { visible } from '#lib/report/visible.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useUser } from '../context.tsx';
import { orgLink } from '../links.ts';
import { useOrgs } from '../orgs.ts';
import { Problem } from '../problem.tsx';
import { ShortcutSwitch } from '../shortcut-switch.tsx';
import { CreateTeam } from './create-team.tsx';
import { PersonPage } from './person-page.tsx';

export function AccountPage() {
  const { name, email, host, signOut } = useUser();
  return (
    <PersonPage title="Account">
      <div className="space-y-10 text-sm">
        <section aria-labelledby="you">
          <h2 id="you" className="mb-2 text-base font-semibold">
            You
          </h2>
          <p className="wrap-anywhere">
            Signed in with {host} as <strong className="font-semibold">{visible(name)}</strong>
            {email !== null && email !== name && `, ${visible(email)}`}.
          </p>
          <p className="mt-1 text-muted">
            {email === null
              ? `${host} gave no email address, so nobody can invite you. Confirm an address there and sign in again.`
              : 'Invites have to name this address. It comes from your sign-in.'}
          </p>
          <Button className="mt-3" onClick={signOut}>
            Sign out
          </Button>
        </section>
        <Organizations />
        <Preferences />
      </div>
    </PersonPage>
  );
}

function Organizations() {
  const { data: orgs, error, refetch } = useOrgs();
  const [opened, setOpened] = useQueryState('new', parseAsStringLiteral(['organization'] as const));
  return (
    <section aria-labelledby="organizations">
      <h2 id="organizations" className="mb-2 text-base font-semibold">
        Organizations
      </h2>
      {error !== null && (
        <Problem error={error} what="Your organizations could not be read" onRetry={() => void refetch()} />
      )}
      {orgs === undefined && error === null && <Skeleton lines={2} />}
      {orgs !== undefined && (
        <ul className="divide-y divide-line rounded-panel border border-line">
          {orgs.map((org) => (
            <li key={org.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3">
              <Link href={orgLink(org.id)} prefetch={false} className="link me-auto min-w-0 wrap-anywhere">
                {visible(org.name)}
              </Link>
              <span className="text-muted">{org.personal ? 'Yours alone' : org.role}</span>
            </li>
          ))}
        </ul>
      )}
      <p className="mt-3 text-muted">A team shares repositories, findings and decisions.</p>
      <Button className="mt-3" onClick={() => void setOpened('organization')}>
        Create a team
      </Button>
      <CreateTeam open={opened === 'organization'} onClose={() => void setOpened(null)} />
    </section>
  );
}

function Preferences() {
  const { theme, setTheme } = useTheme();
  return (
    <section aria-labelledby="preferences">
      <h2 id="preferences" className="mb-1 text-base font-semibold">
        Preferences
      </h2>
      <p className="mb-4 text-muted">They are kept on this device.</p>
      <Field label="Colours" className="max-w-60">
        <Select value={theme ?? 'system'} onChange={({ target }) => setTheme(target.value)}>
          <option value="system">As the system</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </Select>
      </Field>
      <div className="mt-4">
        <ShortcutSwitch />
      </div>
    </section>
  );
}
