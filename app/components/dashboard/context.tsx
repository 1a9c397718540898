'use client';

import { createContext, type ReactNode, use } from 'react';
import type { BrowserDb } from '#lib/db/browser.ts';
import type { Organization } from '#lib/db/shapes/organizations.ts';
import type { CallApi } from '../session/call-api.ts';
import type { Writes } from './freshness/writes.ts';
import type { Request } from './request.ts';

export interface User {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly host: string;
  readonly hostUrl: string;
  readonly connectUrl: string | null;
  readonly db: BrowserDb;
  readonly call: CallApi;
  readonly request: Request;
  readonly writes: Writes;
  readonly signOut: () => void;
}

const UserContext = createContext<User | null>(null);
const OrgContext = createContext<Organization | null>(null);

export function UserProvider({ user, children }: { readonly user: User; readonly children: ReactNode }) {
  return <UserContext value={user}>{children}</UserContext>;
}

export function OrgProvider({ org, children }: { readonly org: Organization; readonly children: ReactNode }) {
  return <OrgContext value={org}>{children}</OrgContext>;
}

export function useUser(): User {
  const user = use(UserContext);
  if (user === null) throw new Error('useUser outside of the dashboard');
  return user;
}

export function useOrg(): Organization {
  const org = use(OrgContext);
  if (org === null) throw new Error('useOrg outside of an organization');
  return org;
}
