'use client';

import { useState } from 'react';
import { plural } from '../../../numbers.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import type { Status } from './filters.ts';
import { STATUS_TEXTS } from './status.ts';
import type { Decision } from './use-triage.ts';

interface Props {
  readonly status: Status;
  readonly count: number;
  readonly onDecide: (decision: Decision) => void;
  readonly onClose: () => void;
}

const PRESETS = [7, 30, 90] as const;
const DAY_MS = 86_400_000;
const MAX_REASON = 2_000;

/** Asks for the reason, and for the end of what does not last. */
export function DecideDialog({ status, count, onDecide, onClose }: Props) {
  const { verb, meaning, needsEnd } = STATUS_TEXTS[status];
  const [reason, setReason] = useState('');
  const [end, setEnd] = useState(() => dateIn(30));
  const title = plural(count, { one: `${verb}: 1 finding`, other: `${verb}: # findings` });
  return (
    <Dialog open title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onDecide({ status, reason: reason.trim() || null, expiresAt: needsEnd ? endOf(end) : null });
        }}
      >
        <p className="mb-4 text-sm text-muted">{meaning}</p>
        {needsEnd && (
          <fieldset className="mb-4">
            <legend className="mb-1.5 text-sm font-semibold">Until</legend>
            <div className="flex flex-wrap gap-2">
              {PRESETS.map((days) => (
                <Button key={days} aria-pressed={end === dateIn(days)} onClick={() => setEnd(dateIn(days))}>
                  {plural(days, { one: '1 day', other: '# days' })}
                </Button>
              ))}
              <Input
                type="date"
                aria-label="End date"
                required
                min={dateIn(1)}
                max={dateIn(729)}
                value={end}
                onChange={({ target }) => setEnd(target.value)}
                className="w-auto"
              />
            </div>
          </fieldset>
        )}
        <Field label="Reason (optional)">
          <Input
            maxLength={MAX_REASON}
            autoComplete="off"
            value={reason}
            onChange={({ target }) => setReason(target.value)}
          />
        </Field>
        <div className="mt-5 flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary">
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function dateIn(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
}

function endOf(date: string): string {
  return `${date}T23:59:59.000Z`;
}
