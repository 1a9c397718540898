'use client';

import { useId, useState } from 'react';
import { visible } from '#lib/report/visible.ts';
import { formatNumber, plural } from '../../../numbers.ts';
import { LOT } from '../../session/lots.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import type { Status } from './filters.ts';
import { keepReason, lastReasons } from './last-reasons.ts';
import { STATUS_TEXTS } from './status.ts';
import type { Decision } from './use-triage.ts';

interface Props {
  readonly status: Status;
  readonly count: number;
  readonly chosenBy?: readonly string[];
  readonly onDecide: (decision: Decision) => void;
  readonly onClose: () => void;
}

const PRESETS = [7, 30, 90] as const;
const MANY = 100;
const LOT_SECONDS = 2;
const DAY_MS = 86_400_000;
const MAX_REASON = 2_000;

export function DecideDialog({ status, count, chosenBy = [], onDecide, onClose }: Props) {
  const id = useId();
  const [reasons] = useState(lastReasons);
  const { verb, meaning, needsEnd } = STATUS_TEXTS[status];
  const [reason, setReason] = useState('');
  const [end, setEnd] = useState(() => dateIn(30));
  const title = plural(count, { one: `${verb}: 1 finding`, other: `${verb}: # findings` });
  return (
    <Dialog open title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const given = reason.trim() || null;
          if (given !== null) keepReason(given);
          onDecide({ status, reason: given, expiresAt: needsEnd ? endOf(end) : null });
        }}
      >
        <p className="mb-4 text-sm text-muted">{meaning}</p>
        {count > MANY && <Extent count={count} chosenBy={chosenBy} />}
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
            list={id}
            data-focus
            value={reason}
            onChange={({ target }) => setReason(target.value)}
          />
        </Field>
        <datalist id={id}>
          {reasons.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </datalist>
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

function Extent({ count, chosenBy }: Required<Pick<Props, 'count' | 'chosenBy'>>) {
  const minutes = Math.ceil((Math.ceil(count / LOT) * LOT_SECONDS) / 60);
  const time = plural(minutes, { one: 'takes less than a minute', other: 'takes about # minutes' });
  return (
    <div className="mb-4 rounded-control bg-subtle p-3 text-sm">
      <p>{`This changes ${formatNumber(count)} findings, ${LOT} at a time, and ${time}. It can be undone.`}</p>
      <ul aria-label="Chosen by" className="mt-1 list-disc ps-5">
        {chosenBy.map((each) => (
          <li key={each} className="wrap-anywhere">
            {visible(each)}
          </li>
        ))}
      </ul>
    </div>
  );
}

function dateIn(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
}

function endOf(date: string): string {
  return `${date}T23:59:59.000Z`;
}
