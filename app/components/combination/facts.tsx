import type { ReactNode } from 'react';
import type { CombinationPage } from '#lib/services/pages/combination-page.ts';
import { COMBINATION_SEVERITY_LABELS, MEETING_LABELS } from '../../messages.ts';
import { RuleLinks } from '../domain/rule-link.tsx';
import { SeverityChip } from '../domain/severity-chip.tsx';
import { Panel } from '../ui/panel.tsx';

export function CombinationFacts({
  severity,
  breakRules,
  meeting,
  since,
}: Pick<CombinationPage, 'severity' | 'breakRules' | 'meeting' | 'since'>) {
  return (
    <Panel className="bg-subtle">
      <dl className="grid gap-x-8 gap-y-4 text-sm sm:grid-cols-2">
        <Fact name="Severity">
          <SeverityChip severity={severity} className="bg-page" />
          <p className="mt-1">{`Typically ${COMBINATION_SEVERITY_LABELS[severity].meaning}.`}</p>
        </Fact>
        <Fact name="Broken by">
          <RuleLinks ids={breakRules} />
        </Fact>
        <Fact name="Scope">{MEETING_LABELS[meeting].label}</Fact>
        <Fact name="Added in">{`Version ${since}`}</Fact>
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
