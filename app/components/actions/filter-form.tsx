import type { Directory, DirectoryFilter } from '#lib/services/pages/action-directory.ts';
import { BAND_LABELS } from '../../messages.ts';
import { formatNumber } from '../../numbers.ts';
import { Button } from '../ui/button.tsx';
import { Field, Input, Select } from '../ui/field.tsx';
import { Panel } from '../ui/panel.tsx';

const SORTS = { score: 'Score', name: 'Name', stars: 'Stars', scored_at: 'Time of the score' } as const;
const ORDERS = { asc: 'Ascending', desc: 'Descending' } as const;

interface Props {
  readonly filter: DirectoryFilter;
  readonly counts: Directory['counts'];
  readonly maxLength: number;
}

export function FilterForm({ filter, counts, maxLength }: Props) {
  return (
    <Panel className="bg-subtle">
      <form method="get" action="/actions" role="search" aria-label="Actions" className="grid gap-4 sm:grid-cols-6">
        <Field label="Search" className="sm:col-span-6">
          <Input
            type="search"
            name="q"
            defaultValue={filter.text}
            maxLength={maxLength}
            placeholder="Part of a name or description"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        </Field>
        <fieldset className="sm:col-span-6">
          <legend className="mb-1.5 text-sm font-semibold">Band</legend>
          <div className="flex flex-wrap gap-x-5">
            {(Object.keys(BAND_LABELS) as (keyof typeof BAND_LABELS)[]).map((band) => (
              <label key={band} className="inline-flex min-h-8 items-center gap-2 text-sm">
                <input
                  type="checkbox"
                  name="band"
                  value={band}
                  defaultChecked={filter.bands.includes(band)}
                  className="size-4 accent-accent"
                />
                {`${band} (${formatNumber(counts[band] ?? 0)})`}
              </label>
            ))}
          </div>
        </fieldset>
        <Field label="Sort by" className="sm:col-span-2">
          <Select name="sort" defaultValue={filter.sort}>
            {Object.entries(SORTS).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        </Field>
        <Field label="Order" className="sm:col-span-2">
          <Select name="order" defaultValue={filter.descending ? 'desc' : 'asc'}>
            {Object.entries(ORDERS).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        </Field>
        <div className="flex items-end gap-4 sm:col-span-2">
          <Button type="submit" variant="primary">
            Show actions
          </Button>
          {(filter.text !== '' || filter.bands.length > 0) && <ClearFilters />}
        </div>
      </form>
    </Panel>
  );
}

export function ClearFilters() {
  return (
    <a href="/actions" className="link inline-flex min-h-10 items-center text-sm">
      Clear filters
    </a>
  );
}
