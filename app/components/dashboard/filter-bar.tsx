'use client';

import { clsx } from 'clsx';
import { createSerializer, parseAsInteger, parseAsString } from 'nuqs';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Field, Input, Select } from '../ui/field.tsx';

interface BarProps {
  readonly first?: ReactNode;
  readonly children: ReactNode;
  readonly more?: ReactNode;
  readonly onClear?: (() => void) | undefined;
}

export function FilterBar({ first, children, more, onClear }: BarProps) {
  const [open, setOpen] = useState(false);
  const folded = first !== undefined && !open;
  return (
    <form aria-label="Filters" className="mb-4" onSubmit={(event) => event.preventDefault()}>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(9.5rem,1fr))] gap-3">
        {first}
        <div className={clsx('contents', folded && 'max-md:hidden')}>{children}</div>
      </div>
      {first !== undefined && (
        <Button className="mt-3 min-h-8 px-3 md:hidden" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Fewer filters' : 'More filters'}
        </Button>
      )}
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
const TYPING_MS = 300;

interface TextProps {
  readonly label: string;
  readonly name: string;
  readonly value: string;
}

/** Changes the address itself: nuqs delays its changes, and one during a navigation cancels the navigation. */
export function TextFilter({ label, name, value }: TextProps) {
  const [text, setText] = useState(value);
  const [seen, setSeen] = useState(value);
  const [sent, setSent] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  if (seen !== value) {
    setSeen(value);
    if (value !== sent) {
      setText(value);
      setSent(value);
    }
  }
  useEffect(() => () => clearTimeout(timer.current), []);
  const send = (typed: string) => {
    clearTimeout(timer.current);
    if (typed === value) return;
    setSent(typed);
    writeText(name, typed);
  };
  return (
    <Field label={label} className="col-span-2">
      <Input
        type="search"
        value={text}
        maxLength={MAX_TEXT}
        onChange={({ target }) => {
          setText(target.value);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => send(target.value), TYPING_MS);
        }}
        onBlur={() => send(text)}
        onKeyDown={({ key }) => key === 'Enter' && send(text)}
      />
    </Field>
  );
}

function writeText(name: string, text: string): void {
  const serialize = createSerializer({ [name]: parseAsString, page: parseAsInteger });
  const search = serialize(location.search, { [name]: text === '' ? null : text, page: null });
  history.replaceState(null, '', search === '' ? location.pathname : search);
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value | null;
  readonly options: readonly (readonly [value: Value, label: string])[];
  readonly allLabel?: string;
  readonly disabled?: boolean;
  readonly className?: string;
  readonly onChange: (value: Value | null) => void;
}

export function ChoiceFilter<Value extends string>({
  label,
  value,
  options,
  allLabel,
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
        {allLabel !== undefined && <option value="">{allLabel}</option>}
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </Select>
    </Field>
  );
}
