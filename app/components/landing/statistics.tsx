import type { Severity } from '../../messages.ts';
import { RuleLink } from '../domain/rule-link.tsx';
import { SeverityChip } from '../domain/severity-chip.tsx';
import { Section } from '../ui/frame.tsx';

export interface Statistics {
  readonly repositories_scanned: string;
  readonly workflows_scanned: string;
  readonly findings_found: string;
  readonly actions_scored: string;
  readonly top_rules: readonly { readonly rule_id: string; readonly title: string; readonly severity: Severity }[];
}

export function Figures({ statistics }: { readonly statistics: Statistics }) {
  const figures = [
    { value: statistics.repositories_scanned, label: 'repositories scanned' },
    { value: statistics.workflows_scanned, label: 'workflow files read' },
    { value: statistics.findings_found, label: 'findings' },
    { value: statistics.actions_scored, label: 'actions scored' },
  ].filter(({ value }) => value !== '0k+');
  if (figures.length === 0) return null;
  return (
    <dl className="mt-8 grid grid-cols-2 gap-x-8 gap-y-5 border-y border-line py-5 sm:grid-cols-4">
      {figures.map(({ value, label }) => (
        <div key={label} className="flex flex-col-reverse">
          <dt className="text-sm text-muted">{label}</dt>
          <dd className="text-xl font-semibold tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function TopRules({ rules }: { readonly rules: Statistics['top_rules'] }) {
  if (rules.length === 0) return null;
  return (
    <Section id="top-rules" title="Most common findings">
      <ol className="divide-y divide-line rounded-panel border border-line text-sm">
        {rules.map(({ rule_id, title, severity }) => (
          <li key={rule_id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
            <SeverityChip severity={severity} />
            <span className="min-w-0 flex-1 basis-60">{title}</span>
            <RuleLink id={rule_id} />
          </li>
        ))}
      </ol>
    </Section>
  );
}
