import provenance from '#lib/data/provenance.json' with { type: 'json' };
import type { FileDiagnostic } from './scan.ts';

const MAX_AGE_DAYS = 30;
const DAY_MS = 24 * 3_600_000;

/**
 * The oldest day, `YYYY-MM-DD`, on which a refreshed table was last compared with the code host; hand-written tables do
 * not count.
 */
export const REFRESHED_ON: string = Object.values(provenance).reduce(
  (oldest, entry) => ('refreshed' in entry && entry.date < oldest ? entry.date : oldest),
  '9999-12-31',
);

export function oldDataDays(today: Date, refreshedOn: string = REFRESHED_ON): number | undefined {
  const days = Math.floor((today.getTime() - Date.parse(refreshedOn)) / DAY_MS);
  return days > MAX_AGE_DAYS ? days : undefined;
}

export function oldDataNotice(today: Date, refreshedOn: string = REFRESHED_ON): FileDiagnostic | undefined {
  const days = oldDataDays(today, refreshedOn);
  if (days === undefined) return undefined;
  return {
    file: '.',
    line: null,
    column: null,
    severity: 'warning',
    message: `What this version knows of advisories, incidents and actions is of ${refreshedOn}, ${days} days ago: newer ones are missing. Update it.`,
  };
}
