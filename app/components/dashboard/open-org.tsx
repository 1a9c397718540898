'use client';

import { useQuery } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useEffect } from 'react';
import { lastOrg } from '../session/last-org.ts';
import { useUser } from './context.tsx';
import { orgLink } from './links.ts';
import { useOrgs } from './orgs.ts';
import { Problem } from './problem.tsx';
import { rowsOf } from './request.ts';
import { Plain } from './shell.tsx';
import { ShellSkeleton } from './shell-skeleton.tsx';

export function OpenOrg() {
  const { id, db } = useUser();
  const router = useRouter();
  const orgs = useOrgs();
  const connected = useQuery({
    queryKey: [id, 'connected'],
    queryFn: async () => rowsOf(await db.from('installations').select('id').is('removed_at', null).limit(1)).length > 0,
  });
  const org = orgs.data && lastOrg(orgs.data);
  useEffect(() => {
    if (org === undefined || connected.data === undefined) return;
    router.replace(connected.data || !org.personal ? orgLink(org.id) : '/setup');
  }, [org, connected.data, router]);
  const error = orgs.error ?? connected.error;
  if (error === null) return <ShellSkeleton />;
  return (
    <Plain>
      <Problem error={error} what="Your organizations could not be read" onRetry={() => location.reload()} />
    </Plain>
  );
}
