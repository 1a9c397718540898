'use client';

import { useQuery } from '@tanstack/react-query';
import { visible } from '#lib/report/visible.ts';
import { SEVERITIES, SEVERITY_LABELS, type Severity } from '../../../messages.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input, Select } from '../../ui/field.tsx';
import { useOrg, useUser } from '../context.tsx';
import { rowsOf } from '../request.ts';
import { type Filters, isFiltered, NO_FILTERS, STATUSES, type View } from './filters.ts';
import { STATUS_TEXTS } from './status.ts';

interface Props {
  readonly filters: Filters;
  readonly group: View['group'];
  readonly onChange: (change: Partial<Readonly<Record<keyof Filters, unknown>>>) => void;
  readonly onGroup: (group: View['group']) => void;
}

export function FilterBar({ filters, group, onChange, onGroup }: Props) {
  const repositories = useRepositoryChoices();
  return (
    <form
      aria-label="Filters"
      className="mb-4 grid gap-3 sm:grid-cols-3 lg:grid-cols-6"
      onSubmit={(event) => event.preventDefault()}
    >
      <Field label="Title or file" className="sm:col-span-3 lg:col-span-2">
        <Input
          type="search"
          defaultValue={filters.q}
          key={filters.q === '' ? 'empty' : 'typed'}
          maxLength={200}
          onChange={({ target }) => onChange({ q: target.value })}
        />
      </Field>
      <Field label="Status">
        <Select value={filters.status} onChange={({ target }) => onChange({ status: target.value })}>
          {STATUSES.map((status) => (
            <option key={status} value={status}>
              {STATUS_TEXTS[status].label}
            </option>
          ))}
          <option value="any">Any</option>
        </Select>
      </Field>
      <Field label="Repository">
        <Select value={filters.repo ?? ''} onChange={({ target }) => onChange({ repo: target.value || null })}>
          <option value="">All</option>
          {repositories.map(({ id, full_name }) => (
            <option key={id} value={id}>
              {visible(full_name)}
            </option>
          ))}
        </Select>
      </Field>
      <Field label="Fix">
        <Select
          value={filters.fix === null ? '' : String(filters.fix)}
          onChange={({ target }) => onChange({ fix: target.value === '' ? null : target.value === 'true' })}
        >
          <option value="">Any</option>
          <option value="true">Automatic</option>
          <option value="false">By hand</option>
        </Select>
      </Field>
      <Field label="Group by">
        <Select value={group} onChange={({ target }) => onGroup(target.value as View['group'])}>
          <option value="rule">Rule</option>
          <option value="repository">Repository</option>
          <option value="none">Nothing</option>
        </Select>
      </Field>
      <fieldset className="flex flex-wrap items-center gap-x-4 gap-y-2 sm:col-span-3 lg:col-span-6">
        <legend className="sr-only">Severity</legend>
        {SEVERITIES.map((severity) => (
          <label key={severity} className="inline-flex min-h-6 cursor-pointer items-center gap-1.5 text-sm">
            <input
              type="checkbox"
              checked={filters.sev.includes(severity)}
              onChange={() => onChange({ sev: toggled(filters.sev, severity) })}
              className="size-4 accent-accent"
            />
            {SEVERITY_LABELS[severity].label}
          </label>
        ))}
        {filters.rule !== null && (
          <Button className="min-h-8 px-3" onClick={() => onChange({ rule: null })}>
            {`Rule ${filters.rule}: remove`}
          </Button>
        )}
        {isFiltered(filters) && (
          <Button className="min-h-8 px-3" onClick={() => onChange(NO_FILTERS)}>
            Clear filters
          </Button>
        )}
      </fieldset>
    </form>
  );
}

function toggled(severities: readonly Severity[], severity: Severity): readonly Severity[] {
  return SEVERITIES.filter((each) => severities.includes(each) !== (each === severity));
}

const CHOICES = 1_000;

export function useRepositoryChoices(): readonly { readonly id: string; readonly full_name: string }[] {
  const { id, db } = useUser();
  const org = useOrg();
  const { data = [] } = useQuery({
    queryKey: [id, org.id, 'repository-choices'],
    queryFn: async () =>
      rowsOf(
        await db
          .from('repositories')
          .select('id, full_name')
          .eq('org_id', org.id)
          .is('removed_at', null)
          .order('full_name')
          .limit(CHOICES),
      ),
  });
  return data;
}
