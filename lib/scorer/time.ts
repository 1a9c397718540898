export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/** Twelve months. */
export const YEAR = 365 * DAY;

/** Milliseconds since 1970; NaN for what is no date, which compares as false with everything. */
export function timeOf(date: string): number {
  return Date.parse(date);
}

/** Milliseconds from a date to `asOf`. */
export function ageOf(date: string, asOf: string): number {
  return timeOf(asOf) - timeOf(date);
}

/** The day of a date, for sentences. */
export function dayOf(date: string): string {
  return date.slice(0, 10);
}
