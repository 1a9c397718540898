import { Section } from '../ui/frame.tsx';

interface Props {
  /** The day of the newest table, `YYYY-MM-DD`. */
  readonly newest: string;
  /** How old it was at the time of the scan. */
  readonly days: number;
}

/** That a report was made with tables of advisories and incidents that nobody had refreshed for long. */
export function OldData({ newest, days }: Props) {
  return (
    <Section id="old-data" title="Not up to date">
      <p className="text-sm">
        What this site knew of advisories, incidents and actions was of {newest}, {days} days before this scan. Newer
        ones are missing here. Whoever runs the site can bring it up to date.
      </p>
    </Section>
  );
}
