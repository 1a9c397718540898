import { LockIcon } from '@primer/octicons-react';
import { CATEGORY_LABELS, SEVERITIES, SEVERITY_LABELS, type Severity } from '../../messages.ts';
import { plural } from '../../numbers.ts';
import { RuleLink } from '../domain/rule-link.tsx';
import { RuleText } from '../domain/rule-text.tsx';
import { SeverityChip } from '../domain/severity-chip.tsx';
import { Section } from '../ui/frame.tsx';
import { Icon } from '../ui/octicon.tsx';

interface Shown {
  readonly severity: Severity;
  readonly category: string;
  readonly rule_id: string;
  readonly title: string;
}

interface Props {
  readonly shown: readonly Shown[];
  readonly counts: Readonly<Record<Severity, number>>;
  readonly why: ReadonlyMap<string, string>;
}

export function Findings({ shown, counts, why }: Props) {
  const locked = SEVERITIES.map((severity) => ({
    severity,
    count: counts[severity] - shown.filter((finding) => finding.severity === severity).length,
  })).filter(({ count }) => count > 0);
  return (
    <Section id="findings" title={locked.length === 0 ? 'Findings' : 'Most serious findings'}>
      <ol className="space-y-3">
        {shown.map(({ severity, category, rule_id, title }, index) => (
          <li key={index} className="rounded-panel border border-line p-4">
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
              <SeverityChip severity={severity} />
              <span className="text-muted">{CATEGORY_LABELS[category] ?? category}</span>
            </div>
            <h3 className="mt-2 font-semibold">{title}</h3>
            {shown.findIndex((finding) => finding.rule_id === rule_id) === index && (
              <p className="mt-1 text-sm">
                <RuleText text={why.get(rule_id) ?? ''} />
              </p>
            )}
            <p className="mt-2 text-sm text-muted">
              Examples and the fix: <RuleLink id={rule_id} />
              {rule_id === 'low-score-action' && (
                <>
                  {'. '}
                  <a href="/actions" className="link">
                    Look up the score of an action
                  </a>
                </>
              )}
            </p>
          </li>
        ))}
        {locked.length > 0 && (
          <li className="rounded-panel border border-dashed border-control bg-subtle p-4">
            <p className="flex items-center gap-2 font-semibold">
              <Icon of={LockIcon} />
              {plural(
                locked.reduce((sum, { count }) => sum + count, 0),
                { one: '1 more finding', other: '# more findings' },
              )}
            </p>
            <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-sm">
              {locked.map(({ severity, count }) => (
                <li key={severity}>
                  {plural(count, { one: '1', other: '#' })} {SEVERITY_LABELS[severity].label.toLowerCase()}
                </li>
              ))}
            </ul>
            <p className="mt-2 text-sm text-muted">Details are visible only to people with access to the repository.</p>
          </li>
        )}
      </ol>
    </Section>
  );
}
