'use client';

import { useQueryStates } from 'nuqs';
import type { AttackPathList } from '#lib/http/schemas/attack-paths.ts';
import { visible } from '#lib/report/visible.ts';
import { COMBINATION_SEVERITIES, COMBINATION_SEVERITY_LABELS, plural } from '../../../messages.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { EmptyState } from '../empty-state.tsx';
import { DashboardHeader } from '../page-header.tsx';
import { Problem } from '../problem.tsx';
import { Coverage } from './coverage.tsx';
import { FixFirst } from './fix-first.tsx';
import { PathCard } from './path-card.tsx';
import { groupPaths, PATH_FILTERS } from './path-filters.ts';
import { usePaths } from './use-paths.ts';

export function PathsPage() {
  const { data, error, refetch } = usePaths();
  return (
    <>
      <DashboardHeader title="Attack paths">
        <p>Findings that together give an attacker your tokens or credentials, with the one change that breaks each.</p>
      </DashboardHeader>
      {error !== null && (
        <Problem error={error} what="The attack paths could not be read" onRetry={() => void refetch()} />
      )}
      {data === undefined ? error === null && <Skeleton lines={9} /> : <Paths list={data} />}
    </>
  );
}

function Paths({ list }: { readonly list: AttackPathList }) {
  const [filters, setFilters] = useQueryStates(PATH_FILTERS);
  const groups = groupPaths(list, filters);
  const shown = groups.reduce((sum, { paths }) => sum + paths.length, 0);
  const scanned = list.coverage.some(({ searched_repos, blinded_repos }) => searched_repos + blinded_repos > 0);
  if (!scanned) {
    return (
      <EmptyState title="No repository has been scanned yet">Scan your repositories to search for paths.</EmptyState>
    );
  }
  return (
    <>
      <FixFirst list={list} />
      {list.total_combos > 0 && (
        <Filters list={list} filters={filters} onChange={(change) => void setFilters(change)} />
      )}
      <p role="status" className="mb-3 text-sm text-muted">
        {shown === list.total_combos
          ? plural(shown, { one: '1 attack path', other: '# attack paths' })
          : plural(list.total_combos, { one: `${shown} of 1 attack path`, other: `${shown} of # attack paths` })}
      </p>
      {list.total_combos > 0 && shown === 0 && (
        <EmptyState title="No attack path matches">
          <Button onClick={() => void setFilters({ sev: null, kind: null, repo: null, accepted: null })}>
            Clear filters
          </Button>
        </EmptyState>
      )}
      <div className="space-y-8">
        {groups.map(({ key, title, paths }) => (
          <section key={key} aria-labelledby={`group-${key}`}>
            <h2 id={`group-${key}`} className="mb-3 font-semibold break-words">
              {visible(title)}{' '}
              <span className="font-normal text-muted">
                {plural(paths.length, { one: '1 path', other: '# paths' })}
              </span>
            </h2>
            <div className="space-y-3">
              {paths.map((found) => (
                <PathCard key={`${found.repoId} ${found.path.id} ${found.path.file}`} found={found} />
              ))}
            </div>
          </section>
        ))}
      </div>
      <Coverage entries={list.coverage} />
    </>
  );
}

interface FiltersProps {
  readonly list: AttackPathList;
  readonly filters: Parameters<typeof groupPaths>[1];
  readonly onChange: (change: Readonly<Record<string, unknown>>) => void;
}

function Filters({ list, filters, onChange }: FiltersProps) {
  const kinds = [...new Map(list.repos.flatMap(({ combos }) => combos).map(({ id, title }) => [id, title]))];
  return (
    <form aria-label="Filters" className="mb-4 grid gap-3 sm:grid-cols-4" onSubmit={(event) => event.preventDefault()}>
      <Choice
        label="Severity"
        value={filters.sev}
        options={COMBINATION_SEVERITIES.map((value) => [value, COMBINATION_SEVERITY_LABELS[value].label])}
        onChange={(sev) => onChange({ sev })}
      />
      <Choice label="Kind" value={filters.kind} options={kinds} onChange={(kind) => onChange({ kind })} />
      <Choice
        label="Repository"
        value={filters.repo}
        options={list.repos.map(({ repo_id, full_name }) => [repo_id, visible(full_name)])}
        onChange={(repo) => onChange({ repo })}
      />
      <Field label="Group by">
        <Select value={filters.group} onChange={({ target }) => onChange({ group: target.value })}>
          <option value="repository">Repository</option>
          <option value="fix">Rule that breaks it</option>
        </Select>
      </Field>
    </form>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string | null;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly onChange: (value: string | null) => void;
}

function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <Field label={label}>
      <Select value={value ?? ''} onChange={({ target }) => onChange(target.value === '' ? null : target.value)}>
        <option value="">All</option>
        {options.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </Select>
    </Field>
  );
}
