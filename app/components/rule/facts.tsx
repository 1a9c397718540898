import type { ReactNode } from 'react';
import type { RulePage } from '#lib/services/pages/rule-page.ts';
import {
  CATEGORY_LABELS,
  CATEGORY_PAGES,
  CONFIDENCE_LABELS,
  NEED_LABELS,
  RULESET_LABELS,
  SEVERITY_LABELS,
  SURFACE_LABELS,
} from '../../messages.ts';
import { SeverityChip } from '../domain/severity-chip.tsx';
import { ExternalLink } from '../ui/external-link.tsx';
import { Panel } from '../ui/panel.tsx';

const FIX_LABELS = {
  none: 'No: the right change depends on what the workflow is for.',
  safe: 'Yes (safe: the workflow behaves the same), where the right change is certain.',
  review: 'Yes, but some changes need review before you merge them.',
} as const;

export function Facts({ meta, grades, rulesets, fix }: RulePage) {
  const { severity, confidence, category, surface, needs = [] } = meta;
  return (
    <Panel className="bg-subtle">
      <dl className="grid gap-x-8 gap-y-4 text-sm sm:grid-cols-2">
        <Fact name="Severity">
          <SeverityChip severity={severity} className="bg-page" />
          <p className="mt-1">{`Typically: ${SEVERITY_LABELS[severity].meaning}.`}</p>
          {grades.some((grade) => grade !== severity) && (
            <p className="mt-1 text-muted">
              Each finding is rated by what an attacker could reach there. The examples below include{' '}
              {grades.map((grade) => SEVERITY_LABELS[grade].label.toLowerCase()).join(', ')}.
            </p>
          )}
        </Fact>
        <Fact name="Category">
          <ExternalLink href={CATEGORY_PAGES[category] ?? ''}>
            {category} {CATEGORY_LABELS[category]}
          </ExternalLink>
          <p className="mt-1">
            <a href={`/rules?category=${category}`} className="link">
              Rules of this category
            </a>
          </p>
        </Fact>
        <Fact name="Confidence">
          {CONFIDENCE_LABELS[confidence].label}. {CONFIDENCE_LABELS[confidence].meaning}
        </Fact>
        <Fact name="Automatic fix">{FIX_LABELS[fix]}</Fact>
        <Fact name="Scope">
          {SURFACE_LABELS[surface].meaning}
          {needs.map((need) => ` ${NEED_LABELS[need]}`).join('')}
        </Fact>
        <Fact name="Rulesets">
          <ul className="flex flex-wrap gap-x-4 gap-y-1">
            {rulesets.map((ruleset) => (
              <li key={ruleset}>
                <a href={`/rules?ruleset=${ruleset}`} className="link">
                  {RULESET_LABELS[ruleset].label}
                </a>
              </li>
            ))}
          </ul>
        </Fact>
      </dl>
    </Panel>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="font-semibold">{name}</dt>
      <dd className="mt-1">{children}</dd>
    </div>
  );
}
