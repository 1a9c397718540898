import type { RulePage } from '#lib/services/pages/rule-page.ts';
import { SeverityChip } from '../domain/severity-chip.tsx';
import { Section } from '../ui/frame.tsx';

export function Combinations({ combinations }: Pick<RulePage, 'combinations'>) {
  if (combinations.length === 0) return null;
  return (
    <Section id="combinations" title="Attack paths it enables">
      <p className="mb-4 max-w-[70ch]">
        Its findings can be part of these{' '}
        <a href="/attack-paths" className="link">
          attack paths
        </a>
        .
      </p>
      <ul className="space-y-3 text-sm sm:space-y-2">
        {combinations.map(({ id, title, severity, breaks }) => (
          <li key={id} className="grid gap-x-3 gap-y-1 sm:grid-cols-[6.5rem_1fr] sm:items-baseline">
            <SeverityChip severity={severity} className="justify-self-start" />
            <p className="min-w-0">
              <a href={`/attack-paths/${id}`} className="link">
                {title}
              </a>
              {breaks && <span className="text-muted"> · broken by fixing this rule’s findings</span>}
            </p>
          </li>
        ))}
      </ul>
    </Section>
  );
}
