import { plural } from '../../numbers.ts';
import { RuleLink } from '../domain/rule-link.tsx';
import { Disclosure } from '../ui/disclosure.tsx';

interface NotAssessed {
  readonly rule_id: string;
  readonly reason: keyof typeof REASONS;
}

const REASONS = {
  disabled: 'Disabled for this repository.',
  not_run: 'Added after this scan.',
  no_permission: 'Needs a permission that the scan did not have.',
  offline: 'Needs repository settings or other repositories, which an anonymous scan does not read.',
  rate_limited: 'A file it needs was skipped: too large, or beyond what an anonymous scan reads.',
  rule_error: 'The rule failed. That is our bug, not a problem of the repository.',
  unsupported_host: 'The code host does not provide what it needs.',
} as const;

export function NotAssessedRules({ rules }: { readonly rules: readonly NotAssessed[] }) {
  if (rules.length === 0) return null;
  const reasons = [...new Set(rules.map(({ reason }) => reason))];
  return (
    <Disclosure
      title={plural(rules.length, {
        one: 'Not assessed: 1 check could not run',
        other: 'Not assessed: # checks could not run',
      })}
      className="mt-12"
    >
      <p className="mb-3 text-sm">No result for them does not mean that the repository is safe.</p>
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
    </Disclosure>
  );
}
