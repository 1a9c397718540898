'use client';

import { visible } from '#lib/report/visible.ts';
import { CATEGORY_LABELS, CONFIDENCE_LABELS, SEVERITIES, SEVERITY_LABELS, type Severity } from '../../../messages.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceFilter, FilterBar, TextFilter } from '../filter-bar.tsx';
import { useRepositoryChoices } from '../repositories/use-repository.ts';
import { AGE_LABELS, SEEN_LABELS } from './filter-words.ts';
import {
  AGES,
  CATEGORIES,
  CONFIDENCES,
  type Filters,
  isFiltered,
  NO_FILTERS,
  type SetFilters,
  STATUSES,
  type View,
} from './filters.ts';
import { STATUS_TEXTS } from './status.ts';

interface Props {
  readonly filters: Filters;
  readonly view: Pick<View, 'group' | 'sort'>;
  readonly grouped: boolean;
  readonly onChange: SetFilters;
  readonly onView: (change: Partial<Pick<View, 'group' | 'sort'>>) => void;
}

export function FindingFilters({ filters, view, grouped, onChange, onView }: Props) {
  const repositories = useRepositoryChoices();
  const { q, status, sev, rule, repo, cat, conf, fix, age, seen } = filters;
  return (
    <FilterBar
      first={<TextFilter label="Title or file" name="q" value={q} />}
      onClear={isFiltered(filters) ? () => onChange(NO_FILTERS) : undefined}
      more={
        <>
          <fieldset className="flex flex-wrap items-center gap-x-4 gap-y-2">
            <legend className="float-start me-4 text-sm font-semibold max-sm:sr-only">Severity</legend>
            {SEVERITIES.map((severity) => (
              <label key={severity} className="inline-flex min-h-6 cursor-pointer items-center gap-1.5 text-sm">
                <input
                  type="checkbox"
                  checked={sev.includes(severity)}
                  onChange={() => onChange({ sev: toggled(sev, severity) })}
                  className="size-4 accent-accent"
                />
                {SEVERITY_LABELS[severity].label}
              </label>
            ))}
          </fieldset>
          {rule !== null && (
            <Button className="min-h-8 px-3" onClick={() => onChange({ rule: null })}>
              {`Rule ${rule}: remove`}
            </Button>
          )}
        </>
      }
    >
      <ChoiceFilter
        label="Status"
        value={status}
        options={[...STATUSES.map((each) => [each, STATUS_TEXTS[each].label] as const), ['any', 'Any']]}
        onChange={(next) => onChange({ status: next })}
      />
      <ChoiceFilter
        label="Repository"
        allLabel="All"
        value={repo}
        options={repositories.map(({ id, full_name }) => [id, visible(full_name)])}
        onChange={(next) => onChange({ repo: next })}
      />
      <ChoiceFilter
        label="Category"
        allLabel="All"
        value={cat}
        options={CATEGORIES.map((each) => [
          each,
          `${each.slice('CICD-SEC-'.length)}. ${CATEGORY_LABELS[each] ?? each}`,
        ])}
        onChange={(next) => onChange({ cat: next })}
      />
      <ChoiceFilter
        label="Confidence"
        allLabel="Any"
        value={conf}
        options={CONFIDENCES.map((each) => [each, CONFIDENCE_LABELS[each].label])}
        onChange={(next) => onChange({ conf: next })}
      />
      <ChoiceFilter
        label="Fix"
        allLabel="Any"
        value={fix === null ? null : String(fix)}
        options={[
          ['true', 'Automatic'],
          ['false', 'By hand'],
        ]}
        onChange={(next) => onChange({ fix: next === null ? null : next === 'true' })}
      />
      <ChoiceFilter
        label="First seen"
        allLabel="Any time"
        value={age === null ? null : String(age)}
        options={AGES.map((days) => [String(days), AGE_LABELS[days]])}
        onChange={(next) => onChange({ age: AGES.find((days) => String(days) === next) ?? null })}
      />
      <ChoiceFilter
        label="Last scan"
        value={seen}
        options={(['present', 'fixed', 'missed'] as const).map((each) => [each, SEEN_LABELS[each]])}
        onChange={(next) => onChange({ seen: next })}
      />
      <ChoiceFilter
        label="Group by"
        value={view.group}
        disabled={seen !== 'present'}
        options={[
          ['rule', 'Rule'],
          ['repository', 'Repository'],
          ['none', 'Nothing'],
        ]}
        onChange={(group) => group !== null && onView({ group })}
      />
      <ChoiceFilter
        label="Sort by"
        value={view.sort}
        disabled={grouped}
        options={[
          ['severity', 'Severity'],
          ['newest', 'Newest'],
          ['repository', 'Repository'],
        ]}
        onChange={(sort) => sort !== null && onView({ sort })}
      />
    </FilterBar>
  );
}

function toggled(severities: readonly Severity[], severity: Severity): Severity[] {
  return SEVERITIES.filter((each) => severities.includes(each) !== (each === severity));
}
