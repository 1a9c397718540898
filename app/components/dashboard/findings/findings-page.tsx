'use client';

import { useQueryClient } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { useQueryStates } from 'nuqs';
import { useState } from 'react';
import { visible } from '#lib/report/visible.ts';
import { SEVERITIES } from '../../../messages.ts';
import { plural } from '../../../numbers.ts';
import { SeverityChip } from '../../domain/severity-chip.tsx';
import { Button } from '../../ui/button.tsx';
import { Pagination } from '../../ui/pagination.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Cell, HeaderCell, Row, Table } from '../../ui/table.tsx';
import { useLazy } from '../../ui/use-lazy.ts';
import { useWide } from '../../ui/use-wide.ts';
import { useOrg, useUser } from '../context.tsx';
import { EmptyState } from '../empty-state.tsx';
import { NothingFound } from '../nothing-found.tsx';
import { useIsFirstUse } from '../overview/use-overview.ts';
import { DashboardHeader } from '../page-header.tsx';
import { Problem } from '../problem.tsx';
import { SavedViews } from '../saved-views.tsx';
import { useShortcuts } from '../shortcuts.ts';
import { DecideDialog } from './decide-dialog.tsx';
import { wordsOf } from './filter-words.ts';
import {
  FILTERS,
  type Filters,
  isFiltered,
  NO_FILTERS,
  type SetFilters,
  type Status,
  VIEW,
  type View,
} from './filters.ts';
import { FindingDrawer } from './finding-drawer.tsx';
import { FindingFilters } from './finding-filters.tsx';
import { FindingTable } from './finding-table.tsx';
import { readFindingView } from './lazy-finding-view.tsx';
import { RuleIsOff } from './marks.tsx';
import { TriageBar, TriageResult } from './triage-bar.tsx';
import {
  type FindingGroup,
  type FindingRow,
  keyOf,
  PAGE_ROWS,
  readAllMatching,
  useFindingCount,
  useFindingGroups,
  useFindings,
} from './use-findings.ts';
import { useRulesOff } from './use-marks.ts';
import { useTriage } from './use-triage.ts';

interface Pending {
  readonly status: Status;
  readonly targets: readonly FindingRow[];
}

export function FindingsPage() {
  const [filters, setFilters] = useQueryStates(FILTERS);
  const [view, setView] = useQueryStates(VIEW, { history: 'push' });
  const change: SetFilters = (next) => {
    void setFilters(next);
    if (view.page !== 1) void setView({ page: null }, { history: 'replace' });
  };
  useLazy(readFindingView);
  const grouped = isGrouped(filters, view.group);
  const isPlain = !isFiltered(filters) && view.f === null;
  const isFirstUse = useIsFirstUse();
  if (isFirstUse === true && isPlain) {
    return (
      <>
        <DashboardHeader title="Findings" />
        <NothingFound title="No open findings" />
      </>
    );
  }
  return (
    <>
      <DashboardHeader title="Findings" actions={<SavedViews path="findings" />} />
      <div className={clsx(isFirstUse === undefined && isPlain && 'invisible')}>
        <FindingFilters
          filters={filters}
          view={view}
          grouped={grouped}
          onChange={change}
          onView={(next) => void setView({ ...next, page: null }, { history: 'replace' })}
        />
      </div>
      {grouped ? (
        <Groups
          by={view.group === 'rule' ? 'rule' : 'repository'}
          filters={filters}
          page={Math.max(1, view.page)}
          onPage={(page) => void setView({ page })}
          onOpen={(key) => change(view.group === 'rule' ? { rule: key } : { repo: key })}
          onClear={() => change(NO_FILTERS)}
        />
      ) : (
        <List
          filters={filters}
          sort={view.sort}
          page={Math.max(1, view.page)}
          onPage={(page) => void setView({ page })}
          onOpen={({ repo_id, fingerprint }) => void setView({ f: { repoId: repo_id, fingerprint } })}
          onClear={() => change(NO_FILTERS)}
        />
      )}
      <FindingDrawer
        filters={filters}
        view={view}
        grouped={grouped}
        onOpen={(f) => void setView({ f }, { history: 'replace' })}
        onClose={() => void setView({ f: null })}
      />
    </>
  );
}

function isGrouped({ seen, rule, repo }: Filters, group: View['group']): boolean {
  return seen === 'present' && ((group === 'rule' && rule === null) || (group === 'repository' && repo === null));
}

interface GroupsProps {
  readonly by: 'rule' | 'repository';
  readonly filters: Filters;
  readonly page: number;
  readonly onPage: (page: number) => void;
  readonly onOpen: (key: string) => void;
  readonly onClear: () => void;
}

function Groups({ by, filters, page, onPage, onOpen, onClear }: GroupsProps) {
  const { data, error, refetch } = useFindingGroups(by, filters, true);
  const isOff = useRulesOff(by === 'rule' ? (data ?? []).map(ofOrganization) : []);
  if (error !== null) {
    return <Problem error={error} what="The findings could not be read" onRetry={() => void refetch()} />;
  }
  if (data === undefined) return <Skeleton lines={9} />;
  if (data.length === 0) return <Nothing filters={filters} onClear={onClear} />;
  const total = data.reduce((sum, { findings }) => sum + findings, 0);
  return (
    <>
      <p role="status" className="mb-3 text-sm text-muted">
        {plural(total, { one: '1 finding', other: '# findings' })}
        {plural(data.length, {
          one: by === 'rule' ? ' of 1 rule' : ' in 1 repository',
          other: by === 'rule' ? ' of # rules' : ' in # repositories',
        })}
      </p>
      <Table caption={by === 'rule' ? 'Findings by rule' : 'Findings by repository'}>
        <thead>
          <tr>
            <HeaderCell>{by === 'rule' ? 'Rule' : 'Repository'}</HeaderCell>
            <HeaderCell className="max-md:hidden">Findings</HeaderCell>
            {by === 'rule' && <HeaderCell className="max-md:hidden">Repositories</HeaderCell>}
            <HeaderCell className="max-md:hidden">Fixable</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {data.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS).map((group) => (
            <GroupRow
              key={group.key}
              by={by}
              group={group}
              isOffInOrganization={by === 'rule' && isOff(ofOrganization(group))}
              onOpen={() => onOpen(group.key)}
            />
          ))}
        </tbody>
      </Table>
      <Pagination page={page} pages={Math.ceil(data.length / PAGE_ROWS)} onPage={onPage} />
    </>
  );
}

function ofOrganization({ key }: FindingGroup) {
  return { rule_id: key, repo_id: null };
}

interface GroupProps {
  readonly by: 'rule' | 'repository';
  readonly group: FindingGroup;
  readonly isOffInOrganization: boolean;
  readonly onOpen: () => void;
}

function GroupRow({ by, group, isOffInOrganization, onOpen }: GroupProps) {
  const wide = useWide();
  const counts = { HIGH: group.high, MEDIUM: group.medium, LOW: group.low, INFO: group.info };
  const chips = (
    <span className="flex flex-wrap gap-1.5">
      {SEVERITIES.map(
        (severity) =>
          counts[severity] > 0 && <SeverityChip key={severity} severity={severity} count={counts[severity]} />,
      )}
    </span>
  );
  return (
    <Row>
      <HeaderCell scope="row" className="align-top">
        <button type="button" className="link cursor-pointer text-start wrap-anywhere" onClick={onOpen}>
          {by === 'rule' ? <code>{group.key}</code> : visible(group.name ?? '')}
        </button>
        {by === 'rule' && <span className="block text-xs font-normal text-muted">{visible(group.name ?? '')}</span>}
        {isOffInOrganization && (
          <span className="block font-normal">
            <RuleIsOff />
          </span>
        )}
        {!wide && <span className="mt-1 block font-normal">{chips}</span>}
      </HeaderCell>
      {wide && <Cell>{chips}</Cell>}
      {by === 'rule' && <Cell className="tabular-nums max-md:hidden">{group.repositories}</Cell>}
      <Cell className="tabular-nums max-md:hidden">{group.fixable}</Cell>
    </Row>
  );
}

interface ListProps {
  readonly filters: Filters;
  readonly sort: 'severity' | 'newest' | 'repository';
  readonly page: number;
  readonly onPage: (page: number) => void;
  readonly onOpen: (row: FindingRow) => void;
  readonly onClear: () => void;
}

function List({ filters, sort, page, onPage, onOpen, onClear }: ListProps) {
  const { id, db } = useUser();
  const org = useOrg();
  const client = useQueryClient();
  const { data: rows, error, refetch } = useFindings(filters, sort, page);
  const { data: count } = useFindingCount(filters);
  const { run, decide, undo, dismiss } = useTriage();
  const [chosen, setChosen] = useState<ReadonlyMap<string, FindingRow>>(new Map());
  const [pending, setPending] = useState<Pending | null>(null);
  const [allMatching, setAllMatching] = useState(false);
  const shortcuts = useShortcuts();
  const select = (list: readonly FindingRow[], selected: boolean) => {
    setAllMatching(false);
    setChosen((before) => {
      const next = new Map(before);
      for (const row of list) {
        if (selected) next.set(keyOf(row), row);
        else next.delete(keyOf(row));
      }
      return next;
    });
  };
  const selectAll = async () => {
    const all = await client.fetchQuery({
      queryKey: [id, org.id, 'findings', 'all', filters],
      queryFn: () => readAllMatching(db, org.id, filters),
      staleTime: 0,
    });
    setChosen(new Map(all.map((row) => [keyOf(row), row])));
    setAllMatching(true);
  };
  const ask = (status: Status, focused?: FindingRow) => {
    const targets = chosen.size > 0 ? [...chosen.values()] : focused === undefined ? [] : [focused];
    const changing = targets.filter((row) => row.status !== status);
    if (changing.length > 0) setPending({ status, targets: changing });
  };
  const busy = run?.kind === 'running';
  if (error !== null) {
    return <Problem error={error} what="The findings could not be read" onRetry={() => void refetch()} />;
  }
  if (rows === undefined) return <Skeleton lines={12} />;
  return (
    <>
      <TriageResult run={run} undoKey={shortcuts} onUndo={() => void undo()} onClose={dismiss} />
      <p role="status" className="mb-3 text-sm text-muted">
        {count !== undefined && plural(count, { one: '1 finding', other: '# findings' })}
      </p>
      {rows.length === 0 ? (
        <Nothing filters={filters} onClear={onClear} />
      ) : (
        <FindingTable
          rows={rows}
          selected={new Set(chosen.keys())}
          shortcuts={shortcuts && !busy}
          onSelect={select}
          onOpen={onOpen}
          onDecide={ask}
          onUndo={() => void undo()}
        />
      )}
      <TriageBar
        selected={[...chosen.values()]}
        matching={count}
        allMatching={allMatching}
        busy={busy}
        shortcuts={shortcuts}
        onSelectAll={() => void selectAll()}
        onClear={() => setChosen(new Map())}
        onDecide={(status) => ask(status)}
      />
      <Pagination page={page} pages={Math.ceil((count ?? 0) / PAGE_ROWS)} onPage={onPage} />
      {pending !== null && (
        <DecideDialog
          status={pending.status}
          count={pending.targets.length}
          chosenBy={allMatching ? wordsOf(filters, pending.targets[0]?.full_name) : ['Selected by hand']}
          onClose={() => setPending(null)}
          onDecide={(decision) => {
            setPending(null);
            setChosen(new Map());
            setAllMatching(false);
            void decide(pending.targets, decision);
          }}
        />
      )}
    </>
  );
}

function Nothing({ filters, onClear }: { readonly filters: Filters; readonly onClear: () => void }) {
  if (isFiltered(filters)) {
    return (
      <EmptyState title="No finding matches">
        <Button onClick={onClear}>Clear filters</Button>
      </EmptyState>
    );
  }
  return <NothingFound title="No open findings" />;
}
