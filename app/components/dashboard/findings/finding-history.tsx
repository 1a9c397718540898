'use client';

import { visible } from '#lib/report/visible.ts';
import { formatDay, Time } from '../../domain/time.tsx';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../problem.tsx';
import { STATUS_TEXTS, statusBefore } from './status.ts';
import { type LedgerEntry, type TriageEvent, useHistory, useMemberNames } from './use-finding.ts';
import type { Reverted } from './use-triage.ts';

interface Props {
  readonly entry: LedgerEntry;
  readonly busy: boolean;
  readonly onRevert: (pairs: readonly Reverted[]) => Promise<void>;
}

export function FindingHistory({ entry, busy, onRevert }: Props) {
  const { repo_id, fingerprint, status } = entry;
  const { data: events, error } = useHistory({ repoId: repo_id, fingerprint });
  const nameOf = useMemberNames();
  if (error !== null) return <Problem error={error} what="The history could not be read" />;
  if (events === undefined || events.length === 0) return null;
  return (
    <section aria-labelledby="history">
      <h2 id="history" className="font-semibold">
        History
      </h2>
      <ol className="mt-1 space-y-2">
        {events.map((event, index) => (
          <li key={event.id} className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
            <div className="min-w-0">
              <p className="wrap-anywhere">{describe(event, nameOf(event.actor))}</p>
              {event.reason !== null && <q className="wrap-anywhere text-muted">{visible(event.reason)}</q>}
              <p className="text-xs text-muted">
                <Time at={event.created_at} />
              </p>
            </div>
            {index === 0 && event.to_status === status && (
              <Button
                disabled={busy}
                className="min-h-8 px-3"
                onClick={() =>
                  void onRevert([
                    {
                      target: { repo_id, fingerprint, status },
                      before: statusBefore({ repo_id, fingerprint, ...event }, events[1]),
                    },
                  ])
                }
              >
                Revert
              </Button>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

function describe({ actor, from_status: from, to_status: to, expires_at: end }: TriageEvent, name: string): string {
  return [
    `${visible(name)}: ${STATUS_TEXTS[from].label} → ${STATUS_TEXTS[to].label}`,
    end !== null && ` until ${formatDay(end)}`,
    actor === null && ', its time had passed',
  ]
    .filter((part) => part !== false)
    .join('');
}
