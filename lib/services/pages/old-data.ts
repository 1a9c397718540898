import { oldDataDays, REFRESHED_ON } from '#lib/scanner/engine/data-age.ts';

/** Since when advisories and incidents may be missing. */
export interface OldData {
  /** The day of the tables, `YYYY-MM-DD`. */
  readonly newest: string;
  /** How old they are. */
  readonly days: number;
}

/** How old the tables are at a time; undefined while that is not for long. */
export function oldDataAt(time: Date): OldData | undefined {
  const days = oldDataDays(time);
  return days === undefined ? undefined : { newest: REFRESHED_ON, days };
}
