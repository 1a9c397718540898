'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { COMBINATION_SEVERITIES, plural, SEVERITIES } from '../../../messages.ts';
import { SeverityChip } from '../../domain/severity-chip.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useOrg, useUser } from '../context.tsx';
import { EmptyState } from '../empty-state.tsx';
import { InviteNotice } from '../invites/invite-notice.tsx';
import { orgLink } from '../links.ts';
import { DashboardHeader } from '../page-header.tsx';
import { FixFirst } from '../paths/fix-first.tsx';
import { PathCard } from '../paths/path-card.tsx';
import { allPaths, usePaths } from '../paths/use-paths.ts';
import { Problem } from '../problem.tsx';
import { readOpenCounts } from './open-counts.ts';

const SHOWN_PATHS = 3;

export function OverviewPage() {
  const org = useOrg();
  return (
    <>
      <DashboardHeader title="Overview">
        <p>
          {org.personal ? 'Your own repositories.' : 'What an attacker could do in this organization, and what to fix.'}
        </p>
      </DashboardHeader>
      <InviteNotice />
      <OpenCounts />
      <WorstPaths />
    </>
  );
}

function OpenCounts() {
  const { id, db } = useUser();
  const org = useOrg();
  const { data, error, refetch } = useQuery({
    queryKey: [id, org.id, 'open-counts'],
    queryFn: () => readOpenCounts(db, org.id),
  });
  if (error !== null) {
    return <Problem error={error} what="The findings could not be counted" onRetry={() => void refetch()} />;
  }
  if (data === undefined) return <Skeleton lines={2} className="mb-8" />;
  if (data.repositories === 0) {
    return (
      <EmptyState title="No repository is connected">
        <a href="/setup" className={buttonClass('primary')}>
          Connect repositories
        </a>
      </EmptyState>
    );
  }
  return (
    <section aria-labelledby="open" className="mb-8">
      <h2 id="open" className="mb-2 font-semibold">
        Open findings
      </h2>
      <ul className="flex flex-wrap gap-2">
        {SEVERITIES.map((severity) => (
          <li key={severity}>
            <Link
              href={orgLink(org.id, 'findings', { sev: severity })}
              prefetch={false}
              className="no-underline hover:underline"
            >
              <SeverityChip severity={severity} count={data.open[severity]} />
            </Link>
          </li>
        ))}
      </ul>
      <p className="mt-2 text-sm text-muted">
        {plural(data.repositories, { one: '1 repository', other: '# repositories' })}
        {data.neverScanned > 0 && (
          <>
            {', '}
            <Link href={orgLink(org.id, 'repositories', { scanned: 'never' })} prefetch={false} className="link">
              {plural(data.neverScanned, { one: '1 never scanned', other: '# never scanned' })}
            </Link>
          </>
        )}
      </p>
    </section>
  );
}

function WorstPaths() {
  const org = useOrg();
  const { data, error, refetch } = usePaths();
  if (error !== null) {
    return <Problem error={error} what="The attack paths could not be read" onRetry={() => void refetch()} />;
  }
  if (data === undefined) return <Skeleton lines={6} />;
  if (data.total_combos === 0) return null;
  const paths = allPaths(data);
  return (
    <section aria-labelledby="paths">
      <div className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 id="paths" className="font-semibold">
          {plural(data.total_combos, { one: '1 attack path', other: '# attack paths' })}
        </h2>
        {COMBINATION_SEVERITIES.map((severity) => {
          const count = paths.filter(({ path }) => path.severity === severity).length;
          return count > 0 && <SeverityChip key={severity} severity={severity} count={count} />;
        })}
        <Link href={orgLink(org.id, 'paths')} prefetch={false} className="link text-sm">
          Show all
        </Link>
      </div>
      <FixFirst list={data} />
      <div className="space-y-3">
        {paths.slice(0, SHOWN_PATHS).map((found) => (
          <PathCard key={`${found.repoId} ${found.path.id} ${found.path.file}`} found={found} />
        ))}
      </div>
    </section>
  );
}
