'use client';

import { ArrowLeftIcon } from '@primer/octicons-react';
import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { visible } from '#lib/report/visible.ts';
import { SEVERITIES } from '../../../messages.ts';
import { plural } from '../../../numbers.ts';
import { RuleLink } from '../../domain/rule-link.tsx';
import { SeverityChip } from '../../domain/severity-chip.tsx';
import { Time } from '../../domain/time.tsx';
import { Button } from '../../ui/button.tsx';
import { Disclosure } from '../../ui/disclosure.tsx';
import { ExternalLink } from '../../ui/external-link.tsx';
import { Icon } from '../../ui/octicon.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Cell, HeaderCell, Row, Table } from '../../ui/table.tsx';
import { SeverityChart } from '../charts/severity-chart.tsx';
import { useOrg, useUser } from '../context.tsx';
import { orgLink } from '../links.ts';
import { NotThere } from '../not-there.tsx';
import { DashboardHeader } from '../page-header.tsx';
import { PathCard } from '../paths/path-card.tsx';
import { keyFinding, useRepositoryPaths } from '../paths/use-paths.ts';
import { Problem } from '../problem.tsx';
import { REASON_LABELS } from '../reasons.ts';
import { rowsOf } from '../request.ts';
import { MonitorSwitch } from './monitor-switch.tsx';
import { BadgeText, OwnRules } from './repository-extras.tsx';
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
  const { host } = useUser();
  const { scan, pending, error } = useScan();
  // What stands below these waits for them, so that nothing moves.
  const [paths, scans] = [useRepositoryPaths(row.id), useScansOf(row.id)];
  const counts = { HIGH: row.high ?? 0, MEDIUM: row.medium ?? 0, LOW: row.low ?? 0, INFO: row.info ?? 0 };
  return (
    <>
      <DashboardHeader
        title={visible(row.full_name)}
        above={[row.private ? 'Private' : 'Public', row.archived && 'archived']
          .filter((word) => word !== false)
          .join(', ')}
        actions={
          <Button variant="primary" disabled={pending || row.suspended_at !== null} onClick={() => void scan(row.id)}>
            {pending ? 'Scanning' : 'Scan now'}
          </Button>
        }
      >
        <p>
          <ExternalLink href={row.html_url}>Open at {host}</ExternalLink>
        </p>
      </DashboardHeader>
      {error !== null && <Problem error={error} what="The scan failed" />}
      <div className="mb-8 flex flex-wrap items-center gap-x-6 gap-y-3 text-sm">
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
        <span className="flex items-center gap-2">
          Scan on push: <MonitorSwitch repository={row} />
        </span>
      </div>
      <Paths row={row} />
      {!paths.isPending && !scans.isPending && (
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
        {plural(data.combos.length, { one: '1 attack path', other: '# attack paths' })}
      </h2>
      <div className="space-y-3">
        {data.combos.map((path) => (
          <PathCard
            key={`${path.id} ${keyFinding(path)}`}
            found={{ repoId: row.id, repository: row.full_name, path }}
          />
        ))}
      </div>
    </section>
  );
}

const NEWEST = 50;
const TRIGGERS: Readonly<Record<string, string>> = { manual: 'By hand', push: 'Push' };

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
            <HeaderCell>Why</HeaderCell>
            <HeaderCell>Commit</HeaderCell>
            <HeaderCell>High</HeaderCell>
            <HeaderCell>Open</HeaderCell>
            <HeaderCell>New</HeaderCell>
            <HeaderCell>Suppressed</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {data.map((scan) => (
            <Row key={scan.id}>
              <Cell className="whitespace-nowrap">
                <Time at={scan.finished_at} />
              </Cell>
              <Cell>{TRIGGERS[scan.trigger] ?? scan.trigger}</Cell>
              <Cell>
                {scan.commit_sha !== null && (
                  <ExternalLink href={`${row.html_url}/commit/${scan.commit_sha}`}>
                    <code>{scan.commit_sha.slice(0, 7)}</code>
                  </ExternalLink>
                )}
              </Cell>
              <Cell className="tabular-nums">{scan.high}</Cell>
              <Cell className="tabular-nums">{scan.high + scan.medium + scan.low + scan.info}</Cell>
              <Cell className="tabular-nums">{scan.new_findings}</Cell>
              <Cell className="tabular-nums">{scan.suppressed}</Cell>
            </Row>
          ))}
        </tbody>
      </Table>
    </section>
  );
}

interface ScanCounts {
  readonly finished_at: string;
  readonly high: number;
  readonly medium: number;
  readonly low: number;
  readonly info: number;
}

/** Findings of each scan, until the next; the table has the numbers. */
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

function NotAssessed({ row: { not_assessed: rules } }: { readonly row: RepositoryRow }) {
  if (rules === null || rules.length === 0) return null;
  return (
    <Disclosure
      title={plural(rules.length, {
        one: '1 rule was not assessed in the last scan',
        other: '# rules were not assessed in the last scan',
      })}
    >
      <ul className="space-y-1 text-sm">
        {rules.map(({ rule_id, reason }) => (
          <li key={`${rule_id} ${reason}`}>
            <RuleLink id={rule_id} />: {REASON_LABELS[reason]}
          </li>
        ))}
      </ul>
    </Disclosure>
  );
}
