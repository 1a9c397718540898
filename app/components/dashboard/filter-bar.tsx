'use client';

import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { Field, Input, Select } from '../ui/field.tsx';

interface BarProps {
  readonly children: ReactNode;
  /** Stands below the fields, beside the button that clears them. */
  readonly more?: ReactNode;
  /** Set while a filter is. */
  readonly onClear?: (() => void) | undefined;
}

/** The filters of a list, which its address holds. */
export function FilterBar({ children, more, onClear }: BarProps) {
  return (
    <form aria-label="Filters" className="mb-4" onSubmit={(event) => event.preventDefault()}>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(9.5rem,1fr))] gap-3">{children}</div>
      {(more !== undefined || onClear !== undefined) && (
        <div className="mt-3 flex min-h-8 flex-wrap items-center gap-x-4 gap-y-2">
          {more}
          {onClear !== undefined && (
            <Button className="min-h-8 px-3" onClick={onClear}>
              Clear filters
            </Button>
          )}
        </div>
      )}
    </form>
  );
}

const MAX_TEXT = 200;

interface TextProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function TextFilter({ label, value, onChange }: TextProps) {
  return (
    <Field label={label} className="col-span-2">
      <Input
        type="search"
        // Typing is not overwritten by the address, which follows late; clearing it is.
        key={value === '' ? 'empty' : 'typed'}
        defaultValue={value}
        maxLength={MAX_TEXT}
        onChange={({ target }) => onChange(target.value)}
      />
    </Field>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value | null;
  readonly options: readonly (readonly [value: Value, label: string])[];
  /** Names the choice of all; without it, one of the options is always chosen. */
  readonly all?: string;
  readonly disabled?: boolean;
  readonly className?: string;
  readonly onChange: (value: Value | null) => void;
}

export function ChoiceFilter<Value extends string>({
  label,
  value,
  options,
  all,
  disabled = false,
  className,
  onChange,
}: ChoiceProps<Value>) {
  return (
    <Field label={label} className={clsx(className)}>
      <Select
        value={value ?? ''}
        disabled={disabled}
        onChange={({ target }) => onChange(options.find(([each]) => each === target.value)?.[0] ?? null)}
      >
        {all !== undefined && <option value="">{all}</option>}
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </Select>
    </Field>
  );
}
