'use client';

import Link from 'next/link';
import { useQueryStates } from 'nuqs';
import { plural } from '../../../numbers.ts';
import { Time } from '../../domain/time.tsx';
import { Button } from '../../ui/button.tsx';
import { Pagination } from '../../ui/pagination.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Cell, HeaderCell, Row, Table } from '../../ui/table.tsx';
import { useOrg } from '../context.tsx';
import { EmptyState } from '../empty-state.tsx';
import { ChoiceFilter, FilterBar, TextFilter } from '../filter-bar.tsx';
import { orgLink } from '../links.ts';
import { NothingFound } from '../nothing-found.tsx';
import { DashboardHeader } from '../page-header.tsx';
import { Problem } from '../problem.tsx';
import { ActionScore } from './action-score.tsx';
import {
  ACTION_FILTERS,
  type ActionFilters,
  BANDS,
  keyOf,
  PAGE_ROWS,
  shownActions,
  useActions,
} from './use-actions.ts';

const NO_FILTERS = { q: null, band: null } as const;

export function ActionsPage() {
  const { data, error, refetch } = useActions();
  const [filters, setFilters] = useQueryStates(ACTION_FILTERS);
  const change = (next: Partial<{ readonly [Name in keyof ActionFilters]: ActionFilters[Name] | null }>) =>
    void setFilters({ page: null, ...next });
  const isFiltered = filters.q.trim() !== '' || filters.band !== null;
  return (
    <>
      <DashboardHeader title="Actions">
        <p>The actions that your workflows use, riskiest first. A lower score means more reasons not to run it.</p>
      </DashboardHeader>
      {error !== null && <Problem error={error} what="The actions could not be read" onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={9} />}
      {data?.length === 0 && <NothingFound title="No action in use" />}
      {data !== undefined && data.length > 0 && (
        <>
          <FilterBar onClear={isFiltered ? () => change(NO_FILTERS) : undefined}>
            <TextFilter label="Name" name="q" value={filters.q} />
            <ChoiceFilter
              label="Band"
              allLabel="All"
              value={filters.band}
              options={[...BANDS.map((band) => [band, band] as const), ['none', 'Without a score']]}
              onChange={(band) => change({ band })}
            />
            <ChoiceFilter
              label="Sort by"
              value={filters.sort}
              options={[
                ['score', 'Lowest score'],
                ['used', 'Most used'],
                ['name', 'Name'],
              ]}
              onChange={(sort) => change({ sort })}
            />
          </FilterBar>
          <Actions
            actions={shownActions(data, filters)}
            page={Math.max(1, filters.page)}
            onPage={(page) => void setFilters({ page }, { history: 'push' })}
            onClear={() => change(NO_FILTERS)}
          />
        </>
      )}
    </>
  );
}

interface Props {
  readonly actions: ReturnType<typeof shownActions>;
  readonly page: number;
  readonly onPage: (page: number) => void;
  readonly onClear: () => void;
}

function Actions({ actions, page, onPage, onClear }: Props) {
  const org = useOrg();
  if (actions.length === 0) {
    return (
      <EmptyState title="No action matches">
        <Button onClick={onClear}>Clear filters</Button>
      </EmptyState>
    );
  }
  return (
    <>
      <p role="status" className="mb-3 text-sm text-muted">
        {plural(actions.length, { one: '1 action', other: '# actions' })}
      </p>
      <Table caption="Actions in use">
        <thead>
          <tr>
            <HeaderCell className="w-px">Score</HeaderCell>
            <HeaderCell>Action</HeaderCell>
            <HeaderCell>Used by</HeaderCell>
            <HeaderCell className="max-md:hidden">Scored</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {actions.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS).map((action) => (
            <Row key={keyOf(action)}>
              <Cell className="whitespace-nowrap">
                <ActionScore scored={action.scored} />
              </Cell>
              <HeaderCell scope="row" className="align-top">
                <Link
                  href={orgLink(org.id, `actions/${action.owner}/${action.name}`)}
                  prefetch={false}
                  className="link [overflow-wrap:anywhere]"
                >
                  {action.owner}/<wbr />
                  {action.name}
                </Link>
              </HeaderCell>
              <Cell className="whitespace-nowrap">
                {plural(action.repositories, { one: '1 repository', other: '# repositories' })}
              </Cell>
              <Cell className="whitespace-nowrap text-muted max-md:hidden">
                {action.scored === null ? 'No score yet' : <Time at={action.scored.scored_at} />}
              </Cell>
            </Row>
          ))}
        </tbody>
      </Table>
      <Pagination page={page} pages={Math.ceil(actions.length / PAGE_ROWS)} onPage={onPage} />
    </>
  );
}
