import type { VulnerableExample } from '#lib/services/pages/combination-page.ts';
import { COMBINATION_SEVERITY_LABELS, FACT_LABELS } from '../../messages.ts';
import { plural } from '../../numbers.ts';
import { RuleText } from '../domain/rule-text.tsx';
import { SeverityChip } from '../domain/severity-chip.tsx';
import { ExampleFiles } from '../rule/example-files.tsx';
import { Disclosure } from '../ui/disclosure.tsx';
import { Section } from '../ui/frame.tsx';

export function VulnerableExamples({
  examples: [first, ...others],
}: {
  readonly examples: readonly VulnerableExample[];
}) {
  if (first === undefined) return null;
  return (
    <Section id="found" title="Vulnerable example">
      <Vulnerable example={first} name="Vulnerable" />
      {others.length > 0 && (
        <Disclosure title={plural(others.length, { one: '1 more example', other: '# more examples' })} className="mt-4">
          <div className="space-y-8">
            {others.map((example, index) => (
              <Vulnerable key={index} example={example} name={`Vulnerable ${index + 2}`} />
            ))}
          </div>
        </Disclosure>
      )}
    </Section>
  );
}

function Vulnerable({ example, name }: { readonly example: VulnerableExample; readonly name: string }) {
  const { grade, mitigatedBy, facts } = example;
  return (
    <div className="space-y-4">
      <ExampleFiles example={example} name={name} />
      {facts.length > 0 && (
        <div className="text-sm">
          <p>Other conditions that are met:</p>
          <ul className="mt-1 list-disc ps-5">
            {facts.map((fact) => (
              <li key={fact}>{FACT_LABELS[fact]}</li>
            ))}
          </ul>
        </div>
      )}
      <div className="grid gap-x-3 gap-y-1 text-sm sm:grid-cols-[6.5rem_1fr] sm:items-baseline">
        <SeverityChip severity={grade} className="justify-self-start" />
        <div className="min-w-0">
          <p className="font-semibold">{`This example is rated ${COMBINATION_SEVERITY_LABELS[grade].label.toLowerCase()}.`}</p>
          {mitigatedBy.map((reason) => (
            <p key={reason}>
              <RuleText text={reason} />
            </p>
          ))}
        </div>
      </div>
    </div>
  );
}
