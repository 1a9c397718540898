'use client';

import Link from 'next/link';
import { COMBINATION_SEVERITIES, SEVERITIES } from '../../../messages.ts';
import { plural } from '../../../numbers.ts';
import { SeverityChip } from '../../domain/severity-chip.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Funnel } from '../campaigns/funnel.tsx';
import { useRecordsMerges } from '../campaigns/use-campaigns.ts';
import { useOrg, useUser } from '../context.tsx';
import { useOpenCounts } from '../findings/use-findings.ts';
import { InviteNotice } from '../invites/invite-notice.tsx';
import { orgLink } from '../links.ts';
import { NothingFound } from '../nothing-found.tsx';
import { DashboardHeader } from '../page-header.tsx';
import { FixFirst } from '../paths/fix-first.tsx';
import { PathCard } from '../paths/path-card.tsx';
import { allPaths, useWaitForPaths, useWorstPaths, WORST_PATHS } from '../paths/use-paths.ts';
import { WaitingForPaths } from '../paths/waiting.tsx';
import { Problem } from '../problem.tsx';
import { isAwaited } from '../request.ts';
import { Coverage } from './coverage.tsx';
import { useLastLook } from './last-look.ts';
import { SinceLastLook } from './since.tsx';
import { Trend } from './trend.tsx';
import { useFixes, useNewCounts, useScanCoverage, useSince } from './use-overview.ts';

const SHOWN_PATHS = 3;

export function OverviewPage() {
  const { id } = useUser();
  const org = useOrg();
  const since = useLastLook(id, org.id);
  const counted = useScanCoverage();
  const opened = useOpenCounts();
  const searched = useWorstPaths();
  const news = [useSince(since), useNewCounts(since)];
  const { data: coverage } = counted;
  const isScanned = coverage !== undefined && coverage.repositories > coverage.never;
  return (
    <>
      <DashboardHeader title="Overview">
        <p>
          {org.personal ? 'Your own repositories.' : 'What an attacker could do in this organization, and what to fix.'}
        </p>
      </DashboardHeader>
      <InviteNotice />
      {isAwaited([counted, opened, ...(since === null ? [] : news)]) ? (
        <Skeleton lines={12} />
      ) : coverage !== undefined && !isScanned ? (
        <NothingFound title="No open findings" />
      ) : (
        <>
          <OpenCounts />
          {isScanned && since !== null && <SinceLastLook since={since} />}
          <WorstPaths />
          {!isAwaited([searched]) && <Rest isScanned={isScanned} />}
        </>
      )}
    </>
  );
}

function Rest({ isScanned }: { readonly isScanned: boolean }) {
  return (
    <div className="mt-10 grid gap-x-10 gap-y-10 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)] lg:grid-rows-[auto_1fr]">
      <div className="min-w-0 lg:col-start-2">
        <Coverage />
      </div>
      {isScanned && (
        <>
          <div className="min-w-0 lg:col-start-1 lg:row-span-2 lg:row-start-1">
            <Trend />
          </div>
          <div className="min-w-0 lg:col-start-2">
            <Fixes />
          </div>
        </>
      )}
    </div>
  );
}

function OpenCounts() {
  const org = useOrg();
  const { data, error, refetch } = useOpenCounts();
  if (error !== null) {
    return <Problem error={error} what="The findings could not be counted" onRetry={() => void refetch()} />;
  }
  if (data === undefined) return <Skeleton lines={2} className="mb-8" />;
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
              <SeverityChip severity={severity} count={data[severity]} />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function WorstPaths() {
  const org = useOrg();
  const { data, error, refetch } = useWorstPaths();
  const reason = useWaitForPaths();
  if (error !== null) {
    return <Problem error={error} what="The attack paths could not be read" onRetry={() => void refetch()} />;
  }
  if (data === undefined) return <WaitingForPaths reason={reason} lines={6} />;
  if (data.total_combos === 0) {
    const complete = data.coverage.every(({ blinded_repos, partial_repos }) => blinded_repos + partial_repos === 0);
    return <NothingFound title="No attack path" complete={complete} />;
  }
  const { total_combos: total, critical_count: critical, high_count: high } = data;
  const counts = { CRITICAL: critical, HIGH: high, MEDIUM: total - critical - high };
  return (
    <section aria-labelledby="paths">
      <div className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 id="paths" className="font-semibold">
          {plural(total, { one: '1 attack path', other: '# attack paths' })}
        </h2>
        {COMBINATION_SEVERITIES.map(
          (severity) =>
            counts[severity] > 0 && <SeverityChip key={severity} severity={severity} count={counts[severity]} />,
        )}
        <Link href={orgLink(org.id, 'paths')} prefetch={false} className="link text-sm">
          Show all
        </Link>
      </div>
      <FixFirst list={data} ends={Math.min(total, WORST_PATHS)} />
      <div className="space-y-3">
        {allPaths(data)
          .slice(0, SHOWN_PATHS)
          .map((found) => (
            <PathCard key={`${found.repoId} ${found.path.id} ${found.path.file}`} found={found} />
          ))}
      </div>
    </section>
  );
}

function Fixes() {
  const org = useOrg();
  const recordsMerges = useRecordsMerges();
  const { data, error, refetch } = useFixes();
  if (error !== null) {
    return <Problem error={error} what="The fixes could not be counted" onRetry={() => void refetch()} />;
  }
  if (data === undefined) return <Skeleton lines={4} />;
  if (data.prs_opened === 0) {
    return (
      <section aria-labelledby="funnel">
        <h2 id="funnel" className="mb-2 font-semibold">
          Fixes
        </h2>
        <p className="text-sm text-muted">
          No fix pull requests yet.{' '}
          <Link href={orgLink(org.id, 'campaigns/new')} prefetch={false} className="link">
            Preview the fixes
          </Link>
        </p>
      </section>
    );
  }
  const { prs_verified: verified, ...rest } = data;
  return <Funnel rollup={recordsMerges === false ? rest : { ...rest, prs_verified: verified }} />;
}
