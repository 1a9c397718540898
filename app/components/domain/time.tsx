import { RelativeTime } from './relative-time.tsx';

const ABSOLUTE = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
  hourCycle: 'h23',
});

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

export function formatDay(at: string): string {
  return DAY.format(new Date(at));
}

export function formatTime(at: string): string {
  return `${ABSOLUTE.format(new Date(at))} UTC`;
}

export function Time({ at, relative = false }: { readonly at: string; readonly relative?: boolean }) {
  return (
    <>
      <time dateTime={at} className="whitespace-nowrap">
        {formatTime(at)}
      </time>
      {relative && <RelativeTime at={at} />}
    </>
  );
}
