import type { FoundRules, RuleFilter, RuleRow } from '#lib/services/rules/catalog.ts';
import { CATEGORY_LABELS, RULESET_LABELS, SEVERITIES, SEVERITY_LABELS, SURFACE_LABELS } from '../../messages.ts';
import { Button } from '../ui/button.tsx';
import { Field, Input, Select } from '../ui/field.tsx';
import { Panel } from '../ui/panel.tsx';
import { LiveForm } from './live-form.tsx';

interface Props {
  readonly filter: RuleFilter;
  readonly counts: FoundRules['counts'];
  readonly maxLength: number;
}

export function FilterForm({ filter, counts, maxLength }: Props) {
  return (
    <Panel className="bg-subtle">
      <LiveForm action="/rules" label="Rules" className="space-y-3">
        <div className="flex items-end gap-3">
          <Field label="Search" className="flex-1">
            <Input type="search" name="q" defaultValue={filter.text} maxLength={maxLength} autoComplete="off" />
          </Field>
          <Button type="submit" variant="primary" className="shrink-0">
            Show rules
          </Button>
        </div>
        <details open={Object.keys(filter).some((name) => name !== 'text')}>
          <summary className="cursor-pointer py-1 text-sm font-medium">Filters</summary>
          <div className="mt-3 grid gap-4 sm:grid-cols-6">
            <Field label="Category" className="sm:col-span-6">
              <Select name="category" defaultValue={filter.category ?? ''}>
                <option value="">All</option>
                {(Object.keys(CATEGORY_LABELS) as RuleRow['category'][]).map((category) => (
                  <option key={category} value={category}>
                    {`${category} ${CATEGORY_LABELS[category]} (${counts.category(category)})`}
                  </option>
                ))}
              </Select>
            </Field>
            <fieldset className="sm:col-span-6">
              <legend className="mb-1.5 text-sm font-semibold">Severity</legend>
              <div className="flex flex-wrap gap-x-5">
                {SEVERITIES.map((severity) => (
                  <label key={severity} className="inline-flex min-h-8 items-center gap-2 text-sm">
                    <input
                      type="checkbox"
                      name="severity"
                      value={severity}
                      defaultChecked={filter.severities?.includes(severity) ?? false}
                      className="size-4 accent-accent"
                    />
                    {`${SEVERITY_LABELS[severity].label} (${counts.severity(severity)})`}
                  </label>
                ))}
              </div>
            </fieldset>
            <Field label="Scope" className="sm:col-span-3">
              <Select name="surface" defaultValue={filter.surface ?? ''}>
                <option value="">All</option>
                {entriesOf(SURFACE_LABELS).map(([surface, { label }]) => (
                  <option key={surface} value={surface}>
                    {`${label} (${counts.surface(surface)})`}
                  </option>
                ))}
              </Select>
            </Field>
            <Field label="Ruleset" className="sm:col-span-3">
              <Select name="ruleset" defaultValue={filter.ruleset ?? ''}>
                <option value="">All</option>
                {entriesOf(RULESET_LABELS)
                  .filter(([ruleset]) => ruleset !== 'all')
                  .map(([ruleset, { label }]) => (
                    <option key={ruleset} value={ruleset}>
                      {`${label} (${counts.ruleset(ruleset)})`}
                    </option>
                  ))}
              </Select>
            </Field>
          </div>
        </details>
        {Object.keys(filter).length > 0 && <ClearFilters />}
      </LiveForm>
    </Panel>
  );
}

export function ClearFilters() {
  return (
    <a href="/rules" className="link inline-flex min-h-10 items-center text-sm">
      Clear filters
    </a>
  );
}

function entriesOf<Key extends string, Value>(labels: Readonly<Record<Key, Value>>): [Key, Value][] {
  return Object.entries(labels) as [Key, Value][];
}
