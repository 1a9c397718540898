import type { CombinationPage } from '#lib/services/pages/combination-page.ts';
import { COMBINATION_SEVERITY_LABELS, plural } from '../../messages.ts';
import { RuleText } from '../domain/rule-text.tsx';
import { Section } from '../ui/frame.tsx';

export function Weakening({ severity, modifiers }: Pick<CombinationPage, 'severity' | 'modifiers'>) {
  const label = COMBINATION_SEVERITY_LABELS[severity].label.toLowerCase();
  return (
    <Section id="grade" title="What lowers its severity, and what raises it">
      {modifiers.length === 0 ? (
        <p className="max-w-[70ch]">{`Nothing: every path of this kind is graded ${label}.`}</p>
      ) : (
        <>
          <p className="max-w-[70ch]">
            {`A path starts at ${label}, the most that this kind can be, and goes down where one of these is so: by two steps in all at most, and never below medium. It is back at ${label} as soon as none of them is so.`}
          </p>
          <ul className="mt-3 max-w-[70ch] list-disc space-y-2 ps-5">
            {modifiers.map(({ because, lower }) => (
              <li key={because}>
                <RuleText text={because} />{' '}
                <span className="text-sm whitespace-nowrap text-muted">
                  {plural(lower, { one: '1 step down', other: '# steps down' })}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}
