import type { RulePage } from '#lib/services/pages/rule-page.ts';
import { ExternalLink } from '../ui/external-link.tsx';
import { Section } from '../ui/frame.tsx';

export function Incidents({ incidents }: Pick<RulePage, 'incidents'>) {
  if (incidents.length === 0) return null;
  return (
    <Section id="incidents" title="Seen in the wild">
      <ul className="max-w-[70ch] space-y-3">
        {incidents.map(({ id, what, reference, missed }) => (
          <li key={id}>
            {what} <ExternalLink href={reference}>{hostOf(reference)}</ExternalLink>
            {missed !== undefined && <p className="text-sm text-muted">{`Not detected yet: ${missed}.`}</p>}
          </li>
        ))}
      </ul>
    </Section>
  );
}

export function References({ references }: { readonly references: readonly string[] }) {
  return (
    <Section id="references" title="References">
      <ul className="space-y-2 text-sm">
        {references.map((reference) => (
          <li key={reference}>
            <ExternalLink href={reference}>{reference.replace(/^https:\/\//, '')}</ExternalLink>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function hostOf(address: string): string {
  return new URL(address).hostname.replace(/^www\./, '');
}
