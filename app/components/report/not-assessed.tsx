import { plural } from '../../messages.ts';
import { RuleLink } from '../domain/rule-link.tsx';
import { Section } from '../ui/frame.tsx';

interface NotAssessed {
  readonly rule_id: string;
  readonly reason: keyof typeof REASONS;
}

const REASONS = {
  disabled: 'Switched off for this repository.',
  not_run: 'Newer than this scan.',
  no_permission: 'Needs a permission that the scan does not have.',
  offline: 'Needs settings of the repository or other repositories, which an anonymous scan does not ask for.',
  rate_limited: 'A file that it looks at was left out: it is too large, or more than an anonymous scan reads.',
  rule_error: 'The rule failed. That is a fault here, not in the repository.',
  unsupported_host: 'The code host does not offer what it needs.',
} as const;

export function NotAssessedRules({ rules }: { readonly rules: readonly NotAssessed[] }) {
  if (rules.length === 0) return null;
  const reasons = [...new Set(rules.map(({ reason }) => reason))];
  return (
    <Section id="not-assessed" title="Not assessed">
      <p className="mb-3 text-sm">
        {plural(rules.length, { one: '1 rule has no answer here.', other: '# rules have no answer here.' })} What they
        look for may or may not be there.
      </p>
      <dl className="space-y-3 text-sm">
        {reasons.map((reason) => (
          <div key={reason}>
            <dt className="text-muted">{REASONS[reason]}</dt>
            <dd>
              <ul className="mt-1 flex flex-wrap gap-x-4 gap-y-1">
                {rules
                  .filter((rule) => rule.reason === reason)
                  .map(({ rule_id }) => (
                    <li key={rule_id}>
                      <RuleLink id={rule_id} />
                    </li>
                  ))}
              </ul>
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
