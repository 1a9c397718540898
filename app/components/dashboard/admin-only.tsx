'use client';

import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { visible } from '#lib/report/visible.ts';
import { useOrg, useUser } from './context.tsx';
import { rowsOf } from './request.ts';

interface Props {
  readonly what: string;
  readonly children: ReactNode;
}

export function AdminOnly({ what, children }: Props) {
  const { role } = useOrg();
  return role === 'admin' ? children : <AskAdmin what={what} />;
}

export function AdminControls({ what, children }: Props) {
  const { role } = useOrg();
  return (
    <>
      {role !== 'admin' && <AskAdmin what={what} />}
      <fieldset disabled={role !== 'admin'} className="min-w-0">
        {children}
      </fieldset>
    </>
  );
}

export function AskAdmin({ what }: { readonly what: string }) {
  const { id, db } = useUser();
  const org = useOrg();
  const { data: admins = [] } = useQuery({
    queryKey: [id, org.id, 'admins'],
    queryFn: async () =>
      rowsOf(
        await db.from('org_members').select('email').eq('org_id', org.id).eq('role', 'admin').order('email').limit(3),
      ).flatMap(({ email }) => email ?? []),
  });
  return (
    <p className="mb-4 text-sm wrap-anywhere text-muted">
      {`Only an admin may ${what}`}
      {admins.length > 0 && `: ${admins.map(visible).join(', ')}`}
    </p>
  );
}
