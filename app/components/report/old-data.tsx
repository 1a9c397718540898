import type { OldData } from '#lib/services/pages/old-data.ts';
import { Section } from '../ui/frame.tsx';

interface Props extends OldData {
  /** `when`: the scan, or today. */
  readonly at: 'scan' | 'today';
}

export function OldDataNotice({ newest, days, at }: Props) {
  const told =
    at === 'scan'
      ? `What this site knew of advisories, incidents and actions was of ${newest}, ${days} days before this scan.`
      : `What this site knows of advisories, incidents and actions is of ${newest}, ${days} days ago.`;
  return (
    <Section id="old-data" title="Not up to date">
      <p className="text-sm">{told} Newer ones are missing here. Whoever runs the site can bring it up to date.</p>
    </Section>
  );
}
