export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
export const YEAR = 365 * DAY;

/** Returns milliseconds since 1970; NaN for an invalid date, for which every comparison is false. */
export function timeOf(date: string): number {
  return Date.parse(date);
}

export function ageOf(date: string, asOf: string): number {
  return timeOf(asOf) - timeOf(date);
}

export function dayOf(date: string): string {
  return date.slice(0, 10);
}
