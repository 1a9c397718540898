import type { CombinationPage, Need, NeededRule } from '#lib/services/pages/combination-page.ts';
import { FACT_LABELS, SEVERITY_LABELS } from '../../messages.ts';
import { RuleLink } from '../domain/rule-link.tsx';
import { Disclosure } from '../ui/disclosure.tsx';

export function Needs({ needs, stages }: Pick<CombinationPage, 'needs' | 'stages'>) {
  return (
    <Disclosure title="Conditions in detail" className="mt-12">
      <p className="mb-4 max-w-[70ch]">
        Each row is one condition; any item in it satisfies it. Disabled rules can’t contribute. Facts without a rule
        always count.
      </p>
      <ul className="divide-y divide-line rounded-panel border border-line text-sm">
        {needs.map((need, index) => (
          <li key={index} className="grid gap-x-6 gap-y-2 px-4 py-3 sm:grid-cols-[16rem_1fr]">
            <div>
              <h3 className="font-semibold">{nameOf(need, stages)}</h3>
              {need.optional && <p className="text-xs text-muted">Optional; shown if found</p>}
            </div>
            <ul className="min-w-0 space-y-1.5">
              {need.rules.map((rule) => (
                <li key={rule.id}>
                  {rule.title} <RuleLink id={rule.id} />
                  <Limits rule={rule} />
                </li>
              ))}
              {need.facts.map((fact) => (
                <li key={fact}>{FACT_LABELS[fact]}</li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </Disclosure>
  );
}

function nameOf({ stage }: Need, stages: CombinationPage['stages']): string {
  return stage === undefined ? 'Additional condition' : `${stage}. ${stages[stage - 1]?.title ?? ''}`;
}

function Limits({ rule: { atLeast, some } }: { readonly rule: NeededRule }) {
  const limits = [
    ...(atLeast === 'LOW' || atLeast === 'INFO'
      ? []
      : [`${SEVERITY_LABELS[atLeast].label.toLowerCase()} severity or higher`]),
    ...(some ? ['certain findings only'] : []),
  ];
  if (limits.length === 0) return null;
  return <span className="text-muted">{` (${limits.join(', ')})`}</span>;
}
