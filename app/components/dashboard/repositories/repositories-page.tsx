'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { useQueryStates } from 'nuqs';
import { useEffect } from 'react';
import { nameOfHost } from '../../../messages.ts';
import { plural } from '../../../numbers.ts';
import { installLink } from '../../setup/install-link.ts';
import { ScanBar } from '../../setup/scan-bar.tsx';
import { useScans } from '../../setup/use-scans.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Pagination } from '../../ui/pagination.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { HeaderCell, Table } from '../../ui/table.tsx';
import { useWide } from '../../ui/use-wide.ts';
import { useOrg, useUser } from '../context.tsx';
import { EmptyState } from '../empty-state.tsx';
import { ChoiceFilter, FilterBar, TextFilter } from '../filter-bar.tsx';
import { orgLink } from '../links.ts';
import { DashboardHeader } from '../page-header.tsx';
import { Problem } from '../problem.tsx';
import { RepositoryLine } from './repository-line.tsx';
import { onScanOfAll } from './scan-on-opening.ts';
import {
  isFiltered,
  NO_FILTERS,
  PAGE_ROWS,
  REPOSITORY_FILTERS,
  type RepositoryFilters,
  useRepositories,
  useRepositoryIds,
} from './use-repositories.ts';

type Change = { readonly [Name in keyof RepositoryFilters]?: RepositoryFilters[Name] | null };

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
  const filtered = isFiltered(filters);
  const isEmpty = data?.total === 0 && !filtered;
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
        <div className={clsx(data === undefined && isPending && !filtered && 'invisible')}>
          <Filters filters={filters} onChange={change} onClear={filtered ? () => change(NO_FILTERS) : undefined} />
        </div>
      )}
      {error !== null && (
        <Problem error={error} what="The repositories could not be read" onRetry={() => void refetch()} />
      )}
      {data === undefined && error === null && <Skeleton lines={9} />}
      {data !== undefined && data.rows.length === 0 && (
        <Nothing filtered={filtered} onClear={() => change(NO_FILTERS)} />
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
                <HeaderCell className="whitespace-nowrap">On push</HeaderCell>
                {wide && (
                  <HeaderCell>
                    <span className="sr-only">Scan</span>
                  </HeaderCell>
                )}
              </tr>
            </thead>
            <tbody>
              {data.rows.map((row) => (
                <RepositoryLine key={row.id} row={row} scans={scans} host={host} wide={wide} />
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
        {isPending ? 'Refreshing' : `Refresh from ${nameOfHost(host)}`}
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
        allLabel="All"
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
        label="Visibility"
        allLabel="All"
        value={filters.private === null ? null : String(filters.private)}
        options={[
          ['false', 'Public'],
          ['true', 'Private'],
        ]}
        onChange={(value) => onChange({ private: value === null ? null : value === 'true' })}
      />
      <ChoiceFilter
        label="Archived"
        allLabel="All"
        value={filters.archived === null ? null : String(filters.archived)}
        options={[
          ['false', 'Not archived'],
          ['true', 'Archived'],
        ]}
        onChange={(value) => onChange({ archived: value === null ? null : value === 'true' })}
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

function Nothing({ filtered, onClear }: { readonly filtered: boolean; readonly onClear: () => void }) {
  if (filtered) {
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
