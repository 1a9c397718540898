import type { OldData } from '#lib/services/pages/old-data.ts';
import { Section } from '../ui/frame.tsx';

interface Props extends OldData {
  readonly at: 'scan' | 'today';
}

export function OldDataNotice({ newest, days, at }: Props) {
  const sentence =
    at === 'scan'
      ? `The data on advisories, incidents and actions dates from ${newest}, ${days} days before this scan.`
      : `The data on advisories, incidents and actions dates from ${newest}, ${days} days ago.`;
  return (
    <Section id="old-data" title="Outdated data">
      <p className="text-sm">{sentence} Newer ones are missing. The operator of this site can update it.</p>
    </Section>
  );
}
