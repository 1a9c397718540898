import { oldDataDays, REFRESHED_ON } from '#lib/scanner/engine/data-age.ts';

export interface OldData {
  readonly newest: string;
  readonly days: number;
}

export function oldDataAt(time: Date): OldData | undefined {
  const days = oldDataDays(time);
  return days === undefined ? undefined : { newest: REFRESHED_ON, days };
}
