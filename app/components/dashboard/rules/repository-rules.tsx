'use client';

import Link from 'next/link';
import { useState } from 'react';
import type { RuleValue } from '#lib/db/shapes/rules.ts';
import { visible } from '#lib/report/visible.ts';
import { plural } from '../../../numbers.ts';
import { RuleLink } from '../../domain/rule-link.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { Pagination } from '../../ui/pagination.tsx';
import { Cell, HeaderCell, Row, Table } from '../../ui/table.tsx';
import { useOrg } from '../context.tsx';
import { EmptyState } from '../empty-state.tsx';
import { FilterBar, TextFilter } from '../filter-bar.tsx';
import { orgLink } from '../links.ts';
import { Changed } from './organization-rules.tsx';
import { isOn, ownValue, ruleKey } from './rule-state.ts';
import { matchingRepositories, type TabProps } from './rule-view.ts';
import { PAGE_ROWS, type RuleChanges } from './use-rules.ts';

interface Difference {
  readonly repoId: string;
  readonly full_name: string;
  readonly ruleId: string;
}

export function RepositoryRules({ catalog, repositories, changes, view, onView }: TabProps) {
  const { state } = changes;
  const names = new Map(repositories.map(({ id, full_name }) => [id, full_name]));
  const keys = new Map<string, readonly [repoId: string | null, ruleId: string]>();
  for (const row of state.stored.values()) keys.set(ruleKey(row.repo_id, row.rule_id), [row.repo_id, row.rule_id]);
  for (const { repository_id: repoId, rule_id: ruleId } of state.pending.values())
    keys.set(ruleKey(repoId, ruleId), [repoId, ruleId]);
  const all = [...keys.values()]
    .flatMap(([repoId, ruleId]): Difference[] => {
      const name = repoId === null ? undefined : names.get(repoId);
      return repoId === null || name === undefined ? [] : [{ repoId, full_name: name, ruleId }];
    })
    .sort((a, b) => compare(a.full_name, b.full_name) || compare(a.ruleId, b.ruleId));
  const wanted = view.q.trim().toLowerCase();
  const shown = matchingRepositories(all, view).filter(({ ruleId }) => ruleId.includes(wanted));
  const isFiltered = wanted !== '' || view.repo.trim() !== '';
  const clear = () => onView({ q: null, repo: null });
  return (
    <>
      <AddException catalog={catalog} repositories={repositories} changes={changes} />
      {all.length === 0 ? (
        <EmptyState title="All repositories follow the organization">
          A repository can switch a rule on or off for itself.
        </EmptyState>
      ) : (
        <>
          <FilterBar onClear={isFiltered ? clear : undefined}>
            <TextFilter label="Rule" name="q" value={view.q} />
            <TextFilter label="Repository" name="repo" value={view.repo} />
          </FilterBar>
          <p role="status" className="mb-3 text-sm text-muted">
            {plural(shown.length, { one: '1 setting of a repository', other: '# settings of repositories' })}
          </p>
        </>
      )}
      {all.length > 0 && shown.length === 0 && (
        <EmptyState title="No setting matches">
          <Button onClick={clear}>Clear filters</Button>
        </EmptyState>
      )}
      {shown.length > 0 && (
        <Table caption="Settings of repositories">
          <thead>
            <tr>
              <HeaderCell>Repository and rule</HeaderCell>
              <HeaderCell>Here</HeaderCell>
              <HeaderCell className="max-md:hidden">Organization</HeaderCell>
              <HeaderCell className="max-md:hidden">Changed</HeaderCell>
            </tr>
          </thead>
          <tbody>
            {shown.slice((view.page - 1) * PAGE_ROWS, view.page * PAGE_ROWS).map((row) => (
              <DifferenceRow key={ruleKey(row.repoId, row.ruleId)} row={row} changes={changes} />
            ))}
          </tbody>
        </Table>
      )}
      <Pagination page={view.page} pages={Math.ceil(shown.length / PAGE_ROWS)} onPage={(page) => onView({ page })} />
    </>
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const VALUE_LABELS: Readonly<Record<RuleValue, string>> = {
  inherit: 'As the organization',
  enabled: 'On',
  disabled: 'Off',
};

function Values() {
  return Object.entries(VALUE_LABELS).map(([value, label]) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));
}

function DifferenceRow({ row, changes }: { readonly row: Difference; readonly changes: RuleChanges }) {
  const org = useOrg();
  const { state, set } = changes;
  const { repoId, full_name: name, ruleId } = row;
  return (
    <Row>
      <HeaderCell scope="row" className="align-top font-normal">
        <span className="block min-h-6">
          <Link href={orgLink(org.id, `repositories/${repoId}`)} prefetch={false} className="link wrap-anywhere">
            {visible(name)}
          </Link>
        </span>
        <span className="block min-h-6">
          <RuleLink id={ruleId} />
        </span>
      </HeaderCell>
      <Cell>
        <Select
          aria-label={`${ruleId} in ${visible(name)}`}
          value={ownValue(state, repoId, ruleId)}
          disabled={changes.run?.kind === 'running'}
          onChange={({ target }) => set([{ rule_id: ruleId, repository_id: repoId, value: target.value as RuleValue }])}
        >
          <Values />
        </Select>
        {state.pending.has(ruleKey(repoId, ruleId)) && <span className="text-xs text-muted">Not saved</span>}
      </Cell>
      <Cell className="max-md:hidden">{isOn(state, null, ruleId) ? 'On' : 'Off'}</Cell>
      <Cell className="text-muted max-md:hidden">
        <Changed state={state} repoId={repoId} ruleId={ruleId} />
      </Cell>
    </Row>
  );
}

function AddException({ catalog, repositories, changes }: Pick<TabProps, 'catalog' | 'repositories' | 'changes'>) {
  const [repoId, setRepoId] = useState('');
  const [ruleId, setRuleId] = useState('');
  const [value, setValue] = useState<RuleValue>('disabled');
  return (
    <form
      aria-label="Set a rule for a repository"
      className="mb-6 grid items-end gap-3 sm:grid-cols-[1fr_1fr_auto_auto]"
      onSubmit={(event) => {
        event.preventDefault();
        changes.set([{ rule_id: ruleId, repository_id: repoId, value }]);
      }}
    >
      <Field label="In repository">
        <Select required value={repoId} onChange={({ target }) => setRepoId(target.value)}>
          <option value="">Choose</option>
          {repositories.map(({ id, full_name: name }) => (
            <option key={id} value={id}>
              {visible(name)}
            </option>
          ))}
        </Select>
      </Field>
      <Field label="Set rule">
        <Select required value={ruleId} onChange={({ target }) => setRuleId(target.value)}>
          <option value="">Choose</option>
          {catalog.map(({ id }) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </Select>
      </Field>
      <Field label="To">
        <Select value={value} onChange={({ target }) => setValue(target.value as RuleValue)}>
          <Values />
        </Select>
      </Field>
      <Button type="submit" disabled={changes.run?.kind === 'running'}>
        Add
      </Button>
    </form>
  );
}
