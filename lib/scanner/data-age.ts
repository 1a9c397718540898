import provenance from '../data/provenance.json' with { type: 'json' };
import type { FileDiagnostic } from './scan.ts';

const MAX_AGE_DAYS = 30;
const DAY_MS = 24 * 3_600_000;

/** The day, `YYYY-MM-DD`, on which a table of what is known about actions was last brought up to date. */
export const NEWEST_DATA: string = Object.values(provenance).reduce(
  (newest, { date }) => (date > newest ? date : newest),
  '',
);

/** How many days old the newest table is, when that is so many that advisories and incidents may be missing. */
export function oldDataDays(today: Date, newest: string = NEWEST_DATA): number | undefined {
  const days = Math.floor((today.getTime() - Date.parse(newest)) / DAY_MS);
  return days > MAX_AGE_DAYS ? days : undefined;
}

/** Says so as a diagnostic. The engine itself has no clock. */
export function oldDataNotice(today: Date, newest: string = NEWEST_DATA): FileDiagnostic | undefined {
  const days = oldDataDays(today, newest);
  if (days === undefined) return undefined;
  return {
    file: '.',
    line: null,
    column: null,
    severity: 'warning',
    message: `What this version knows of advisories, incidents and actions is of ${newest}, ${days} days ago: newer ones are missing. Update it.`,
  };
}
