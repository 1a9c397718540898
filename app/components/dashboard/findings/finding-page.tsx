'use client';

import { ArrowLeftIcon } from '@primer/octicons-react';
import Link from 'next/link';
import { visible } from '#lib/report/visible.ts';
import { Icon } from '../../ui/octicon.tsx';
import { useOrg } from '../context.tsx';
import { EmptyState } from '../empty-state.tsx';
import { orgLink } from '../links.ts';
import { DashboardHeader } from '../page-header.tsx';
import { usePageTitle } from '../use-page-title.ts';
import { type FindingKey, isFindingKey } from './filters.ts';
import { LazyFindingView } from './lazy-finding-view.tsx';
import { useFinding } from './use-finding.ts';

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
      {isFindingKey(key) ? (
        <Found {...key} />
      ) : (
        <>
          <DashboardHeader title="Finding" />
          <EmptyState title="This address names no finding" />
        </>
      )}
    </div>
  );
}

function Found(key: FindingKey) {
  const { data } = useFinding(key);
  const title = data?.entry.title;
  usePageTitle(data ? `${visible(data.entry.title)} in ${visible(data.repository.full_name)}` : undefined);
  return (
    <>
      <DashboardHeader title={title === undefined ? 'Finding' : visible(title)} />
      <LazyFindingView {...key} inDrawer={false} />
    </>
  );
}
