import type { CombinationRow } from '#lib/services/pages/combination-page.ts';
import { COMBINATION_SEVERITY_LABELS } from '../../messages.ts';
import { plural } from '../../numbers.ts';
import { RuleLinks } from '../domain/rule-link.tsx';
import { RuleText } from '../domain/rule-text.tsx';
import { SeverityChip } from '../domain/severity-chip.tsx';
import { Section } from '../ui/frame.tsx';

interface Props {
  readonly severity: CombinationRow['severity'];
  readonly rows: readonly CombinationRow[];
}

export function CombinationGroup({ severity, rows }: Props) {
  if (rows.length === 0) return null;
  const { label, meaning } = COMBINATION_SEVERITY_LABELS[severity];
  return (
    <Section
      id={severity.toLowerCase()}
      title={
        <>
          {label}{' '}
          <span className="text-sm font-normal text-muted">
            {plural(rows.length, { one: '1 attack path', other: '# attack paths' })}
          </span>
        </>
      }
    >
      <p className="mb-3 text-sm text-muted">{`Typically ${meaning}.`}</p>
      <ul className="divide-y divide-line rounded-panel border border-line">
        {rows.map(({ id, title, impact, breakRules }) => (
          <li key={id} className="grid gap-x-6 gap-y-2 px-4 py-3 text-sm sm:grid-cols-[6.5rem_1fr_17rem]">
            <SeverityChip severity={severity} className="self-start justify-self-start" />
            <div className="min-w-0">
              <h3>
                <a href={`/attack-paths/${id}`} className="link font-medium">
                  {title}
                </a>
              </h3>
              <code className="mt-0.5 block text-2xs text-muted">{id}</code>
              <p className="mt-1">
                <RuleText text={impact} />
              </p>
            </div>
            <p className="min-w-0">
              <span className="text-muted">Broken by </span>
              <RuleLinks ids={breakRules} />
            </p>
          </li>
        ))}
      </ul>
    </Section>
  );
}
