import { CheckIcon, DashIcon } from '@primer/octicons-react';
import type { SharedReport } from '#lib/services/public-scans/shared-report.ts';
import { Section } from '../ui/frame.tsx';
import { Icon } from '../ui/octicon.tsx';

const SUBJECTS: Readonly<Record<string, string>> = {
  'CICD-SEC-1': 'Approvals and merging',
  'CICD-SEC-2': 'Identity and access',
  'CICD-SEC-3': 'Dependencies',
  'CICD-SEC-4': 'Untrusted input and code',
  'CICD-SEC-5': 'Job permissions',
  'CICD-SEC-6': 'Credentials',
  'CICD-SEC-7': 'Runners and containers',
  'CICD-SEC-8': 'Third-party services',
  'CICD-SEC-9': 'Artifacts and releases',
  'CICD-SEC-10': 'Logging and visibility',
};

/** Counts passed checks by category instead of by rule: missing rules would reveal the locked findings. */
export function Passed({ checks }: { readonly checks: NonNullable<SharedReport['outlook']>['checks'] }) {
  const total = (of: 'passed' | 'run') => checks.reduce((sum, check) => sum + check[of], 0);
  if (total('run') === 0) return null;
  const ordered = [...checks].sort((a, b) => b.passed / b.run - a.passed / a.run || b.run - a.run);
  return (
    <Section id="passed" title="What passed">
      <p className="mb-3 text-sm">{`${total('passed')} of ${total('run')} checks that ran found nothing.`}</p>
      <ul className="grid gap-x-8 gap-y-1.5 text-sm sm:grid-cols-2">
        {ordered.map(({ category, passed, run }) => (
          <li key={category} className="flex items-start gap-2">
            <Icon
              of={passed === run ? CheckIcon : DashIcon}
              className={passed === run ? 'mt-[3px] shrink-0 text-ok' : 'mt-[3px] shrink-0 text-muted'}
            />
            <span className="me-auto min-w-0">{SUBJECTS[category] ?? category}</span>
            <span className="whitespace-nowrap text-muted tabular-nums">{`${passed} of ${run}`}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
