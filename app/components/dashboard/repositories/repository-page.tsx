'use client';

import { ArrowLeftIcon } from '@primer/octicons-react';
import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { visible } from '#lib/report/visible.ts';
import { SEVERITIES } from '../../../messages.ts';
import { formatNumber, plural } from '../../../numbers.ts';
import { SeverityChip } from '../../domain/severity-chip.tsx';
import { Time } from '../../domain/time.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { ExternalLink } from '../../ui/external-link.tsx';
import { Icon } from '../../ui/octicon.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Cell, HeaderCell, Row, Table } from '../../ui/table.tsx';
import { SeverityChart } from '../charts/severity-chart.tsx';
import { useOrg, useUser } from '../context.tsx';
import { orgLink } from '../links.ts';
import { NotThere } from '../not-there.tsx';
import { ageOfOldScan } from '../overview/use-overview.ts';
import { DashboardHeader } from '../page-header.tsx';
import { PathCard } from '../paths/path-card.tsx';
import { keyFinding, useRepositoryPaths } from '../paths/use-paths.ts';
import { Problem } from '../problem.tsx';
import { isAwaited, rowsOf } from '../request.ts';
import { usePageTitle } from '../use-page-title.ts';
import { MonitorSwitch } from './monitor-switch.tsx';
import { BadgeText, NotAssessed, OwnRules } from './repository-extras.tsx';
import { type RepositoryRow, useRepository } from './use-repositories.ts';
import { useScan } from './use-scan.ts';

export function RepositoryPage({ repoId }: { readonly repoId: string }) {
  const org = useOrg();
  const { data, error, refetch } = useRepository(repoId);
  return (
    <>
      <p className="mb-4 text-sm">
        <Link href={orgLink(org.id, 'repositories')} prefetch={false} className="link inline-flex items-center gap-1.5">
          <Icon of={ArrowLeftIcon} />
          Repositories
        </Link>
      </p>
      {error !== null && (
        <Problem error={error} what="The repository could not be read" onRetry={() => void refetch()} />
      )}
      {data === undefined && error === null && <Skeleton lines={9} />}
      {data === null && (
        <NotThere what="repository">
          It belongs to another organization, or the app no longer has access to it.
        </NotThere>
      )}
      {data !== undefined && data !== null && <Found row={data} />}
    </>
  );
}

function Found({ row }: { readonly row: RepositoryRow }) {
  const org = useOrg();
  usePageTitle(visible(row.full_name));
  const { host } = useUser();
  const { scan, pending, error } = useScan();
  const isScanned = row.last_scan_id !== null;
  const age = row.finished_at === null ? null : ageOfOldScan(row.finished_at);
  const [paths, scans] = [useRepositoryPaths(row.id), useScansOf(row.id)];
  const counts = { HIGH: row.high ?? 0, MEDIUM: row.medium ?? 0, LOW: row.low ?? 0, INFO: row.info ?? 0 };
  const hasFindings = Object.values(counts).some((count) => count > 0);
  const mayFix = org.role === 'admin' && hasFindings && !row.archived && row.suspended_at === null;
  return (
    <>
      <DashboardHeader
        title={visible(row.full_name)}
        above={[row.private ? 'Private' : 'Public', row.archived && 'archived']
          .filter((word) => word !== false)
          .join(', ')}
        actions={
          <>
            <Button
              variant={mayFix ? 'secondary' : 'primary'}
              disabled={pending || row.suspended_at !== null}
              onClick={() => void scan(row.id)}
            >
              {pending ? 'Scanning' : 'Scan now'}
            </Button>
            {mayFix && (
              <Link
                href={orgLink(org.id, 'campaigns/new', { repo: row.id, step: 'preview' })}
                prefetch={false}
                className={buttonClass('primary')}
              >
                Fix this repository
              </Link>
            )}
          </>
        }
      >
        <p>
          <ExternalLink href={row.html_url}>Open at {host}</ExternalLink>
        </p>
      </DashboardHeader>
      {error !== null && <Problem error={error} what="The scan failed" />}
      {age !== null && (
        <p className="mb-4 text-sm text-medium">{`Last scanned ${age}: what changed since is not shown.`}</p>
      )}
      <div className="mb-8 flex flex-wrap items-center gap-x-6 gap-y-3 text-sm">
        {isScanned ? (
          <>
            <ul className="flex flex-wrap gap-1.5">
              {SEVERITIES.map((severity) => (
                <li key={severity}>
                  <Link
                    href={orgLink(org.id, 'findings', { repo: row.id, sev: severity })}
                    prefetch={false}
                    className="no-underline"
                  >
                    <SeverityChip severity={severity} count={counts[severity]} />
                  </Link>
                </li>
              ))}
            </ul>
            <Link href={orgLink(org.id, 'findings', { repo: row.id, group: 'none' })} prefetch={false} className="link">
              All findings
            </Link>
          </>
        ) : (
          <p>Not scanned yet: nothing is known about this repository.</p>
        )}
        <span className="flex items-center gap-2">
          Scan on push: <MonitorSwitch repository={row} />
        </span>
      </div>
      {isScanned && <Paths row={row} />}
      {!isAwaited([paths, scans]) && (
        <>
          <OwnRules row={row} />
          <Scans row={row} />
          <NotAssessed row={row} />
          {!row.private && <BadgeText row={row} />}
        </>
      )}
    </>
  );
}

function Paths({ row }: { readonly row: RepositoryRow }) {
  const { data, error } = useRepositoryPaths(row.id);
  if (error !== null) return <Problem error={error} what="The attack paths could not be read" />;
  if (data === undefined) return <Skeleton lines={3} className="mb-8" />;
  return (
    <section aria-labelledby="paths" className="mb-8">
      <h2 id="paths" className="mb-3 font-semibold">
        {data.combos.length === 0
          ? 'No attack path found'
          : plural(data.combos.length, { one: '1 attack path', other: '# attack paths' })}
      </h2>
      <div className="space-y-3">
        {data.combos.map((path) => (
          <PathCard
            key={`${path.id} ${keyFinding(path)}`}
            found={{ repoId: row.id, repository: row.full_name, path }}
            namesRepository={false}
          />
        ))}
      </div>
    </section>
  );
}

const NEWEST = 50;
const TRIGGERS: Readonly<Record<string, string>> = { manual: 'Manual', push: 'Push' };

function useScansOf(repoId: string) {
  const { id, db } = useUser();
  const org = useOrg();
  return useQuery({
    queryKey: [id, org.id, 'repositories', 'scans', repoId],
    queryFn: async () =>
      rowsOf(
        await db
          .from('scans')
          .select('id, trigger, commit_sha, finished_at, high, medium, low, info, new_findings, suppressed')
          .eq('org_id', org.id)
          .eq('repo_id', repoId)
          .order('finished_at', { ascending: false })
          .limit(NEWEST),
      ),
  });
}

function Scans({ row }: { readonly row: RepositoryRow }) {
  const { data, error } = useScansOf(row.id);
  if (error !== null) return <Problem error={error} what="The scans could not be read" />;
  if (data === undefined || data.length === 0) return null;
  return (
    <section aria-labelledby="scans" className="mb-8">
      <h2 id="scans" className="mb-3 font-semibold">
        Scans
      </h2>
      {data.length > 1 && <History scans={data} />}
      <Table caption="Scans of this repository, newest first">
        <thead>
          <tr>
            <HeaderCell>When</HeaderCell>
            <HeaderCell className="max-md:hidden">Trigger</HeaderCell>
            <HeaderCell>Commit</HeaderCell>
            <HeaderCell className="max-md:hidden">High</HeaderCell>
            <HeaderCell className="max-md:hidden">Findings</HeaderCell>
            <HeaderCell className="max-md:hidden">New</HeaderCell>
            <HeaderCell className="max-md:hidden">Suppressed</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {data.map((scan) => (
            <Row key={scan.id}>
              <Cell>
                <Time at={scan.finished_at} />
                <span className="block text-muted md:hidden">
                  {`${triggerOf(scan)}: ${formatNumber(scan.high)} high of ${plural(findingsOf(scan), { one: '1 finding', other: '# findings' })}, ${formatNumber(scan.new_findings)} new`}
                </span>
              </Cell>
              <Cell className="max-md:hidden">{triggerOf(scan)}</Cell>
              <Cell>
                {scan.commit_sha !== null && (
                  <ExternalLink href={`${row.html_url}/commit/${scan.commit_sha}`}>
                    <code>{scan.commit_sha.slice(0, 7)}</code>
                  </ExternalLink>
                )}
              </Cell>
              <Cell className="tabular-nums max-md:hidden">{scan.high}</Cell>
              <Cell className="tabular-nums max-md:hidden">{findingsOf(scan)}</Cell>
              <Cell className="tabular-nums max-md:hidden">{scan.new_findings}</Cell>
              <Cell className="tabular-nums max-md:hidden">{scan.suppressed}</Cell>
            </Row>
          ))}
        </tbody>
      </Table>
    </section>
  );
}

function triggerOf({ trigger }: { readonly trigger: string }): string {
  return TRIGGERS[trigger] ?? trigger;
}

interface ScanCounts {
  readonly finished_at: string;
  readonly high: number;
  readonly medium: number;
  readonly low: number;
  readonly info: number;
}

function findingsOf({ high, medium, low, info }: ScanCounts): number {
  return high + medium + low + info;
}

function History({ scans }: { readonly scans: readonly ScanCounts[] }) {
  const points = scans
    .map(({ finished_at: at, high, medium, low, info }) => ({
      at: Date.parse(at),
      counts: { HIGH: high, MEDIUM: medium, LOW: low, INFO: info },
    }))
    .reverse();
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return null;
  // The last scan holds until now, which would be most of the picture: it gets the usual time between scans.
  const until = last.at + Math.max(1, (last.at - first.at) / points.length);
  return (
    <div className="mb-4">
      <SeverityChart points={points} until={until} label="Open findings by severity after each scan" />
    </div>
  );
}
