import type { CombinationPage } from '#lib/services/pages/combination-page.ts';
import { COMBINATION_SEVERITY_LABELS } from '../../messages.ts';
import { plural } from '../../numbers.ts';
import { RuleText } from '../domain/rule-text.tsx';
import { Section } from '../ui/frame.tsx';

export function Weakening({ severity, modifiers }: Pick<CombinationPage, 'severity' | 'modifiers'>) {
  const label = COMBINATION_SEVERITY_LABELS[severity].label.toLowerCase();
  return (
    <Section id="grade" title="What changes the severity">
      {modifiers.length === 0 ? (
        <p className="max-w-[70ch]">{`Nothing: this attack path is always rated ${label}.`}</p>
      ) : (
        <>
          <p className="max-w-[70ch]">
            {`Rated ${label} unless one of these applies. Together they lower it by at most two steps, never below medium.`}
          </p>
          <ul className="mt-3 max-w-[70ch] list-disc space-y-2 ps-5">
            {modifiers.map(({ because, lower }) => (
              <li key={because}>
                <RuleText text={because} />{' '}
                <span className="text-sm whitespace-nowrap text-muted">
                  {plural(lower, { one: '1 step lower', other: '# steps lower' })}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}
