'use client';

import { ArrowLeftIcon } from '@primer/octicons-react';
import Link from 'next/link';
import { Icon } from '../../ui/octicon.tsx';
import { useOrg } from '../context.tsx';
import { EmptyState } from '../empty-state.tsx';
import { orgLink } from '../links.ts';
import { DashboardHeader } from '../page-header.tsx';
import { type FindingKey, isFindingKey } from './filters.ts';
import { LazyFindingView } from './lazy-finding-view.tsx';

export function FindingPage(key: FindingKey) {
  const org = useOrg();
  return (
    <div className="max-w-3xl">
      <p className="mb-4 text-sm">
        <Link href={orgLink(org.id, 'findings')} prefetch={false} className="link inline-flex items-center gap-1.5">
          <Icon of={ArrowLeftIcon} />
          Findings
        </Link>
      </p>
      <DashboardHeader title="Finding" />
      {isFindingKey(key) ? <LazyFindingView {...key} /> : <EmptyState title="This address names no finding" />}
    </div>
  );
}
