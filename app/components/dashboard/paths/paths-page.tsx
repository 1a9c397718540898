'use client';

import Link from 'next/link';
import { useQueryStates } from 'nuqs';
import type { AttackPathList } from '#lib/http/schemas/attack-paths.ts';
import { visible } from '#lib/report/visible.ts';
import { COMBINATION_SEVERITIES, COMBINATION_SEVERITY_LABELS } from '../../../messages.ts';
import { plural } from '../../../numbers.ts';
import { Button } from '../../ui/button.tsx';
import { Pagination } from '../../ui/pagination.tsx';
import { useOrg } from '../context.tsx';
import { EmptyState } from '../empty-state.tsx';
import { ChoiceFilter, FilterBar } from '../filter-bar.tsx';
import { orgLink } from '../links.ts';
import { NothingFound } from '../nothing-found.tsx';
import { DashboardHeader } from '../page-header.tsx';
import { Problem } from '../problem.tsx';
import { Coverage } from './coverage.tsx';
import { FixFirst } from './fix-first.tsx';
import { PathCard } from './path-card.tsx';
import {
  groupPaths,
  isFiltered,
  NO_FILTERS,
  PAGE_PATHS,
  PATH_FILTERS,
  type PathFilters,
  pageOfGroups,
} from './path-filters.ts';
import { usePaths } from './use-paths.ts';
import { WaitingForPaths } from './waiting.tsx';

export function PathsPage() {
  const { data, error, failureReason, refetch } = usePaths();
  return (
    <>
      <DashboardHeader title="Attack paths">
        <p>Findings that together give an attacker your tokens or credentials, with the one change that breaks each.</p>
      </DashboardHeader>
      {error !== null && (
        <Problem error={error} what="The attack paths could not be read" onRetry={() => void refetch()} />
      )}
      {data === undefined ? (
        error === null && <WaitingForPaths reason={failureReason} lines={9} />
      ) : (
        <Paths list={data} />
      )}
    </>
  );
}

function Paths({ list }: { readonly list: AttackPathList }) {
  const { id } = useOrg();
  const [filters, setFilters] = useQueryStates(PATH_FILTERS);
  const groups = groupPaths(list, filters);
  const shown = groups.reduce((sum, { total }) => sum + total, 0);
  const page = Math.max(1, filters.page);
  const scanned = list.coverage.some(({ searched_repos, blinded_repos }) => searched_repos + blinded_repos > 0);
  if (!scanned) return <NothingFound title="No attack path" />;
  const complete = list.coverage.every(({ blinded_repos, partial_repos }) => blinded_repos + partial_repos === 0);
  return (
    <>
      <FixFirst list={list} />
      {list.total_combos > 0 && (
        <Filters list={list} filters={filters} onChange={(change) => void setFilters({ page: null, ...change })} />
      )}
      {list.total_combos === 0 ? (
        <NothingFound title="No attack path" complete={complete} />
      ) : (
        <p role="status" className="mb-3 text-sm text-muted">
          {shown === list.total_combos
            ? plural(shown, { one: '1 attack path', other: '# attack paths' })
            : plural(list.total_combos, { one: `${shown} of 1 attack path`, other: `${shown} of # attack paths` })}
        </p>
      )}
      {list.total_combos > 0 && shown === 0 && (
        <EmptyState title="No attack path matches">
          <Button onClick={() => void setFilters(NO_FILTERS)}>Clear filters</Button>
        </EmptyState>
      )}
      <div className="space-y-8">
        {pageOfGroups(groups, page).map(({ key, title, paths, total }) => (
          <section key={key} aria-labelledby={`group-${key}`}>
            <h2 id={`group-${key}`} className="mb-3 font-semibold wrap-anywhere">
              {filters.group === 'repository' ? (
                <Link href={orgLink(id, `repositories/${key}`)} prefetch={false} className="link">
                  {visible(title)}
                </Link>
              ) : (
                title
              )}{' '}
              <span className="font-normal text-muted">{plural(total, { one: '1 path', other: '# paths' })}</span>
            </h2>
            <div className="space-y-3">
              {paths.map((found) => (
                <PathCard
                  key={`${found.repoId} ${found.path.id} ${found.path.file}`}
                  found={found}
                  namesRepository={filters.group !== 'repository'}
                />
              ))}
            </div>
          </section>
        ))}
      </div>
      <Pagination
        page={page}
        pages={Math.ceil(shown / PAGE_PATHS)}
        onPage={(next) => void setFilters({ page: next }, { history: 'push' })}
      />
      <Coverage entries={list.coverage} />
    </>
  );
}

interface FiltersProps {
  readonly list: AttackPathList;
  readonly filters: PathFilters;
  readonly onChange: (change: { readonly [Name in keyof PathFilters]?: PathFilters[Name] | null }) => void;
}

function Filters({ list, filters, onChange }: FiltersProps) {
  const kinds = [...new Map(list.repos.flatMap(({ combos }) => combos).map(({ id, title }) => [id, title]))];
  return (
    <FilterBar onClear={isFiltered(filters) ? () => onChange(NO_FILTERS) : undefined}>
      <ChoiceFilter
        label="Severity"
        allLabel="All"
        value={filters.sev}
        options={COMBINATION_SEVERITIES.map((value) => [value, COMBINATION_SEVERITY_LABELS[value].label])}
        onChange={(sev) => onChange({ sev })}
      />
      <ChoiceFilter
        label="Repository"
        allLabel="All"
        value={filters.repo}
        options={list.repos.map(({ repo_id, full_name }) => [repo_id, visible(full_name)])}
        onChange={(repo) => onChange({ repo })}
      />
      <ChoiceFilter
        label="Kind"
        allLabel="All"
        value={filters.kind}
        options={kinds}
        className="col-span-2"
        onChange={(kind) => onChange({ kind })}
      />
      <ChoiceFilter
        label="Accepted risk"
        allLabel="Any"
        value={filters.accepted === null ? null : String(filters.accepted)}
        options={[
          ['true', 'Contains accepted risk'],
          ['false', 'Without accepted risk'],
        ]}
        onChange={(accepted) => onChange({ accepted: accepted === null ? null : accepted === 'true' })}
      />
      <ChoiceFilter
        label="Group by"
        value={filters.group}
        options={[
          ['repository', 'Repository'],
          ['fix', 'Rule that breaks it'],
        ]}
        onChange={(group) => onChange({ group })}
      />
    </FilterBar>
  );
}
