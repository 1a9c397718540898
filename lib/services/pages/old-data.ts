import { oldDataDays, REFRESHED_ON } from '#lib/scanner/engine/data-age.ts';

export interface OldData {
  readonly newest: string;
  readonly days: number;
}

/** Returns the age of the advisory tables; undefined while it is acceptable. */
export function oldDataAt(time: Date): OldData | undefined {
  const days = oldDataDays(time);
  return days === undefined ? undefined : { newest: REFRESHED_ON, days };
}
