import { RelativeTime } from './relative-time.tsx';

const ABSOLUTE = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
  hourCycle: 'h23',
});

/** `20 Nov 2026, 14:03 UTC` for an RFC 3339 time: the same for everybody, wherever they are. */
export function formatTime(at: string): string {
  return `${ABSOLUTE.format(new Date(at))} UTC`;
}

/** A moment. With scripts it also says how long ago that is, which no server can know when the page is read. */
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
