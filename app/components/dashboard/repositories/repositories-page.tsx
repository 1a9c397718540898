'use client';

import { LockIcon } from '@primer/octicons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { clsx } from 'clsx';
import Link from 'next/link';
import { useQueryStates } from 'nuqs';
import { useEffect } from 'react';
import { visible } from '#lib/report/visible.ts';
import { SEVERITIES } from '../../../messages.ts';
import { plural } from '../../../numbers.ts';
import { SeverityChip } from '../../domain/severity-chip.tsx';
import { Time } from '../../domain/time.tsx';
import { installLink } from '../../setup/install-link.ts';
import { ScanBar } from '../../setup/scan-bar.tsx';
import { reasonOfScan } from '../../setup/sentences.ts';
import { type RowState, useScans } from '../../setup/use-scans.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Icon } from '../../ui/octicon.tsx';
import { Pagination } from '../../ui/pagination.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Cell, HeaderCell, Row, Table } from '../../ui/table.tsx';
import { useWide } from '../../ui/use-wide.ts';
import { useOrg, useUser } from '../context.tsx';
import { EmptyState } from '../empty-state.tsx';
import { ChoiceFilter, FilterBar, TextFilter } from '../filter-bar.tsx';
import { orgLink } from '../links.ts';
import { DashboardHeader } from '../page-header.tsx';
import { Problem } from '../problem.tsx';
import { MonitorSwitch } from './monitor-switch.tsx';
import { onScanOfAll } from './scan-on-opening.ts';
import {
  PAGE_ROWS,
  REPOSITORY_FILTERS,
  type RepositoryFilters,
  type RepositoryRow,
  useRepositories,
  useRepositoryIds,
} from './use-repositories.ts';

type Change = { readonly [Name in keyof RepositoryFilters]?: RepositoryFilters[Name] | null };
const NO_FILTERS = { q: null, scanned: null, high: null, monitored: null, page: null } as const;

export function RepositoriesPage() {
  const { id, call, connectUrl, host } = useUser();
  const org = useOrg();
  const client = useQueryClient();
  const [filters, setFilters] = useQueryStates(REPOSITORY_FILTERS);
  const { data, error, refetch } = useRepositories(filters);
  const { data: known, isPending } = useRepositoryIds();
  const ids = known ?? [];
  const scans = useScans(call, {
    orgId: org.id,
    href: orgLink(org.id, 'repositories'),
    onEnd: () => void client.invalidateQueries({ queryKey: [id, org.id] }),
  });
  const { start } = scans;
  const wide = useWide();
  useEffect(() => (ids.length === 0 ? undefined : onScanOfAll(org.id, () => start(ids))));
  const change = (next: Change) => void setFilters({ page: null, ...next });
  const isFiltered =
    filters.q.trim() !== '' || filters.scanned !== null || filters.high !== null || filters.monitored !== null;
  const isEmpty = data?.total === 0 && !isFiltered;
  return (
    <>
      <DashboardHeader
        title="Repositories"
        actions={
          <>
            <RefreshButton />
            {connectUrl !== null && org.role === 'admin' && !isEmpty && (
              <a href={installLink(connectUrl, org.id)} rel="nofollow" className={buttonClass('secondary')}>
                Add repositories
              </a>
            )}
          </>
        }
      />
      {isPending && <div aria-hidden="true" className="mb-4 h-10 w-44 rounded-control bg-inset" />}
      {ids.length > 0 && <ScanBar ids={ids} scans={scans} />}
      {!isEmpty && (
        <div className={clsx(data === undefined && isPending && !isFiltered && 'invisible')}>
          <Filters filters={filters} onChange={change} onClear={isFiltered ? () => change(NO_FILTERS) : undefined} />
        </div>
      )}
      {error !== null && (
        <Problem error={error} what="The repositories could not be read" onRetry={() => void refetch()} />
      )}
      {data === undefined && error === null && <Skeleton lines={9} />}
      {data !== undefined && data.rows.length === 0 && (
        <Nothing isFiltered={isFiltered} onClear={() => change(NO_FILTERS)} />
      )}
      {data !== undefined && data.rows.length > 0 && (
        <>
          <p role="status" className="mb-3 text-sm text-muted">
            {plural(data.total, { one: '1 repository', other: '# repositories' })}
          </p>
          <Table caption="Repositories">
            <thead>
              <tr>
                <HeaderCell>Repository</HeaderCell>
                {wide && <HeaderCell>Open findings</HeaderCell>}
                <HeaderCell className="max-md:hidden">Last scan</HeaderCell>
                <HeaderCell>On push</HeaderCell>
              </tr>
            </thead>
            <tbody>
              {data.rows.map((row) => (
                <RepositoryLine key={row.id} row={row} state={scans.rows.get(row.id)} host={host} wide={wide} />
              ))}
            </tbody>
          </Table>
          <Pagination
            page={Math.max(1, filters.page)}
            pages={Math.ceil(data.total / PAGE_ROWS)}
            onPage={(page) => void setFilters({ page }, { history: 'push' })}
          />
        </>
      )}
    </>
  );
}

function RefreshButton() {
  const { id, request, host } = useUser();
  const org = useOrg();
  const client = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => request(`/api/repos?org=${org.id}`),
    onSuccess: () => client.invalidateQueries({ queryKey: [id, org.id] }),
  });
  return (
    <div>
      <Button disabled={isPending} onClick={() => mutate()}>
        {isPending ? 'Refreshing' : `Refresh from ${host === 'github.com' ? 'GitHub' : host}`}
      </Button>
      {error !== null && <Problem error={error} what="The repositories could not be refreshed" />}
    </div>
  );
}

interface FiltersProps {
  readonly filters: RepositoryFilters;
  readonly onChange: (change: Change) => void;
  readonly onClear: (() => void) | undefined;
}

function Filters({ filters, onChange, onClear }: FiltersProps) {
  const { scanned, high, monitored } = filters;
  const show = scanned ?? (high === true ? 'high' : monitored === true ? 'monitored' : null);
  return (
    <FilterBar onClear={onClear}>
      <TextFilter label="Name" name="q" value={filters.q} />
      <ChoiceFilter
        label="Show"
        all="All"
        value={show}
        options={[
          ['high', 'With high findings'],
          ['never', 'Never scanned'],
          ['monitored', 'Scanned on push'],
        ]}
        onChange={(value) =>
          onChange({
            scanned: value === 'never' ? value : null,
            high: value === 'high' || null,
            monitored: value === 'monitored' || null,
          })
        }
      />
      <ChoiceFilter
        label="Sort by"
        value={filters.sort}
        options={[
          ['name', 'Name'],
          ['high', 'High findings'],
          ['last-scan', 'Oldest scan'],
        ]}
        onChange={(sort) => onChange({ sort })}
      />
    </FilterBar>
  );
}

function Nothing({ isFiltered, onClear }: { readonly isFiltered: boolean; readonly onClear: () => void }) {
  if (isFiltered) {
    return (
      <EmptyState title="No repository matches">
        <Button onClick={onClear}>Clear filters</Button>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No repository is connected">
      <p className="mb-4">Connect an account to scan its repositories and fix what is found.</p>
      <a href="/setup" className={buttonClass('primary')}>
        Connect repositories
      </a>
    </EmptyState>
  );
}

interface LineProps {
  readonly row: RepositoryRow;
  readonly state: RowState | undefined;
  readonly host: string;
  readonly wide: boolean;
}

function RepositoryLine({ row, state, host, wide }: LineProps) {
  const org = useOrg();
  // The list is read again when all scans have ended.
  const { high, medium, low, info } = state?.kind === 'done' ? state.value.counts : row;
  const counts = { HIGH: high ?? 0, MEDIUM: medium ?? 0, LOW: low ?? 0, INFO: info ?? 0 };
  const isScanned = row.last_scan_id !== null || state?.kind === 'done';
  const present = SEVERITIES.filter((severity) => counts[severity] > 0);
  const findings =
    state === undefined || state.kind === 'done' ? (
      <span className="flex flex-wrap gap-1.5">
        {present.map((severity) => (
          <SeverityChip key={severity} severity={severity} count={counts[severity]} />
        ))}
        {isScanned && present.length === 0 && 'No open findings'}
        {!isScanned && <span className="text-muted">Not scanned yet</span>}
      </span>
    ) : (
      <ScanState state={state} host={host} />
    );
  return (
    <Row>
      <HeaderCell scope="row" className="align-top">
        <span className="flex flex-wrap items-center gap-x-2">
          <Link href={orgLink(org.id, `repositories/${row.id}`)} prefetch={false} className="link min-w-0 break-words">
            {visible(row.full_name)}
          </Link>
          {row.private && (
            <span className="inline-flex items-center gap-1 text-xs font-normal text-muted">
              <Icon of={LockIcon} />
              Private
            </span>
          )}
          {row.archived && <span className="text-xs font-normal text-muted">Archived</span>}
        </span>
        {row.suspended_at !== null && (
          <span className="block text-xs font-normal text-muted">The app is suspended: it cannot be scanned</span>
        )}
        {!wide && <span className="mt-1 block text-xs font-normal">{findings}</span>}
      </HeaderCell>
      {wide && <Cell>{findings}</Cell>}
      <Cell className="whitespace-nowrap text-muted max-md:hidden">
        {row.finished_at !== null && <Time at={row.finished_at} />}
        {row.ruleset === 'owasp' && <span className="block text-xs">Security rules only</span>}
      </Cell>
      <Cell>
        <MonitorSwitch repository={row} />
      </Cell>
    </Row>
  );
}

function ScanState({ state, host }: { readonly state: Exclude<RowState, { kind: 'done' }>; readonly host: string }) {
  if (state.kind === 'failed')
    return <span className="text-critical">Failed: {reasonOfScan(state.refused, host)}</span>;
  return <span className="text-muted">{state.kind === 'queued' ? 'Queued' : 'Scanning'}</span>;
}
