'use client';

import { ThreeBarsIcon } from '@primer/octicons-react';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { type ReactNode, useEffect, useState } from 'react';
import { visible } from '#lib/report/visible.ts';
import { SITE } from '../../site.ts';
import { Logo } from '../domain/logo.tsx';
import { ThemeSwitch } from '../domain/theme-switch.tsx';
import { rememberOrg } from '../session/last-org.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Menu, MenuGroup, MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { Icon } from '../ui/octicon.tsx';
import { OrgProvider, useOrg, useUser } from './context.tsx';
import { NewsOffer } from './freshness/news.tsx';
import { orgLink, sectionOf } from './links.ts';
import { OfflineNotice } from './offline-notice.tsx';
import { useOrgs } from './orgs.ts';
import { Keyboard } from './palette/keyboard.tsx';
import { Problem } from './problem.tsx';
import { RunIndicator } from './run-indicator.tsx';
import { ShellSkeleton } from './shell-skeleton.tsx';
import { SideBar } from './side-bar.tsx';
import { usePush } from './use-push.ts';

export function Shell({ orgId, children }: { readonly orgId: string; readonly children: ReactNode }) {
  const { data: orgs, error, refetch } = useOrgs();
  const org = orgs?.find(({ id }) => id === orgId);
  useEffect(() => {
    if (org !== undefined) rememberOrg(org.id);
  }, [org]);
  if (org !== undefined) {
    return (
      <OrgProvider org={org}>
        <Frame>{children}</Frame>
      </OrgProvider>
    );
  }
  if (error !== null) {
    return (
      <Plain>
        <Problem error={error} what="Your organizations could not be read" onRetry={() => void refetch()} />
      </Plain>
    );
  }
  return orgs === undefined ? <ShellSkeleton /> : <NotYours />;
}

function NotYours() {
  const { name } = useUser();
  return (
    <Plain>
      <h1 className="mb-3 text-xl font-semibold">Not there, or not yours</h1>
      <p className="max-w-[70ch] text-muted">
        This organization does not exist, or {name} is not a member of it. Ask for an invite, or{' '}
        <a className="link" href="/o">
          open your own organizations
        </a>
        .
      </p>
    </Plain>
  );
}

export function Plain({ children }: { readonly children: ReactNode }) {
  return (
    <>
      <Bar isNamed>
        <span className="me-auto" />
      </Bar>
      <main id="main" tabIndex={-1} className="mx-auto w-full max-w-3xl flex-1 px-4 py-10 outline-none sm:px-6">
        {children}
      </main>
    </>
  );
}

function Frame({ children }: { readonly children: ReactNode }) {
  const pathname = usePathname();
  const { id } = useOrg();
  return (
    <>
      <NewsOffer key={id} />
      <Bar>
        <PhoneNavigation key={pathname} />
        <OrgMenu />
        <Keyboard />
      </Bar>
      <div className="flex w-full flex-1">
        <div className="w-52 shrink-0 border-e border-line max-md:hidden print:hidden">
          <SideBar />
        </div>
        <main id="main" tabIndex={-1} className="min-w-0 flex-1 px-4 py-6 outline-none sm:px-6">
          <div className="mx-auto w-full max-w-7xl">{children}</div>
        </main>
      </div>
    </>
  );
}

/** Its key is the address: following a link closes it. */
function PhoneNavigation() {
  const [open, setOpen] = useState(false);
  return (
    <div className="md:hidden">
      <button
        type="button"
        aria-label="Open the navigation"
        onClick={() => setOpen(true)}
        className="inline-flex size-9 cursor-pointer items-center justify-center rounded-control hover:bg-subtle"
      >
        <Icon of={ThreeBarsIcon} />
      </button>
      <Dialog open={open} title="Navigation" shape="start" onClose={() => setOpen(false)}>
        <SideBar />
      </Dialog>
    </div>
  );
}

interface BarProps {
  readonly isNamed?: boolean;
  readonly children: ReactNode;
}

function Bar({ isNamed = false, children }: BarProps) {
  return (
    <header className="sticky top-0 z-10 border-b border-line bg-page print:hidden">
      <div className="flex h-14 items-center gap-2 px-4 sm:px-6">
        <Link href="/o" prefetch={false} className="inline-flex items-center gap-2 py-1 font-semibold text-fg">
          <span className="text-accent">
            <Logo />
          </span>
          {isNamed && <span aria-hidden="true">{SITE.name}</span>}
          <span className="sr-only">{SITE.name}: your organization</span>
        </Link>
        {children}
        <RunIndicator />
        <div className="max-sm:hidden">
          <ThemeSwitch />
        </div>
        <PersonMenu />
      </div>
      <OfflineNotice />
    </header>
  );
}

function OrgMenu() {
  const current = useOrg();
  const { data: orgs = [] } = useOrgs();
  const push = usePush();
  const section = sectionOf(usePathname());
  return (
    <div className="me-auto min-w-0">
      <Menu
        label={`Organization: ${visible(current.name)}`}
        trigger={<span className="truncate font-semibold">{visible(current.name)}</span>}
        className="max-w-full"
      >
        <MenuGroup label="Organizations">
          {orgs.map(({ id, name }) => (
            <MenuItem key={id} checked={id === current.id} onPress={() => push(orgLink(id, section))}>
              <span className="min-w-0 wrap-anywhere">{visible(name)}</span>
            </MenuItem>
          ))}
        </MenuGroup>
        <MenuSeparator />
        <MenuItem onPress={() => push('/account?new=organization')}>Create a team</MenuItem>
        <MenuItem onPress={() => push('/setup')}>Connect repositories</MenuItem>
      </Menu>
    </div>
  );
}

function PersonMenu() {
  const { name, signOut } = useUser();
  const push = usePush();
  return (
    <Menu
      label={`Account of ${name}`}
      align="end"
      className="shrink-0"
      trigger={
        <span
          aria-hidden="true"
          className="flex size-7 items-center justify-center rounded-full bg-inset text-xs font-semibold uppercase"
        >
          {Array.from(name)[0]}
        </span>
      }
    >
      <MenuGroup label={`Signed in as ${name}`}>
        <MenuItem onPress={() => push('/account')}>Account</MenuItem>
        <MenuItem onPress={() => push('/account/notifications')}>Notifications</MenuItem>
        <MenuItem onPress={() => push('/invites')}>Invites</MenuItem>
      </MenuGroup>
      <MenuSeparator />
      <MenuItem onPress={signOut}>Sign out</MenuItem>
    </Menu>
  );
}
